"""Short names against ordinary technical English."""

from __future__ import annotations

from pathlib import Path

from benchmarks.quality.measures import ratio
from benchmarks.quality.ordinary import docstring_sentences
from benchmarks.quality.runs import ordinary_cases
from benchmarks.quality.sets import read_names
from benchmarks.quality.world import copied

ROOT = Path(__file__).resolve().parents[2]
NAMES = ROOT / "benchmarks" / "quality" / "names.json"


def test_docstrings_of_the_standard_library_name_next_to_nothing() -> None:
    cases = list(ordinary_cases(docstring_sentences(), read_names(NAMES)))
    wrong = [line for case in cases for line in case.wrong]
    assert len(cases) == 500
    assert (ratio("fires")(cases) or 0) <= 0.01, "\n".join(wrong)
    assert ratio("volunteered")(cases) == 0


def test_docstrings_bring_no_context_from_the_demo() -> None:
    with copied(ROOT / "examples" / "courier") as world:
        said = {s: world.ask("context", task=s)["text"] for s in docstring_sentences()}
    spoken = [f"{sentence}: {text}" for sentence, text in said.items() if text]
    assert len(spoken) <= 5, "\n".join(spoken)
