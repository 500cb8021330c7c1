"""What a figure over the cases of a set must be."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.quality.measures import Case, ratio


def within(cases: Sequence[Case], measure: str, least: float = 0.0, most: float = 1.0) -> None:
    """A measure lies between two figures, else what is wrong is shown."""
    value = ratio(measure)(cases)
    assert value is not None
    assert least <= value <= most, "\n".join(line for case in cases for line in case.wrong)
