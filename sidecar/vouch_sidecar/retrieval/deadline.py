"""The time that a question has. Whatever was found by then is the answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf

__all__ = ["Deadline"]


class Deadline:
    """Shared by everything that works on one question. `cut` says that something was left out."""

    def __init__(self, until: float = inf, clock: Callable[[], float] = time.monotonic) -> None:
        """`until` is in seconds on the clock."""
        self.cut = False
        self._until = until
        self._clock = clock

    @property
    def left(self) -> float:
        """Seconds until it passes."""
        return self._until - self._clock()

    def has_passed(self) -> bool:
        """Whether to stop. To be asked between one candidate and the next."""
        self.cut = self.cut or self._clock() >= self._until
        return self.cut
