"""Show a claim with its citations, pages and relations."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from vouch_sidecar.kb.discovery import KB_DIRNAME
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.operations.artifacts import (
    Citation,
    ClaimView,
    IdParams,
    PageRef,
    RelationRef,
    around,
    claim_line,
)
from vouch_sidecar.operations.commit_authors import (
    AuthorRow,
    author_rows,
    by_commits_field,
    show_authors,
)
from vouch_sidecar.operations.gist_lines import base_line
from vouch_sidecar.operations.id_or_name import find
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.people_to_ask import (
    PersonRow,
    owner_row,
    person_row,
    show_people,
)
from vouch_sidecar.operations.printer import Printer
from vouch_sidecar.operations.wire import Result, Wire
from vouch_sidecar.retrieval.people.authors import authors_of
from vouch_sidecar.retrieval.people.owners import owners_of
from vouch_sidecar.retrieval.people.to_ask import people_of_claim
from vouch_sidecar.retrieval.view import View

WITHOUT_CONTEXT = (
    "a part of a sentence or an item of a list, without what stands around it, which may turn it "
    "round: read its source"
)


class ContraryClaim(Wire):
    """A claim that contradicts another one."""

    id: str
    said: str = Field(description="What is said of it, as in `claim`.")
    uri: str


class ClaimResult(Result):
    """A claim with what it stands on."""

    claim: ClaimView
    approved_by: str | None = Field(description="As the claim gives it.")
    auto_approved: bool = Field(description="Whether a checked receipt approved it, and no person.")
    contested_by: list[ContraryClaim] = Field(description="The claims named in `contradicts`.")
    people: list[PersonRow] = Field(
        description="Whom to ask: the people it counts for, then as in `entity`, of its files."
    )
    by_commits: list[AuthorRow] | None = by_commits_field()
    pages: list[PageRef]
    relations: list[RelationRef] = Field(description="Those that begin or end here.")
    collection: str | None = Field(description="The knowledge base it stands in.")


def answer(ask: OperationCall, params: IdParams) -> ClaimResult:
    view, artifact = find(ask.views, Kind.CLAIM, params.id, all_read=ask.engine.registry.complete)
    assert isinstance(artifact, Claim)
    views = ask.views_for(view)
    claim = views.claim(artifact)
    others = [
        other
        for claim_id in claim.contradicts
        if (other := view.visible.claim(claim_id)) is not None
    ]
    return ClaimResult(
        claim=claim,
        approved_by=artifact.approved_by,
        auto_approved=view.texts.is_approved_by_receipt(artifact),
        contested_by=[
            ContraryClaim(id=claim.id, said=view.texts.shown(claim).text, uri=views.uri(claim.path))
            for claim in others
        ],
        people=[
            *map(person_row, people_of_claim(view, artifact)),
            *map(owner_row, owners_of(view, [artifact])),
        ],
        by_commits=author_rows(authors_of([(view, [artifact])])),
        pages=views.pages((Kind.CLAIM, artifact.id)),
        relations=views.relations(artifact.id),
        collection=view.collection,
    )


def gist(result: ClaimResult, views: Sequence[View]) -> list[str]:
    sources = dict.fromkeys(one_line(c.title or c.id) for c in result.claim.citations)
    sentence = result.claim.sentence
    return [
        claim_line(result.claim, whole=True),
        *([f"sentence: {one_line(sentence)}"] if sentence else []),
        *([WITHOUT_CONTEXT] if result.claim.lacks_context else []),
        f"sources: {', '.join(sources) or 'none'}",
        *base_line(result.collection, Kind.CLAIM, result.claim.id, views),
    ]


def show(page: Printer, result: ClaimResult) -> None:
    claim, file = result.claim, page.file(result.claim.uri)
    confidence, date = f"{claim.confidence:g}", (claim.date or "")[:10]
    facts = [claim.id, claim.type, claim.status, f"confidence {confidence}", date]
    page.line((claim.text, "bold"))
    page.line(" · ".join(filter(None, facts)))
    if claim.sentence is not None and claim.sentence != claim.text:
        page.line(f"sentence: {claim.sentence}")
    if claim.lacks_context:
        page.line((WITHOUT_CONTEXT, "yellow"))
        page.record("lacks_context", WITHOUT_CONTEXT)
    page.uncut(file)
    page.record("claim", claim.id, claim.type, claim.status, confidence, date, file, claim.text)
    if claim.stale is not None:
        page.line((claim.stale, "yellow"))
        page.record("stale", claim.stale)
    for other in result.contested_by:
        page.line(("contradicted by", "yellow"), f"{other.id}: {page.clipped(other.said)}")
        page.record("contested_by", other.id, other.said)
    if result.auto_approved or result.approved_by is not None:
        who = "its receipt" if result.auto_approved else result.approved_by
        page.line(f"approved by {who}")
        page.record("approved_by", who)
    for label, values in (
        ("entities", claim.linked_entities),
        ("tags", claim.tags),
    ):
        if values:
            page.line(f"{label}: {', '.join(values)}")
            page.record(label, *values)
    if claim.citations:
        page.space()
        _show_citations(page, claim.citations)
    if result.people:
        page.space()
        show_people(page, result.people)
    show_authors(page, result.by_commits)
    around(page, result.pages, result.relations)


def _show_citations(page: Printer, citations: list[Citation]) -> None:
    rows = []
    for citation in citations:
        parts = [citation.title, f"“{citation.quote}”" if citation.quote else None]
        cited = " · ".join(part for part in parts if part)
        rows.append((page.artifact_id(citation.id), citation.kind, _place(page, citation), cited))
    page.table(
        {"citation": "key", "kind": "whole", "place": "whole", "title and quote": "text"},
        rows,
        "citation",
    )


def _place(page: Printer, citation: Citation) -> str | None:
    """The file of the workspace that is the source, where it lies now; else what is recorded."""
    document = citation.document or ""
    is_in_workspace = document != "" and f"/{KB_DIRNAME}/" not in document
    return (
        page.file(document) if is_in_workspace and citation.kind == "source" else citation.locator
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
    gist_from_views=gist,
    show=show,
    needs=frozenset({"ties"}),
)
