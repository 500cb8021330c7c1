"""Keeps one depot from crowding out the others on Relay."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

RATE = 300.0
"""Scans a second that a depot may send. RFC 021."""

BURST = 1_200.0


@dataclass
class RateLimiter:
    """A token bucket for each depot, in the memory of one Relay instance."""

    tokens: dict[str, tuple[float, float]] = field(default_factory=dict)

    def allow(self, depot: str, scans: int = 1) -> bool:
        """Whether a depot may send so many scans now; otherwise Relay answers 429."""
        now = time.monotonic()
        left, seen = self.tokens.get(depot, (BURST, now))
        left = min(BURST, left + (now - seen) * RATE)
        allowed = left >= scans
        self.tokens[depot] = (left - scans if allowed else left, now)
        return allowed
