"""Show a claim with its citations, pages and relations."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from vouch_sidecar.kb.discovery import KB_DIRNAME
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.kb.sanitize import clip
from vouch_sidecar.operations.artifacts import (
    ArtifactViews,
    ClaimView,
    IdParams,
    Located,
    PageRef,
    RelationRef,
    around,
    find,
)
from vouch_sidecar.operations.operation import Operation, OperationCall
from vouch_sidecar.operations.people import (
    AuthorRow,
    PersonRow,
    author_rows,
    by_commits_field,
    people_rows,
    people_shown,
)
from vouch_sidecar.operations.table import CELL_CHARS, FileUri, Shown, Table, Words
from vouch_sidecar.operations.wire import Result
from vouch_sidecar.retrieval.lookup import contradicting
from vouch_sidecar.retrieval.people.of_files import Subject, authors, owners
from vouch_sidecar.retrieval.people.to_ask import people_of_claim

WITHOUT_CONTEXT = (
    "a part of a sentence or an item of a list, without what stands around it, which may turn it "
    "round: read its source"
)


class ContraryClaim(Located):
    """A claim that contradicts another one."""

    said: str = Field(description="What is said of it, as in `claim`.")


class ClaimResult(Result):
    """A claim with what it stands on."""

    claim: ClaimView
    approved_by: str | None = Field(description="As the claim gives it.")
    auto_approved: bool = Field(description="Whether a checked receipt approved it, and no person.")
    contested_by: list[ContraryClaim] = Field(description="The claims named in `contradicts`.")
    people: list[PersonRow] = Field(
        description="Whom to ask: people it counts for, then owners of its files."
    )
    by_commits: list[AuthorRow] | None = by_commits_field()
    pages: list[PageRef]
    relations: list[RelationRef] = Field(description="Those that begin or end here.")
    collection: str | None = Field(description="The knowledge base it stands in.")


def answer(ask: OperationCall, params: IdParams) -> ClaimResult:
    view, claim = find(ask.views, Kind.CLAIM, params.id, all_read=ask.engine.registry.complete)
    assert isinstance(claim, Claim)
    views, about = ArtifactViews(view), [Subject(view, [claim])]
    return ClaimResult(
        claim=views.claim(claim),
        approved_by=claim.approved_by,
        auto_approved=not view.texts.is_reviewed(claim),
        contested_by=[
            ContraryClaim(id=other.id, said=view.texts.shown(other).text, uri=views.uri(other.path))
            for other in contradicting(view, claim)
        ],
        people=people_rows(people_of_claim(view, claim), (owner for _, owner in owners(about))),
        by_commits=author_rows(authors(about)),
        pages=views.pages((Kind.CLAIM, claim.id)),
        relations=views.relations(claim.id),
        collection=view.collection,
    )


def table(result: ClaimResult) -> list[Shown]:
    return [
        *_about(result),
        *people_shown(result.people, result.by_commits),
        *around(result.pages, result.relations),
    ]


def _about(result: ClaimResult) -> Iterator[Shown]:
    claim, file = result.claim, FileUri(result.claim.uri)
    confidence, date = f"{claim.confidence:g}", (claim.date or "")[:10]
    record = ("claim", claim.id, claim.type, claim.status, confidence, date, file, claim.text)
    yield Words(claim.text, "bold", record)
    yield Words(f"{claim.id} · {claim.type} · {claim.facts}")
    if result.collection:
        yield Words(f"in {result.collection}", to="model")
    if claim.sentence is not None and claim.sentence != claim.text:
        yield Words(f"sentence: {claim.sentence}")
    if claim.lacks_context:
        yield Words(WITHOUT_CONTEXT, "yellow", ("lacks_context", WITHOUT_CONTEXT))
    yield Words(file)
    if claim.stale is not None:
        yield Words(claim.stale, "yellow", ("stale", claim.stale), to="people")
    for other in result.contested_by:
        said = f"contradicted by {other.id}: {clip(other.said, CELL_CHARS)}"
        yield Words(said, "yellow", ("contested_by", other.id, other.said))
    if result.auto_approved or result.approved_by is not None:
        who = "its receipt" if result.auto_approved else result.approved_by
        yield Words(f"approved by {who}", record=("approved_by", who))
    for label, values in (("entities", claim.linked_entities), ("tags", claim.tags)):
        if values:
            yield Words(f"{label}: {', '.join(values)}", record=(label, *values))
    cited = []
    for citation in claim.citations:
        document = (citation.document or "").partition("#")[0]
        # A source that is a file of the workspace is shown where it lies now.
        is_there = citation.kind == "source" and document and f"/{KB_DIRNAME}/" not in document
        place = FileUri(document) if is_there else citation.locator
        quote = f"“{citation.quote}”" if citation.quote else None
        text = " · ".join(filter(None, [citation.title, quote]))
        cited.append((citation.id, citation.kind, place, text))
    yield Table(
        {"citation": "key", "kind": "whole", "place": "whole", "title and quote": "text"},
        cited,
        "citation",
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
