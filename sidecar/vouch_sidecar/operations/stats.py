"""Show what agents were given and used, and how long calls took."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import Field

from vouch_sidecar.engine.callers import Served
from vouch_sidecar.engine.ledger import SHOWN_DAYS, UsageLedger
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.printer import ColumnKind, Printer
from vouch_sidecar.operations.wire import Params, Result, Wire

MAX_UNUSED = 10
CHARS_A_TOKEN = 4


class OperationStats(Wire):
    """How long one operation took: the latest thousand calls."""

    operation: str
    count: int = Field(description="Calls since the process began.")
    p50_ms: float = Field(description="Median.")
    p95_ms: float = Field(description="95th percentile.")


class UnusedLine(Wire):
    """A claim or page of which every line that was given since the process began went unused."""

    id: str
    given: int = Field(description="Lines about it that were given.")


class LedgerTotals(Wire):
    """What agents were given of one knowledge base in the last 30 days, and used: an estimate."""

    collection: str
    prompts: int = Field(description="Prompts that a hook reported.")
    told: int = Field(description="Of these, those to which something was said.")
    silent: int
    lines: int = Field(description="Lines given, in blocks for prompts and files.")
    characters: int = Field(description="Characters of these lines.")
    used: int | None = Field(
        description="Of the lines, those that an answer used. Null: no answer was read."
    )
    judged: int = Field(description="Lines after which an answer was read.")
    dismissed: int = Field(description="Lines that a reader waved away.")
    opened: int = Field(description="Files of claims that were opened in an editor.")
    stale: int = Field(description="Lines of claims that were marked stale when given.")
    unused: list[UnusedLine] = Field(
        description="Lines that were never used since the process began, the most given first."
    )


class StatsResult(Result):
    """Figures, none of them text: of the last 30 days, and since the process began."""

    ledger: list[LedgerTotals] = Field(default_factory=list)
    operations: list[OperationStats] = Field(default_factory=list)


def answer(ask: OperationCall, _: Params) -> StatsResult:
    return StatsResult(
        ledger=[_totals(ask, kb) for kb in ask.served],
        operations=[
            OperationStats(
                operation=name,
                count=timing.count,
                p50_ms=timing.percentile(50),
                p95_ms=timing.percentile(95),
            )
            for name, timing in sorted(ask.engine.stats.timings.items())
        ],
    )


def _totals(ask: OperationCall, served: Served) -> LedgerTotals:
    engine, collection = ask.engine, served.collection
    ledger = engine.usage.kept(collection.root)
    if ledger is None:
        ledger = UsageLedger.of(collection.root, engine.env, engine.now)
    latest, given = ledger.latest(), ledger.unused()
    kinds = (Kind.CLAIM, Kind.PAGE)
    seen = [
        artifact_id
        for artifact_id in given
        if any(served.view.visible.artifact((kind, artifact_id)) for kind in kinds)
    ]
    return LedgerTotals(
        **asdict(latest)
        | {
            "collection": served.view.collection,
            "silent": latest.prompts - latest.told,
            "used": latest.used if latest.judged else None,
            "unused": [
                UnusedLine(id=line_id, given=given[line_id]) for line_id in seen[:MAX_UNUSED]
            ],
        }
    )


def sentence(days: LedgerTotals) -> str:
    """The totals in words."""
    used = "use unknown" if days.used is None else f"{days.used} used"
    if days.used is not None and days.judged < days.lines:
        used += f" of the {days.judged} after which an answer was read"
    return (
        f"last {SHOWN_DAYS} days: {count(days.prompts, 'prompt')}, {days.told} told something; "
        f"{count(days.lines, 'line')} (about {days.characters // CHARS_A_TOKEN:,} tokens), {used}, "
        f"{days.dismissed} dismissed, {days.stale} stale"
    )


def _show_ledger(page: Printer, totals: list[LedgerTotals]) -> None:
    for each in totals:
        page.line(*([f"{each.collection}:"] if len(totals) > 1 else []), sentence(each))
        unused = ", ".join(f"{line.id} ({line.given})" for line in each.unused)
        if unused:
            page.line(f"never used since this process began (times given): {unused}")
    page.space()
    if page.on_terminal:
        return
    figures = [each.model_dump(exclude={"unused"}) for each in totals]
    columns: dict[str, ColumnKind] = dict.fromkeys(LedgerTotals.model_fields, "number")
    del columns["unused"]
    page.table(columns, [list(each.values()) for each in figures], "ledger")
    lines = [(each.collection, line.id, line.given) for each in totals for line in each.unused]
    page.table({"collection": "whole", "id": "key", "given": "number"}, lines, "unused")


def show(page: Printer, result: StatsResult) -> None:
    _show_ledger(page, result.ledger)
    timings = [
        (operation.operation, operation.count, operation.p50_ms, operation.p95_ms)
        for operation in result.operations
    ]
    page.table(
        {"operation": "key", "count": "number", "p50_ms": "number", "p95_ms": "number"},
        timings,
        "operation",
    )


OPERATION = Operation(
    name="stats",
    summary="What agents were given and used, and how long operations took.",
    params=Params,
    result=StatsResult,
    run=answer,
    when="Call it when settings are tuned and figures are needed for that. Not needed in ordinary "
    "work.",
    example={},
    show=show,
)
