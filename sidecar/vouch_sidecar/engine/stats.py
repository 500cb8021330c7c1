"""What one process was asked and gave: numbers in memory, never a text."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from math import ceil

LATEST = 1000


@dataclass(slots=True)
class Timing:
    """How long the latest calls of one operation took, in milliseconds."""

    count: int = 0
    latest: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))

    def percentile(self, percent: int) -> float:
        """The nearest-rank percentile in milliseconds. Raises IndexError without a call."""
        ranked = sorted(self.latest)
        return round(ranked[max(0, ceil(len(ranked) * percent / 100) - 1)], 3)


class Stats:
    """Counts since the process started."""

    def __init__(self) -> None:
        self.counts = Counter[str]()
        """By the name of the field of `StatsResult`."""
        self.timings: defaultdict[str, Timing] = defaultdict(Timing)

    def count_call(self, operation: str, seconds: float) -> None:
        """Record the duration of one call."""
        timing = self.timings[operation]
        timing.count += 1
        timing.latest.append(seconds * 1000)
