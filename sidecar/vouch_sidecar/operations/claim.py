"""Show a claim with its citations, pages and relations."""

from __future__ import annotations

from pydantic import Field

from vouch_sidecar.kb.discovery import KB_DIRNAME
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.kb.sanitize import clip
from vouch_sidecar.operations.artifacts import (
    ArtifactResult,
    Citation,
    ClaimView,
    IdParams,
    around,
    claim_view,
    find,
    shown_around,
)
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.people import people_shown
from vouch_sidecar.operations.table import CELL_CHARS, FileUri, Shown, Table, Words, labelled
from vouch_sidecar.retrieval.lookup import contradicting

WITHOUT_CONTEXT = (
    "a part of a sentence or an item of a list, without what stands around it, which may turn it "
    "round: read its source"
)


class ClaimResult(ArtifactResult):
    """A claim with what it stands on."""

    claim: ClaimView
    approved_by: str | None = Field(description="As the claim gives it.")
    auto_approved: bool = Field(description="Whether a checked receipt approved it, and no person.")
    contested_by: list[ClaimView] = Field(
        description="Live, visible claims that it contradicts, or that contradict it."
    )


def answer(ask: OperationCall, params: IdParams) -> ClaimResult:
    view, claim = find(ask, Kind.CLAIM, params.id)
    assert isinstance(claim, Claim)
    return ClaimResult(
        claim=claim_view(view, claim),
        approved_by=claim.approved_by,
        auto_approved=not view.is_reviewed(claim),
        contested_by=[claim_view(view, other) for other in contradicting(view, claim)],
        **around(view, claim),
    )


def table(result: ClaimResult) -> list[Shown]:
    claim, file = result.claim, FileUri(result.claim.uri)
    confidence, date = f"{claim.confidence:g}", (claim.date or "")[:10]
    record = ("claim", claim.id, claim.type, claim.status, confidence, date, file, claim.text)
    lacks = WITHOUT_CONTEXT if claim.lacks_context else None
    who = "its receipt" if result.auto_approved else result.approved_by
    facts = claim.facts.removesuffix(f" · {claim.stale}")  # which has a line of its own
    return [
        Words(claim.text, "bold", record),
        Words(f"{claim.id} · {claim.type} · {facts}"),
        Words(f"in {result.collection}", to="model"),
        Words(f"sentence: {claim.said}" if claim.said != claim.text else ""),
        *labelled("lacks_context", [lacks], "{}", "yellow"),
        Words(file),
        *labelled("stale", [claim.stale], "{}", "yellow"),
        *(
            Words(
                f"contradicted by {other.id}: {clip(other.said, CELL_CHARS)}",
                "yellow",
                ("contested_by", other.id, other.said),
            )
            for other in result.contested_by
        ),
        *labelled("approved_by", [who], "approved by {}"),
        *labelled("entities", claim.entities, "entities: {}"),
        *labelled("tags", claim.tags, "tags: {}"),
        Table(
            {"citation": "key", "kind": "whole", "place": "whole", "title and quote": "text"},
            [*map(_cells, claim.citations)],
            "citation",
        ),
        *people_shown(result.people, result.by_commits),
        *shown_around(result),
    ]


def _cells(citation: Citation) -> tuple[object, ...]:
    """A citation; a source that is a file of the workspace with the place where it lies now."""
    document = (citation.document or "").partition("#")[0]
    is_there = citation.kind == "source" and document and f"/{KB_DIRNAME}/" not in document
    quote = f"“{citation.quote}”" if citation.quote else None
    return (
        citation.id,
        citation.kind,
        FileUri(document) if is_there else citation.locator,
        " · ".join(filter(None, [citation.title, quote])),
    )


OPERATION = Operation(
    name="claim",
    summary="A claim with its citations, pages and relations.",
    params=IdParams,
    result=ClaimResult,
    run=answer,
    when="Call it with a claim id from another answer, to see its text whole and the sources it "
    "cites, before something is built on it. Not to browse.",
    example={"id": "limit-per-depot"},
    table=table,
    needs=frozenset({"ties"}),
)
