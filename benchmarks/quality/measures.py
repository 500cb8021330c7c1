"""Measures as ratios of sums over cases, with intervals by the bootstrap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

RESAMPLES = 500
_SEED = 20_260_101


@dataclass(frozen=True)
class Case:
    """What one case adds: for every measure a numerator and a denominator; what went wrong."""

    counts: dict[str, tuple[float, float]]
    wrong: list[str] = field(default_factory=list)


class Estimate(NamedTuple):
    """A figure with its 95 % interval; None where there is nothing to measure."""

    value: float | None
    low: float | None = None
    high: float | None = None


def ratio(name: str) -> Callable[[Sequence[Case]], float | None]:
    """A measure: the sum of its numerators over that of its denominators."""

    def measure(cases: Sequence[Case]) -> float | None:
        over = sum(case.counts[name][1] for case in cases if name in case.counts)
        return sum(c.counts[name][0] for c in cases if name in c.counts) / over if over else None

    return measure


def estimate(cases: Sequence[Case], measure: Callable[[Sequence[Case]], float | None]) -> Estimate:
    """A measure over cases, with the 2.5th and 97.5th percentile over resamples of the cases."""
    value = measure(cases)
    if value is None:
        return Estimate(None)
    random = Random(_SEED)
    drawn = (measure(random.choices(cases, k=len(cases))) for _ in range(RESAMPLES))
    values = sorted(v for v in drawn if v is not None)
    if not values:
        return Estimate(value)
    return Estimate(value, values[int(0.025 * len(values))], values[int(0.975 * len(values))])
