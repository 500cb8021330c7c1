"""What one process was asked and gave: numbers in memory, never a text."""

from __future__ import annotations

from collections import defaultdict, deque
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
        self.prompts = 0
        """Prompts that hooks reported."""
        self.told = 0
        """Of these, those to which something was said."""
        self.lines = 0
        """Lines that were given to sessions, once each."""
        self.phrases = 0
        """Phrases that texts were probed for."""
        self.from_cache = 0
        """Of these, those that the session remembered."""
        self.timings: defaultdict[str, Timing] = defaultdict(Timing)

    def count_prompt(self, is_told: bool) -> None:
        """Count a prompt."""
        self.prompts += 1
        self.told += is_told

    def count_phrases(self, tested: int, known: int) -> None:
        """Count the phrases of a probed text, and those that the session remembered."""
        self.phrases += tested
        self.from_cache += known

    def count_call(self, operation: str, seconds: float) -> None:
        """Record the duration of one call."""
        timing = self.timings[operation]
        timing.count += 1
        timing.latest.append(seconds * 1000)
