"""A score from 0 to 1, with the terms that make it up and how to show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Score(NamedTuple):
    """A value from 0 to 1. `terms` gives, by name, the factors of a product or the parts of a sum;
    `reason` says in a few words what decides it.
    """

    value: float
    terms: Mapping[str, float]
    reason: str = ""

    def sentence(self, needs: float = 0.0) -> str:
        """The score for people: `0.21, needs 0.40: only “rounding” in common`. `needs` is the least
        value at which there would have been a result.
        """
        short = self.value < needs
        digits = 3 if short and f"{self.value:.2f}" == f"{needs:.2f}" else 2
        limit = f", needs {needs:.{digits}f}" if short else ""
        return f"{self.value:.{digits}f}{limit}" + (f": {self.reason}" if self.reason else "")
