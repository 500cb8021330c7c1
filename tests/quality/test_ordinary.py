"""Short names against ordinary technical English."""

from __future__ import annotations

from pathlib import Path

from benchmarks.quality.measures import ratio
from benchmarks.quality.ordinary import docstring_sentences
from benchmarks.quality.runs import ordinary_cases
from benchmarks.quality.sets import read_names

NAMES = Path(__file__).resolve().parents[2] / "benchmarks" / "quality" / "names.json"


def test_docstrings_of_the_standard_library_name_next_to_nothing() -> None:
    cases = list(ordinary_cases(docstring_sentences(), read_names(NAMES)))
    wrong = [line for case in cases for line in case.wrong]
    assert len(cases) == 500
    assert (ratio("fires")(cases) or 0) <= 0.01, "\n".join(wrong)
    assert ratio("volunteered")(cases) == 0
