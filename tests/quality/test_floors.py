"""What is shown for labelled prompts is as good as `benchmarks/quality/floors.json` says, which
`make eval` prints too. Nobody reads the prompts of sets that are kept back.
"""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.quality.every_set import Set, in_project, opened
from benchmarks.quality.runs import listed, shown
from benchmarks.quality.sets import Prompt
from benchmarks.quality.table import Counts, read_floors

SETS = [one for one in in_project() if not one.name.startswith("foreign")]  # as docstrings do


@pytest.mark.parametrize("one", SETS, ids=lambda one: one.name)
def test_no_kind_of_prompt_is_worse_than_its_floor(one: Set) -> None:
    assert not [*Counts.of(one.run()).faults(read_floors()[one.name])]


def test_how_a_prompt_is_judged() -> None:
    tracker = "delivery tracker: how long does an entry live in the cache"
    prompts = [
        Prompt(kind="claim", text=tracker, want=("tracker-cache",)),
        Prompt(kind="entity", text=tracker, want=("delivery-tracker",)),
        Prompt(kind="other", text=tracker, want=("limit-per-depot",)),
        Prompt(kind="silent", text=tracker),
        Prompt(kind="near", text=tracker, tolerable=("delivery-tracker",)),
        Prompt(kind="chat", text="thanks, see you tomorrow"),
    ]
    names = [Prompt(kind="named", text="is Relay down?", want=("relay",))]
    names += [Prompt(kind="extra", text="is Relay down?", want=("relay", "kafka"))]
    names += [Prompt(kind="unnamed", text="is Relay down?")]
    with opened("courier") as world:
        counts = Counts.of(shown(prompts, world))
        named = Counts.of(listed(names, world))
    assert (+counts.right, +counts.told) == (Counter(claim=1, entity=1), Counter(silent=1))
    assert (+named.right, +named.told) == (Counter(named=1), Counter(unnamed=1))
    assert [*counts.faults({"right": {"claim": 2, "entity": 1}, "told": {"silent": 0}})] == [
        "claim: 1 right, at least 2",
        "silent: 1 told, at most 0",
    ]
