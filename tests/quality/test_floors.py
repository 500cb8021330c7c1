"""What is shown for labelled prompts is as good as `benchmarks/quality/floors.json` says, which
`make eval` prints too. Nobody reads the prompts of sets that are kept back.
"""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.quality.every_set import Set, in_project
from benchmarks.quality.runs import listed, shown
from benchmarks.quality.sets import KnowledgeBase, Prompt
from benchmarks.quality.table import Counts, read_floors
from benchmarks.quality.world import written

PUMPS = "who looks after the ballast pumps of berth nine"
LENS = "is the lens polished each spring by a contractor from Tromsø?"
HYDRANTS = "for how many minutes is the brass valve behind the weighbridge open, draining hydrants?"
QUAY = KnowledgeBase(
    name="quay",
    entities=(
        {"id": "ada", "name": "Ada Lovelace", "type": "person"},
        {"id": "dock-crew", "name": "Dock Crew", "type": "team"},
        {"id": "beacon", "name": "Beacon", "type": "system"},
    ),
    claims=(
        {
            "id": "ballast-pumps",
            "text": "Whoever has the brass key looks after the ballast pumps of berth nine.",
            "entities": ("ada", "dock-crew"),
        },
        {
            "id": "beacon-lens",
            "text": "The lens is polished each spring by a contractor from Tromsø.",
            "entities": ("beacon",),
        },
    ),
    pages=(
        {
            "id": "frost",
            "title": "Frost: what to do",
            "text": "Before winter.\n\n## Draining the hydrants\n\nOpen the brass valve behind the"
            " weighbridge and wait for eleven minutes.\n",
        },
    ),
)


SETS = [one for one in in_project() if not one.name.startswith("foreign")]  # as docstrings do


@pytest.mark.parametrize("one", SETS, ids=lambda one: one.name)
def test_no_kind_of_prompt_is_worse_than_its_floor(one: Set) -> None:
    assert not [*Counts.of(one.run()).faults(read_floors()[one.name])]


def test_what_is_worse_is_named() -> None:
    with written(QUAY) as world:
        counts = Counts.of(shown([Prompt(kind="a", text=PUMPS, want=("beacon-lens",))], world))
    assert [*counts.faults({"right": {"a": 1}, "told": {}})] == ["a: 0 right, at least 1"]
    assert [*counts.faults({"right": {"a": 0}, "told": {}})] == []


def test_how_a_prompt_is_judged() -> None:
    prompts = [
        Prompt(kind="claim", text=PUMPS, want=("ballast-pumps",)),
        Prompt(kind="other", text=PUMPS, want=("beacon-lens",)),
        *(Prompt(kind="who", text=PUMPS, want=(one,)) for one in ("ada", "dock-crew", "beacon")),
        *(Prompt(kind="shown", text=PUMPS, want=(one,)) for one in ("ada", "dock-crew")),
        Prompt(kind="page", text=HYDRANTS, want=("frost#Draining the hydrants",)),
        Prompt(kind="heading", text=HYDRANTS, want=("frost#Filling the hydrants",)),
        Prompt(kind="silent", text=LENS),
        Prompt(kind="near", text=LENS, tolerable=("beacon",)),
        Prompt(kind="chat", text="thanks, see you tomorrow"),
    ]
    names = [Prompt(kind="named", text="is Beacon dark?", want=("beacon",))]
    names += [Prompt(kind="extra", text="is Beacon dark?", want=("beacon", "ada"))]
    names += [Prompt(kind="unnamed", text="is Beacon dark?")]
    with written(QUAY) as world:
        counts = Counts.of(shown(prompts, world))
        named = Counts.of(listed(names, world))
    assert +counts.right == Counter(claim=1, who=2, shown=1, page=1)
    assert +counts.told == Counter(silent=1)
    assert (+named.right, +named.told) == (Counter(named=1), Counter(unnamed=1))
