"""What one process was asked and gave: numbers in memory, never a text."""

from __future__ import annotations

from collections import Counter, defaultdict, deque

LATEST = 1000


class Stats:
    """Counts since the process started."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        """By the name of the field of `StatsResult`."""
        self.calls = Counter[str]()
        """By operation."""
        self.latest = defaultdict[str, deque[float]](lambda: deque(maxlen=LATEST))
        """The milliseconds that the latest calls of each operation took."""

    def count_call(self, operation: str, seconds: float) -> None:
        """Record the duration of one call."""
        self.calls[operation] += 1
        self.latest[operation].append(seconds * 1000)
