"""Show how much this process was asked and gave, how fast."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from pydantic import Field

from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.table import Shown, Table
from vouch_sidecar.operations.wire import Params, Result, Wire


class OperationStats(Wire):
    """How long one operation took: the latest thousand calls."""

    operation: str
    count: int = Field(description="Calls since the process began.")
    p50_ms: float = Field(description="Median.")
    p95_ms: float = Field(description="95th percentile.")


class StatsResult(Result):
    """Figures of this process since it began, kept in memory; none of them is a text."""

    prompts: int = Field(default=0, description="Prompts that hooks reported.")
    told: int = Field(default=0, description="Of these, those to which something was said.")
    silent: int = 0
    lines: int = Field(default=0, description="Lines given, in blocks for prompts and files.")
    phrases: int = Field(default=0, description="Phrases that texts were probed for.")
    from_cache: int = Field(default=0, description="Of these, those that a session remembered.")
    operations: list[OperationStats] = Field(default_factory=list)


def answer(ask: OperationCall, _: Params) -> StatsResult:
    stats, counts = ask.engine.stats, ask.engine.stats.counts
    return StatsResult(
        prompts=counts["prompts"],
        told=counts["told"],
        silent=counts["prompts"] - counts["told"],
        lines=counts["lines"],
        phrases=counts["phrases"],
        from_cache=counts["from_cache"],
        operations=[
            OperationStats(
                operation=name,
                count=stats.calls[name],
                p50_ms=_percentile(latest, 50),
                p95_ms=_percentile(latest, 95),
            )
            for name, latest in sorted(stats.latest.items())
        ],
    )


def _percentile(numbers: Iterable[float], percent: int) -> float:
    """The nearest-rank percentile."""
    ranked = sorted(numbers)
    return round(ranked[ceil(len(ranked) * percent / 100) - 1], 3)


FIGURES = ("prompts", "told", "silent", "lines", "phrases", "from_cache")


def table(result: StatsResult) -> list[Shown]:
    return [
        Table(
            dict.fromkeys(FIGURES, "number"),
            [[getattr(result, name) for name in FIGURES]],
            "process",
        ),
        Table(
            {"operation": "key", "count": "number", "p50_ms": "number", "p95_ms": "number"},
            [(each.operation, each.count, each.p50_ms, each.p95_ms) for each in result.operations],
            "operation",
        ),
    ]


OPERATION = Operation(
    name="stats",
    summary="What this process was asked and gave, and how long operations took.",
    params=Params,
    result=StatsResult,
    run=answer,
    when="Call it when settings are tuned and figures are needed for that. Not needed in ordinary "
    "work.",
    example={},
    table=table,
)
