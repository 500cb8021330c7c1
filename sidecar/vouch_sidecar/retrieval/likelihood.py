"""The one measure: how likely it is that a claim, a section of a page or a relation answers or
constrains what a text says.

A logistic function of nine features. `make fit` finds the weights (benchmarks/quality/fit.py);
docs/how-it-decides.md shows them at work.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from operator import mul
from typing import NamedTuple

from vouch_sidecar.retrieval.constants import (
    BIAS,
    BIAS_SEMANTIC,
    WEIGHTS,
    WEIGHTS_SEMANTIC,
)


class Features(NamedTuple):
    """What is known of a text and one candidate."""

    held: float
    """Weight of the words of the text that the candidate holds; names that speak are left out."""
    missing: float
    """ln(1 + weight of the words that it does not hold)."""
    rivals: float
    """ln of the number of candidates that hold all of these words."""
    lone: float
    """1 where these are fewer than two words, beside a name fewer than one, else 0."""
    pairs: float
    """Neighbouring words of the text that are neighbours there too, 2 at most."""
    named: float
    """How strongly the text names what the candidate is about, from 0 to 1."""
    section: float
    """1 for a section of a page, else 0."""
    around: float
    """Weight of the words beside these that stand elsewhere in the section, for a claim in one that
    quotes it.
    """
    size: float
    """ln(1 + number of claims and sections that the viewer may see)."""
    cosine: float | None = None
    """How near it is to the text by meaning, where a model heard the text in time."""
    lead: float = 0.0
    """By how much it is nearer than the nearest other candidate."""

    @classmethod
    def of(
        cls,
        *,
        held: float,
        whole: float,
        rivals: int,
        lone: bool,
        pairs: int,
        named: float,
        section: bool,
        around: float,
        total: int,
    ) -> Features:
        """The features from counts and weights; `whole` is the weight of all words of the text."""
        return cls(
            held,
            log(1 + max(0.0, whole - held)),
            log(max(1, rivals)),
            float(lone),
            min(pairs, 2),
            named,
            float(section),
            around,
            log(1 + total),
        )

    @property
    def _fitted(self) -> tuple[float, Mapping[str, float]]:
        """The bias and the weights: those with meaning, where a model heard the text."""
        if self.cosine is None:
            return BIAS, WEIGHTS
        return BIAS_SEMANTIC, WEIGHTS_SEMANTIC

    @property
    def likelihood(self) -> float:
        """From 0 to 1, rounded to 3 places."""
        bias, weights = self._fitted
        total = bias + sum(map(mul, self[: len(weights)], weights.values()))  # in their order
        return round(1 / (1 + exp(-total)), 3)

    @property
    def parts(self) -> dict[str, float]:
        """What each feature adds, by name: value × weight."""
        _, weights = self._fitted
        return {name: getattr(self, name) * weight + 0.0 for name, weight in weights.items()}

    @property
    def written_out(self) -> str:
        """The sum: `1 / (1 + e^−(-1.7 + held 0.90 × 3.2 + …)) = 0.71`."""
        bias, weights = self._fitted
        parts = [f"{name} {getattr(self, name):.2f} × {one:g}" for name, one in weights.items()]
        told = " + ".join([f"{bias:g}", *parts])
        return f"1 / (1 + e^−({told})) = {self.likelihood:g}"
