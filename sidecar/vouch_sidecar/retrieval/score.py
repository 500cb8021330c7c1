"""A score: its value, the terms that make it, and how both are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Score(NamedTuple):
    """A value from 0 to 1. `terms`: by name, the factors of a product or the parts of a sum.
    `reason`: what decides it, in a few words.
    """

    value: float
    terms: Mapping[str, float]
    reason: str = ""

    def sentence(self, needs: float = 0.0) -> str:
        """For people: `0.21, needs 0.40: only “rounding” in common`. `needs`: the least value with
        which something would have come of it.
        """
        short = self.value < needs
        digits = 3 if short and f"{self.value:.2f}" == f"{needs:.2f}" else 2
        limit = f", needs {needs:.{digits}f}" if short else ""
        return f"{self.value:.{digits}f}{limit}" + (f": {self.reason}" if self.reason else "")
