"""Prompts of every day: what connects two entities, pages that alone say something, names of code;
and as many that nothing is to be said to. sets/README.md gives the format.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.quality.runs import answer_cases
from benchmarks.quality.sets import Asked, read_asked, read_base
from benchmarks.quality.world import copied, written

COURIER = Path(__file__).resolve().parents[2] / "examples" / "courier"
BASES = ("heating", "laboratory", "newspaper", "port", "studio")
ANSWERED = {"relation": 8, "page_only": 18, "exact": 19, "task": 18, "half": 10}
"""By kind, how many prompts are answered at least: two fewer than when this was written."""
FIRES = {"relation_silent": 2, "page_silent": 2, "exact_silent": 3, "task_silent": 2}
"""By kind, for how many something is said at most: two more than when this was written."""


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    return read_asked(Path(__file__).parent / "sets" / "everyday.jsonl")


def test_each_kind_has_a_dozen(asked: list[Asked]) -> None:
    counts = Counter(prompt.kind for prompt in asked)
    assert counts.keys() == ANSWERED.keys() | FIRES.keys()
    assert min(counts.values()) >= 12


def test_they_are_answered_and_the_others_are_not(asked: list[Asked]) -> None:
    found: Counter[str] = Counter()
    for name in ("courier", *BASES):
        mine = [prompt for prompt in asked if prompt.kb == name]
        place = copied(COURIER) if name == "courier" else written(read_base(name))
        with place as world:
            for case in answer_cases(mine, world):
                for measure, (count, _) in case.counts.items():
                    found[measure.partition(" ")[0]] += int(count)
    for kind, least in ANSWERED.items():
        assert found[kind] >= least, kind
    for kind, most in FIRES.items():
        assert found[kind] <= most, kind
