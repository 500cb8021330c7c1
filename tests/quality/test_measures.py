"""The arithmetic of the figures."""

from __future__ import annotations

import pytest

from benchmarks.quality.measures import Case, best_precision, estimate, ratio


def test_a_ratio_is_that_of_the_sums() -> None:
    cases = [Case({"precision": (1, 4)}), Case({"precision": (3, 4), "missed": (0, 1)})]
    assert ratio("precision")(cases) == 0.5
    assert ratio("missed")(cases) == 0
    assert ratio("recall")(cases) is None


def test_the_best_precision_at_a_recall() -> None:
    scored = [(0.9, True), (0.8, False), (0.7, True), (0.7, False), (0.1, True)]
    cases = [Case({}, scored=scored, wanted=3)]
    assert best_precision(0.3)(cases) == 1.0
    assert best_precision(0.6)(cases) == 0.6
    assert best_precision(0.7)(cases) == 0.6
    assert best_precision(1.0)([Case({}, scored=scored[:4], wanted=3)]) is None


def test_an_interval_holds_its_figure() -> None:
    cases = [Case({"missed": (n % 4 == 0, 1)}) for n in range(100)]
    found = estimate(cases, ratio("missed"))
    assert found.value == pytest.approx(0.25)
    assert found.low is not None
    assert found.high is not None
    assert 0.1 < found.low < 0.25 < found.high < 0.4
    assert estimate([], ratio("missed")).value is None
