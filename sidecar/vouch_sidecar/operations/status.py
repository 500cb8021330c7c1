"""Show the knowledge bases found and how they are."""

from __future__ import annotations

from operator import attrgetter
from typing import Literal

from pydantic import Field

from vouch_sidecar.engine import Served, health
from vouch_sidecar.engine.faults import WATCH
from vouch_sidecar.kb.artifact_files import CONFIG
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.table import ColumnKind, Shown, Table, Words
from vouch_sidecar.operations.wire import Params, Result, Wire, absent, iso
from vouch_sidecar.version import __version__


class Counts(Wire):
    """Artifacts that are served, by kind."""

    claims: int
    entities: int
    pages: int
    relations: int
    sources: int
    evidence: int


class ProblemView(Wire):
    """Something wrong with a file, a setting, or with following the disk."""

    path: str = Field(description="Relative to `.vouch/`; empty for what is about no file.")
    line: int = Field(ge=1)
    severity: Literal["error", "warning", "hint"] = Field(
        description="error: what the file or the setting says does not count."
    )
    code: str = Field(description="The rule that found it; stays the same.")
    message: str


class RootStatus(Wire):
    """One knowledge base."""

    root: str = Field(description="The folder that holds `.vouch/`.")
    collection: str = Field(description="What it is called in answers.")
    counts: Counts
    topics: int | None = absent("Present where names that nobody declared are topics: how many.")
    unusable: int = Field(
        ge=0,
        description="Files below `.vouch/` whose artifacts are missing in answers.",
    )
    problems: list[ProblemView] = Field(
        description="By file and line; to a model those of settings alone. `vouch-sidecar check` "
        "finds more."
    )
    indexed_at: str | None = Field(description="When the index was last changed; ISO 8601.")
    paused_until: str | None = Field(description="As `vouch/pause` has it.")


class StatusResult(Result):
    """What this process serves, and how it is."""

    roots: list[RootStatus] = Field(
        default_factory=list, description="The knowledge bases, in the order of their folders."
    )
    refused: list[str] = Field(
        default_factory=list,
        description="Knowledge bases of other users, and how to allow them.",
    )
    sessions: int = Field(description="Sessions with a window.")
    watcher: Literal["own", "sweep", "none"] = Field(
        description="How changes on disk are noticed first."
    )
    version: str


def answer(ask: OperationCall, _: Params) -> StatusResult:
    lost = [WATCH in collection.faults for collection in ask.engine.registry.collections.values()]
    return StatusResult(
        roots=[_root_status(ask, kb) for kb in ask.served],
        refused=ask.engine.registry.refused,
        sessions=sum(
            any(kb.window(session).texts for kb in ask.served) for session in ask.engine.sessions
        ),
        watcher=("sweep" if all(lost) else "own") if lost else "none",
        version=__version__,
    )


def _root_status(ask: OperationCall, served: Served) -> RootStatus:
    collection, view = served.collection, served.view
    problems = health.problems_of(ask.engine, collection)
    # Of files people and programs are told, not models.
    told = [one for one in problems if one.path in ("", CONFIG) or not ask.caller.is_model]
    return RootStatus(
        root=printable(str(collection.root)),
        collection=collection.name,
        counts=Counts(
            claims=view.number_of(Kind.CLAIM),
            entities=view.number_of(Kind.ENTITY),
            pages=view.number_of(Kind.PAGE),
            relations=view.number_of(Kind.RELATION),
            sources=view.number_of(Kind.SOURCE),
            evidence=view.number_of(Kind.EVIDENCE),
        ),
        topics=len(view.derived) or None,
        unusable=collection.on_disk.skipped,
        problems=[
            ProblemView.model_validate(problem, from_attributes=True, strict=False)
            for problem in sorted(told, key=attrgetter("path", "line", "column"))
        ],
        indexed_at=iso(collection.published.indexed_at),
        paused_until=iso(collection.paused_until()),
    )


def problems_in(root: RootStatus) -> int:
    """How many problems a knowledge base has, hints left out, as `check` counts."""
    return sum(problem.severity != "hint" for problem in root.problems)


def table(result: StatusResult) -> list[Shown]:
    numbers = (*Counts.model_fields, "topics", "problems", "unusable", "paused_until")
    columns: dict[str, ColumnKind] = {"collection": "key", "root": "whole"}
    cells = [
        (
            *(root.collection, root.root, *root.counts.model_dump().values(), root.topics or 0),
            *(problems_in(root), root.unusable, root.paused_until),
        )
        for root in result.roots
    ]
    return [
        Table(columns | dict.fromkeys(numbers, "number"), cells),
        *(Words(f"not served: {sentence}", "yellow") for sentence in result.refused),
        *([] if result.roots else [Words("No knowledge base here.", to="model")]),
        *(
            [Words("`vouch-sidecar check` lists the problems, and what is wrong between files")]
            if any(problems_in(root) for root in result.roots)
            else []
        ),
    ]


OPERATION = Operation(
    name="status",
    summary="The knowledge bases that are served, and their problems.",
    params=Params,
    result=StatusResult,
    run=answer,
    when="Call it when answers are empty or out of date without a reason: it lists the knowledge "
    "bases served and the problems of their files. Not needed in ordinary work.",
    example={},
    table=table,
    needs=frozenset({"ties", "topics"}),
)
