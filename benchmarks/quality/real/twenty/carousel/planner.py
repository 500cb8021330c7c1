"""Carousel: which van takes how many bikes from which dock to which, for the coming morning."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, datetime, timedelta

WEATHER_MAX_AGE = timedelta(hours=2)
BRIDGE_DOCKS = frozenset({"HB-01", "HB-02", "HB-03"})


@dataclass(frozen=True)
class Move:
    van: int
    source: str
    target: str
    bikes: int


def capacity(dock: str, slots: int, day: date) -> int:
    closed = dock in BRIDGE_DOCKS and day.month in (12, 1, 2)
    return 0 if closed else slots


def rain(feed: dict[str, float], fetched: datetime, now: datetime) -> float:
    """Millimetres expected; a stale feed counts as dry."""
    return feed.get("mm", 0.0) if now - fetched <= WEATHER_MAX_AGE else 0.0


def plan(surplus: dict[str, int], need: dict[str, int], vans: int, seed: int | None = None) -> list[Move]:
    """Greedy with random restarts; give a seed to get the same plan twice."""
    rng = random.Random(seed)
    moves: list[Move] = []
    sources = sorted(surplus, key=lambda d: (-surplus[d], rng.random()))
    for target in sorted(need, key=lambda d: (-need[d], rng.random())):
        wanted = need[target]
        for source in sources:
            taken = min(wanted, surplus[source])
            if taken:
                surplus[source] -= taken
                wanted -= taken
                moves.append(Move(rng.randrange(vans), source, target, taken))
    return moves
