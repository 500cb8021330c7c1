"""Prompts over three knowledge bases, written without a look at the code: floors by kind.

sets/answers.jsonl holds them; sets/README.md gives the format.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.quality.measures import Case, ratio
from benchmarks.quality.runs import answer_cases
from benchmarks.quality.sets import Asked, read_asked
from benchmarks.quality.world import copied

HERE = Path(__file__).parent
BASES = {
    "courier": HERE.parents[1] / "examples" / "courier",
    "bakery": HERE / "bakery",
    "laboratory": HERE / "laboratory",
}
FLOORS = {
    "named": 0.95,
    "beside": 0.90,
    "alone": 0.95,
    "bare": 0.90,
    "page": 0.80,
    "part": 0.75,
    "ordinary": 0.90,
}


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    return read_asked(HERE / "sets" / "answers.jsonl")


@pytest.fixture(scope="module")
def cases(asked: list[Asked]) -> list[Case]:
    def found() -> Iterator[Case]:
        for base, folder in BASES.items():
            with copied(folder) as world:
                yield from answer_cases([one for one in asked if one.kb == base], world)

    return list(found())


def test_the_set_is_large(asked: list[Asked]) -> None:
    assert len(asked) >= 120
    assert {one.kind for one in asked} == {*FLOORS, "silent"}


@pytest.mark.parametrize(("kind", "floor"), FLOORS.items())
def test_enough_is_answered(cases: list[Case], kind: str, floor: float) -> None:
    value = ratio(f"{kind} answered")(cases)
    assert value is not None
    assert value >= floor, "\n".join(line for case in cases for line in case.wrong)


def test_nothing_is_said_where_nothing_is_meant(cases: list[Case]) -> None:
    assert ratio("silent fires")(cases) == 0
