"""Builds the Delivery Tracker's own table from parcel_events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Scan(NamedTuple):
    """One event of the topic; `id` is the scanner's, the same id twice is one event."""

    id: str
    parcel: str
    state: str


def latest(scans: Iterable[Scan]) -> dict[str, str]:
    """State of every parcel, in the order in which its events stand in the topic."""
    seen: set[str] = set()
    states: dict[str, str] = {}
    for scan in scans:
        if scan.id not in seen:
            seen.add(scan.id)
            states[scan.parcel] = scan.state
    return states
