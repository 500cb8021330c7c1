"""The numbers by which rankings order claims and add them up, as the index stores them. A new
one is one line of `COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from vouch_sidecar.kb.records import Claim

DAY = 86_400.0
HALF_LIFE_DAYS = 30.0
FRESH_FROM = 1_767_225_600.0
"""2026-01-01 in Unix seconds. Stored freshness is relative to this day; a query multiplies it by
one constant.
"""
_FRESH_POWERS = 1_000.0
"""Freshness stays the same beyond this many half-lives before or after `FRESH_FROM`."""
CITED_UNIT = 10**9
"""The factor that makes confidence × number of citations an integer, so that sums are exact."""
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


def freshness(confirmed: float | None) -> float:
    """By how many half-lives a claim is younger than `FRESH_FROM`, as a power of two; 0 for a claim
    without a date.
    """
    if confirmed is None:
        return 0.0
    half_lives = (confirmed - FRESH_FROM) / DAY / HALF_LIFE_DAYS
    return float(2.0 ** max(-_FRESH_POWERS, min(half_lives, _FRESH_POWERS)))


def in_microseconds(confirmed: float | None) -> int:
    """When a claim was confirmed, as the index stores it."""
    if confirmed is None:
        return UNDATED
    return max(-UNDATED, min(int(confirmed * MICROSECONDS), UNDATED))


class Column(NamedTuple):
    """A number of every claim that rankings add up or compare."""

    name: str
    unit: type[int] | type[float]
    of: Callable[[Claim], int | float]


COLUMNS = (
    Column("worth", int, worth),
    Column("cited", int, lambda c: round(len(set(c.evidence)) * c.confidence * CITED_UNIT)),
    Column("fresh", float, lambda claim: freshness(confirmed_at(claim))),
    Column("at", int, lambda claim: in_microseconds(confirmed_at(claim))),
)
