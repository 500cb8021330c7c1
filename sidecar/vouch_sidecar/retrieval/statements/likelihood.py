"""How likely it is that a claim, a section of a page or a relation answers a text, or constrains
what it asks for: a logistic function of the features below.

`make fit` finds the weights (benchmarks/quality/fit.py); docs/how-it-decides.md shows one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp
from typing import NamedTuple

from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.retrieval.constants import (
    BIAS,
    BIAS_SEMANTIC,
    LIKELIHOOD_WEIGHTS,
    LIKELIHOOD_WEIGHTS_SEMANTIC,
    PASSAGE,
)


class Features(NamedTuple):
    """The features of one candidate for one text."""

    held: float
    """Weight of the words of the text that the candidate holds; names that speak are left out."""
    missing: float
    """ln(1 + weight of the words that it lacks), without the heaviest of them: people often use one
    word of their own.
    """
    rivals: float
    """ln of the number of candidates that hold all the words that it holds."""
    pairs: float
    """Number of neighbouring words of the text that are neighbours in the candidate too, at
    most 2.
    """
    named: float
    """How strongly the text names what the candidate is about, from 0 to 1."""
    section: float
    """1 for a section of a page, else 0."""
    size: float
    """ln(1 + number of claims and sections that the viewer may see)."""
    shared: float
    """ln(1 + number of words of the text that the candidate holds, where names and files count as
    `NAME_WORDS` and `EXACT_WORDS`): a single shared word tells little.
    """
    passage: float
    """For a passage of a document that nobody worded as a claim, the same as `size`; else 0."""
    cosine: float | None = None
    """Its similarity in meaning to the text; None without a model, or if the model was too slow."""
    lead: float = 0.0
    """How much nearer in meaning it is than the next candidate."""

    @property
    def _fitted(self) -> tuple[float, Mapping[str, float]]:
        """The bias and the weights: those with meaning where a model heard the text."""
        bias, weights = BIAS, LIKELIHOOD_WEIGHTS
        if self.cosine is not None:
            bias, weights = BIAS_SEMANTIC, LIKELIHOOD_WEIGHTS_SEMANTIC
        return bias, {**weights, "passage": PASSAGE} if self.passage else weights

    @property
    def likelihood(self) -> float:
        """From 0 to 1, rounded to 3 places."""
        total = self._fitted[0] + sum(self.terms.values())
        return round(1 / (1 + exp(-total)), 3)

    @property
    def terms(self) -> Mapping[str, float]:
        """What each feature adds (value × weight)."""
        _, weights = self._fitted
        return {name: getattr(self, name) * weight + 0.0 for name, weight in weights.items()}

    def reason(self, words: Iterable[str]) -> str:
        """What decides, in a few words. `words` are those that the candidate holds."""
        shared, terms, others = " ".join(words), self.terms, round(exp(self.rivals)) - 1
        what = f"“{shared}”" if shared else "a name" if self.named else "its meaning"
        is_shared = others and terms["rivals"] <= terms["missing"]
        return f"{what} in common" + (f", as in {count(others, 'other')}" if is_shared else "")


UNJUDGED = Features(*[0.0] * 9)
"""Those of a candidate that was not compared with a text."""
