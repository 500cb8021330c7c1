"""The numbers by which rankings order and weigh claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vouch_sidecar.kb.records import Claim

DAY = 86_400.0
HALF_LIFE_DAYS = 30.0
MICROSECONDS = 1_000_000
_SECONDS_BITS, _CITATIONS_BITS, _CONFIDENCE_BITS = 34, 8, 20
"""The bits of each part of `worth`: dates up to the year 2514, 255 citations, confidence to a
millionth.
"""
UNDATED = 2**62
"""The value of `at` for a claim without a date. It counts as of age 0, as does a claim from the
future.
"""


def worth(claim: Claim) -> int:
    """A number that orders claims when no text does, greatest first: contested claims come last;
    the others are ordered by confidence, then number of citations, then date.
    """
    number = int(claim.status != "contested")
    for value, bits in (
        (round(claim.confidence * 10**6), _CONFIDENCE_BITS),
        (len(set(claim.evidence)), _CITATIONS_BITS),
        (int(claim.date or 0.0), _SECONDS_BITS),
    ):
        number = number << bits | max(0, min(value, 2**bits - 1))
    return number


def confirmed_at(claim: Claim) -> float | None:
    """The time that a claim's age is counted from: when it was confirmed, else when it was
    updated.
    """
    return claim.updated_at if claim.last_confirmed_at is None else claim.last_confirmed_at


def in_microseconds(confirmed: float | None) -> int:
    """When a claim was confirmed, as the index stores it."""
    if confirmed is None:
        return UNDATED
    return max(-UNDATED, min(int(confirmed * MICROSECONDS), UNDATED))
