"""List the claims that are tied to files of the workspace."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from vouch_sidecar.kb.paths import path_in
from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.operations.artifacts import ClaimView, QuoteFresh, claim_view
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.table import Shown, by_collection
from vouch_sidecar.operations.wire import (
    EditorParams,
    Range,
    Result,
    Wire,
)
from vouch_sidecar.retrieval.files import WEAK, Tied, tied_to
from vouch_sidecar.workspace.ties import TieArm

MAX_PATHS = 1_000
PathText = Annotated[str, StringConstraints(min_length=1, max_length=4096)]


class FilesParams(EditorParams):
    """Files by their paths, or one by its URI."""

    paths: list[PathText] | None = Field(
        default=None,
        max_length=MAX_PATHS,
        description="Absolute, or relative to the knowledge base or its repository.",
    )


class TiedClaim(ClaimView):
    """A claim that is tied to a file."""

    collection: str
    arm: TieArm = Field(description="How it is tied.")
    strength: float = Field(description="How sure that is, from 0 to 1.")
    weak: bool = Field(description=f"Below {WEAK}: to be folded; prompts are never given it.")
    line: int | None = Field(description="From 1, where a receipt or the text gives one.")
    why: str = Field(description="For people, in a few words.")
    fresh: QuoteFresh


class TiedFile(Wire):
    """A file with its claims."""

    path: str = Field(description="Below the knowledge base, else as it was given.")
    claims: list[TiedClaim] = Field(description="Strongest first.")


class FilesResult(Result):
    """The claims tied to each file that was asked about."""

    files: list[TiedFile] = Field(default_factory=list, description="In the order asked.")


def answer(ask: OperationCall, params: FilesParams) -> FilesResult:
    params.check()
    paths, text = params.paths or [], None
    if params.uri is not None:
        paths = [path] if (path := path_in(params.uri)) else []
        text = None if ask.document is None else ask.document.source
    files: dict[str, TiedFile] = {}
    for path in paths:
        if any(view.deadline.has_passed() for view in ask.views):
            break
        file = _tied(ask, path, text, params.range)
        files.setdefault(file.path, file)
    return FilesResult(files=[*files.values()])


def _tied(ask: OperationCall, path: str, text: str | None, wanted: Range | None) -> TiedFile:
    """A file with the claims tied to it, those in the `wanted` lines first."""
    inside: str | None = None
    ties: list[Tied] = []
    for view in ask.views:
        if (there := view.world.path_here(path)) is not None:
            ties += tied_to(view, there, text)
            inside = inside or there

    def order(tied: Tied) -> tuple[object, ...]:
        line = tied.tie.line
        is_wanted = wanted and line is not None and wanted.start.line < line <= wanted.end.line + 1
        return (
            *(tied.is_weak, not is_wanted, -tied.tie.strength, line or 0),
            *(tied.claim.id, tied.view.collection),
        )

    return TiedFile(path=inside or one_line(path), claims=[*map(_row, sorted(ties, key=order))])


def _row(tied: Tied) -> TiedClaim:
    return TiedClaim(
        **dict(claim_view(tied.view, tied.claim)),
        collection=tied.view.collection,
        arm=tied.tie.arm,
        strength=tied.tie.strength,
        weak=tied.is_weak,
        line=tied.tie.line,
        why=tied.why,
        fresh=tied.fresh,
    )


def table(result: FilesResult) -> list[Shown]:
    claims = [(file.path, claim) for file in result.files for claim in file.claims]
    cells = [
        (
            *(path, claim.id, claim.collection),
            "; ".join(filter(None, ["weak" if claim.weak else "", claim.why, claim.stale])),
            claim.said,
        )
        for path, claim in claims
    ]
    return [
        by_collection(
            len({claim.collection for _, claim in claims}) > 1,
            {
                "file": "key",
                "claim": "key",
                "collection": "whole",
                "why": "short",
                "text": "text",
            },
            cells,
        ),
    ]


OPERATION = Operation(
    name="files",
    summary="The claims tied to files of the workspace, and why.",
    params=FilesParams,
    result=FilesResult,
    run=answer,
    when="Call it with the paths of files before changing them, to learn which reviewed claims "
    "concern them. Not for a topic: kb_context and kb_search find by words.",
    example={"paths": ["docs/incidents/INC-118.md"]},
    table=table,
    nothing="No claim is tied to these files; folders are not looked into.",
    is_long=True,
    needs=frozenset({"ties"}),
)
