"""Show the knowledge bases found and how they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from vouch_sidecar import __version__
from vouch_sidecar.engine import Served
from vouch_sidecar.kb.plain import one_line, printable, with_field
from vouch_sidecar.kb.records import Kind, Problem
from vouch_sidecar.operations.artifacts import iso
from vouch_sidecar.operations.base import Params, Result, Wire
from vouch_sidecar.operations.gist import count, rows
from vouch_sidecar.operations.operation import Ask, Operation

if TYPE_CHECKING:
    from vouch_sidecar.operations.page import Page

__all__ = ["OPERATION", "ProblemView", "RootStatus", "StatusResult", "show_problems"]

SINGULAR = {
    "claims": "claim",
    "entities": "entity",
    "pages": "page",
    "relations": "relation",
    "sources": "source",
    "evidence": "evidence",
}


class Counts(Wire):
    """Artifacts that are served, by kind."""

    claims: int
    entities: int
    pages: int
    relations: int
    sources: int
    evidence: int


class ProblemView(Wire):
    """Something wrong with one file, with a setting from elsewhere, or with following the disk."""

    path: str = Field(
        description="Relative to `.vouch/`; empty for settings of the client or the environment, "
        "and for what fails at the moment."
    )
    line: int = Field(ge=1)
    column: int = Field(ge=1, description="In characters.")
    field: str | None = Field(description="Dotted name of the field, where it is about one.")
    severity: Literal["error", "warning"] = Field(
        description="error: what the file or the setting says does not count."
    )
    message: str


class RootStatus(Wire):
    """One knowledge base."""

    root: str = Field(description="The folder that holds `.vouch/`.")
    collection: str = Field(description="What it is called in answers.")
    counts: Counts
    problems: list[ProblemView] = Field(description="By file and line.")
    indexed_at: str | None = Field(description="When the index was last changed; ISO 8601.")


class StatusResult(Result):
    """What this process serves, and how it is."""

    roots: list[RootStatus] = Field(
        default_factory=list, description="The knowledge bases, in the order of their folders."
    )
    sessions: int = Field(description="Sessions with a window.")
    watcher: Literal["client", "own", "sweep", "none"] = Field(
        description="How changes on disk are noticed first; the sweep runs beside the others."
    )
    version: str


def answer(ask: Ask, _: Params) -> StatusResult:
    return StatusResult(
        roots=[_root_status(ask, one) for one in ask.served],
        sessions=len(ask.engine.sessions),
        watcher=ask.engine.watching,
        version=__version__,
    )


def _root_status(ask: Ask, served: Served) -> RootStatus:
    collection, view = served.collection, served.view
    problems = ask.engine.problems(ask.caller, collection)
    return RootStatus(
        root=printable(str(collection.root)),
        collection=collection.name,
        counts=Counts(
            claims=view.count(Kind.CLAIM),
            entities=view.count(Kind.ENTITY),
            pages=view.count(Kind.PAGE),
            relations=view.count(Kind.RELATION),
            sources=view.count(Kind.SOURCE),
            evidence=view.count(Kind.EVIDENCE),
        ),
        problems=[
            _problem(problem)
            for _, found in sorted(problems.items())
            for problem in sorted(found, key=lambda one: (one.line, one.column))
        ],
        indexed_at=iso(collection.indexed_at),
    )


def _problem(problem: Problem) -> ProblemView:
    return ProblemView(
        path=problem.path,
        line=problem.line,
        column=problem.column,
        field=problem.field,
        severity=problem.severity.value,
        message=problem.message,
    )


def gist(result: StatusResult) -> list[str]:
    lines = [
        f"{one_line(root.collection)} at {one_line(root.root)}: "
        f"{count(root.counts.claims, 'claim')}, "
        f"{count(root.counts.entities, 'entity', 'entities')}, "
        f"{count(len(root.problems), 'problem')}"
        for root in result.roots
    ]
    return rows(lines, "No knowledge base here.")


def show(page: Page, result: StatusResult) -> None:
    if not result.roots:
        page.nothing("No knowledge base found.")
    for root in result.roots:
        page.line((root.collection, "bold"), root.root)
        counts = (
            f"{number} {SINGULAR[kind] if number == 1 else kind}" for kind, number in root.counts
        )
        page.line(", ".join(counts))
        page.line(count(len(root.problems), "problem"))


def show_problems(page: Page, problems: Sequence[ProblemView]) -> None:
    """Print what is wrong with files and settings."""
    if not problems:
        page.nothing("No problems.")
    for problem in problems:
        place = f"{problem.path}:{problem.line}:{problem.column}" if problem.path else "settings"
        colour = "red" if problem.severity == "error" else "yellow"
        message = with_field(problem.field, problem.message)
        page.line((place, "bold"), (problem.severity, colour), message, whole=True)


OPERATION = Operation(
    name="status",
    summary="The knowledge bases that are served, and their problems.",
    params=Params,
    result=StatusResult,
    run=answer,
    when="Call it when answers are empty or out of date without a reason: it lists the knowledge "
    "bases served and the problems of their files. Not needed in ordinary work.",
    example={},
    gist=gist,
    show=show,
)
