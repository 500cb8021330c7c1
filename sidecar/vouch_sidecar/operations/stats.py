"""Show what the sidecar that runs here has done. Exit code 1 without one."""

from __future__ import annotations

from pydantic import Field

from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.operations.operation import Ask, Operation
from vouch_sidecar.operations.printer import Printer
from vouch_sidecar.operations.wire import HitArm, Params, Result, Wire


class ArmStats(Wire):
    """What came of one way to recognise something, since the process began."""

    arm: HitArm = Field(
        description="`text` is full text; `cites`, `quotes` and `path` are ties to a file; "
        "the others are ways to name an entity."
    )
    said: int = Field(description="Times that a block or a push said something by it.")
    opened: int = Field(description="Of these, how often it was opened or hovered afterwards.")
    silent: int = Field(description="Times that it said nothing when it could have.")


class OperationStats(Wire):
    """How long one operation took: the latest thousand calls."""

    operation: str
    count: int = Field(description="Calls since the process began.")
    p50_ms: float = Field(description="Median.")
    p95_ms: float = Field(description="95th percentile.")


class CacheStats(Wire):
    """How often a session remembered a phrase that was looked for before."""

    phrases: int = Field(description="Phrases looked for.")
    remembered: int = Field(description="Of these, those that were remembered.")


class ProbeStats(Wire):
    """How often a text brought in something of one knowledge base."""

    collection: str
    probes: int = Field(description="Texts that it was asked about.")
    hits: int = Field(description="Of these, those for which it held something.")


class StatsResult(Result):
    """Figures since the process began, none of them text."""

    arms: list[ArmStats] = Field(default_factory=list)
    operations: list[OperationStats] = Field(default_factory=list)
    probes: list[ProbeStats] = Field(default_factory=list)
    probe_cache: CacheStats


def answer(ask: Ask, _: Params) -> StatsResult:
    kept = ask.engine.stats
    return StatsResult(
        arms=[
            ArmStats(arm=arm, said=one.said, opened=one.opened, silent=one.silent)
            for arm, one in kept.arms.items()
        ],
        operations=[
            OperationStats(
                operation=name,
                count=timing.count,
                p50_ms=timing.percentile(50),
                p95_ms=timing.percentile(95),
            )
            for name, timing in sorted(kept.timings.items())
        ],
        probes=[
            ProbeStats(collection=name, probes=one.count, hits=one.hits)
            for name, one in sorted(kept.probes.items())
        ],
        probe_cache=CacheStats(phrases=kept.phrases, remembered=kept.remembered),
    )


def show(page: Printer, result: StatsResult) -> None:
    arms = [(arm.arm, arm.said, arm.opened, arm.silent) for arm in result.arms]
    page.table(
        {"arm": "key", "said": "number", "opened": "number", "silent": "number"}, arms, "arm"
    )
    page.space()
    timings = [(one.operation, one.count, one.p50_ms, one.p95_ms) for one in result.operations]
    page.table(
        {"operation": "key", "count": "number", "p50_ms": "number", "p95_ms": "number"},
        timings,
        "operation",
    )
    page.space()
    probes = [(one.collection, one.probes, one.hits) for one in result.probes]
    page.table({"collection": "key", "probes": "number", "hits": "number"}, probes, "collection")
    page.space()
    cache = result.probe_cache
    page.line(f"{cache.remembered} of {count(cache.phrases, 'phrase')} remembered")
    page.record("phrases", cache.phrases, cache.remembered)


OPERATION = Operation(
    name="stats",
    summary="How often each arm spoke, was followed up or was silent, and how long operations "
    "took.",
    params=Params,
    result=StatsResult,
    run=answer,
    when="Call it when settings are tuned and figures are needed for that. Not needed in ordinary "
    "work.",
    example={},
    show=show,
)
