"""Samples of a duration or of memory, and what is told of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """Median and 95th percentile of samples; in seconds, or in bytes."""

    median: float
    p95: float

    @classmethod
    def of(cls, samples: Iterable[float]) -> Figure:
        ranked = sorted(samples)
        at = max(0, -(-95 * len(ranked) // 100) - 1)
        return cls(statistics.median(ranked), ranked[at])


Figures = dict[str, Figure]
"""By the name that a row of the table knows."""


def timed(work: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
