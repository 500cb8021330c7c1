"""The labels of sets/answers.jsonl, which rules and weights were fitted to: no floors.

sets/README.md gives the format.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.quality.sets import Asked, read_asked, read_base
from tests.quality.labels import known

BASES = ("bakery", "laboratory", "studio", "heating")


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    return read_asked(Path(__file__).parent / "sets" / "answers.jsonl")


@pytest.mark.parametrize("name", BASES)
def test_what_is_expected_is_there(asked: list[Asked], name: str) -> None:
    ids = {_slugged(i) for i in known(read_base(name))}
    expected = {i for prompt in asked if prompt.kb == name for i in prompt.expect}
    assert expected - ids == set()


def _slugged(wanted: str) -> str:
    page, mark, heading = wanted.partition("#")
    return page + mark + "-".join(re.findall(r"\w+", heading.lower()))
