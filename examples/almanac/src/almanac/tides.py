"""Heights and times of the tide at a port."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import cos

CACHE_DAYS = 370


@dataclass(frozen=True)
class TideTable:
    """What a port's harmonic constants say of its tides."""

    port: str
    constants: tuple[tuple[float, float, float], ...]

    def height(self, at: datetime) -> int:
        """Millimetres above chart datum."""
        hours = at.timestamp() / 3600
        return round(sum(size * cos(speed * hours - lag) for size, speed, lag in self.constants))


def next_high_water(table: TideTable, after: datetime) -> datetime:
    """The next time at which the water stands higher than a minute before and after."""
    if after.tzinfo is None:
        raise ValueError("a time without a zone")
    minutes = [after + timedelta(minutes=n) for n in range(25 * 60)]
    heights = [table.height(at) for at in minutes]
    peaks = zip(minutes[1:], heights, heights[1:], heights[2:], strict=False)
    return next(at for at, before, now, then in peaks if before < now >= then)
