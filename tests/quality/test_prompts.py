"""What is said of the demo knowledge base, for prompts labelled by hand, with floors.

The prompts stand in prompts.jsonl, one a line; benchmarks/quality/README.md gives their format.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.quality.measures import Case
from benchmarks.quality.runs import prompt_cases
from benchmarks.quality.sets import Prompt, read_prompts
from benchmarks.quality.world import copied
from tests.quality.figures import within

ROOT = Path(__file__).resolve().parents[2]
HARD = {"ambiguous", "code", "commit", "language", "near-miss", "near-person", "ordinary", "trace"}


@pytest.fixture(scope="module")
def prompts() -> list[Prompt]:
    return read_prompts(Path(__file__).with_name("prompts.jsonl"))


@pytest.fixture(scope="module")
def cases(prompts: list[Prompt]) -> list[Case]:
    with copied(ROOT / "examples" / "courier") as world:
        return list(prompt_cases(prompts, world))


def test_the_set_is_large_and_hard(prompts: list[Prompt]) -> None:
    kinds = Counter(prompt.kind for prompt in prompts)
    assert len(prompts) >= 120
    assert len({prompt.text for prompt in prompts}) == len(prompts)
    assert sum(kinds[kind] for kind in HARD) >= 60
    assert all(kinds[kind] >= 4 for kind in HARD)


@pytest.mark.parametrize(
    ("measure", "floor"),
    [("precision", 0.98), ("recall", 0.97), ("listed precision", 0.97), ("listed recall", 0.97)],
)
def test_enough_is_right(cases: list[Case], measure: str, floor: float) -> None:
    within(cases, measure, least=floor)


@pytest.mark.parametrize(
    ("measure", "ceiling"), [("missed", 0.02), ("false fires", 0.01), ("repeats", 0.0)]
)
def test_little_is_wrong(cases: list[Case], measure: str, ceiling: float) -> None:
    within(cases, measure, most=ceiling)
