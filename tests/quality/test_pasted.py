"""Long prompts with what a machine printed (benchmarks/quality/pasted.jsonl): of other software,
which nothing here answers, and of the knowledge base's own systems.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.quality.__main__ import PASTED
from benchmarks.quality.measures import Case
from benchmarks.quality.runs import answer_cases
from benchmarks.quality.sets import read_asked, read_base
from benchmarks.quality.world import written
from tests.quality.figures import within
from tests.quality.labels import known

BASES = ("studio", "newspaper")


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return list(_cases())


def _cases() -> Iterator[Case]:
    asked = read_asked(PASTED)
    for name in BASES:
        base = read_base(name)
        over = [one for one in asked if one.kb == name]
        assert {i for one in over for i in one.expect} <= set(known(base))
        with written(base) as world:
            yield from answer_cases(over, world)


def test_what_other_software_printed_is_seldom_told_something(cases: list[Case]) -> None:
    within(cases, "pasted_silent fires", most=0.10)


def test_what_our_own_systems_printed_is_answered(cases: list[Case]) -> None:
    within(cases, "pasted answered", least=0.70)
