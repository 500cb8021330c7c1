"""Names that begin a sentence, and plurals of acronyms, over seven knowledge bases: floors.

sets/names.jsonl holds the prompts; sets/README.md gives the format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.quality.measures import Case
from benchmarks.quality.runs import answer_cases
from benchmarks.quality.sets import Asked, read_asked, read_base
from benchmarks.quality.world import copied, written
from tests.quality.figures import within

HERE = Path(__file__).parent
DEMO = HERE.parents[1] / "examples" / "courier"
BASES = ("courier", "bakery", "laboratory", "studio", "heating", "newspaper", "port")


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    return read_asked(HERE / "sets" / "names.jsonl")


@pytest.fixture(scope="module")
def cases(asked: list[Asked]) -> list[Case]:
    def found() -> Iterator[Case]:
        for base in BASES:
            with copied(DEMO) if base == "courier" else written(read_base(base)) as world:
                yield from answer_cases([prompt for prompt in asked if prompt.kb == base], world)

    return list(found())


def test_as_many_must_be_silent(asked: list[Asked]) -> None:
    counts = Counter((prompt.kind, bool(prompt.expect)) for prompt in asked)
    assert {prompt.kb for prompt in asked} == set(BASES)
    assert set(counts) == {(kind, speaks) for kind in ("start", "plural") for speaks in (0, 1)}
    assert min(counts.values()) >= 16


@pytest.mark.parametrize("kind", ["start", "plural"])
def test_most_names_speak_and_hardly_any_ordinary_word(cases: list[Case], kind: str) -> None:
    within(cases, f"{kind} answered", least=0.85)
    within(cases, f"{kind} fires", most=0.1)
