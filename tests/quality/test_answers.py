"""Prompts over five knowledge bases, written without a look at the code: floors by kind.

sets/answers.jsonl holds them; sets/README.md gives the format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from benchmarks.quality.measures import Case, ratio
from benchmarks.quality.runs import answer_cases
from benchmarks.quality.sets import Asked, read_asked
from benchmarks.quality.world import copied

HERE = Path(__file__).parent
DEMO = HERE.parents[1] / "examples" / "courier"
FIRST = {"courier": DEMO, "bakery": HERE / "bakery"}
LATER = {name: HERE / name for name in ("laboratory", "studio", "heating")}
"""Written when most rules stood."""
FLOORS = {
    "named": (0.95, 0.95),
    "beside": (0.90, 0.75),
    "alone": (0.90, 0.80),
    "bare": (0.90, 0.90),
    "page": (0.80, 0.80),
    "part": (0.75, 0.70),
    "ordinary": (0.90, 0.75),
}
"""By kind, the share that is answered over the first bases and over the later ones."""
FIRES = (0.0, 0.03)


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    return read_asked(HERE / "sets" / "answers.jsonl")


@pytest.fixture(scope="module")
def cases(asked: list[Asked]) -> list[list[Case]]:
    def found(bases: Mapping[str, Path]) -> Iterator[Case]:
        for base, folder in bases.items():
            with copied(folder) as world:
                yield from answer_cases([one for one in asked if one.kb == base], world)

    return [list(found(bases)) for bases in (FIRST, LATER)]


def test_the_set_is_large(asked: list[Asked]) -> None:
    assert len(asked) >= 600
    assert {one.kind for one in asked} == {*FLOORS, "silent"}
    assert {one.kb for one in asked} == {*FIRST, *LATER}


@pytest.mark.parametrize(("kind", "floors"), FLOORS.items())
def test_enough_is_answered(
    cases: list[list[Case]], kind: str, floors: tuple[float, float]
) -> None:
    for some, floor in zip(cases, floors, strict=True):
        value = ratio(f"{kind} answered")(some)
        assert value is not None
        assert value >= floor, "\n".join(line for case in some for line in case.wrong)


def test_nothing_is_said_where_nothing_is_meant(cases: list[list[Case]]) -> None:
    for some, most in zip(cases, FIRES, strict=True):
        fires = ratio("silent fires")(some)
        assert fires is not None
        assert fires <= most
