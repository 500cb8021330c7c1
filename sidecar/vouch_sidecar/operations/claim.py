"""Show a claim with its citations, pages and relations."""

from __future__ import annotations

from pydantic import Field

from vouch_sidecar.kb.discovery import KB_DIRNAME
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.kb.sanitize import clip
from vouch_sidecar.operations.artifacts import (
    ArtifactViews,
    Citation,
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
from vouch_sidecar.operations.table import CELL_CHARS, FileUri, Shown, Table, Words, labelled
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
    claim, file = result.claim, FileUri(result.claim.uri)
    confidence, date = f"{claim.confidence:g}", (claim.date or "")[:10]
    record = ("claim", claim.id, claim.type, claim.status, confidence, date, file, claim.text)
    sentence = claim.sentence if claim.sentence != claim.text else None
    lacks = WITHOUT_CONTEXT if claim.lacks_context else None
    who = "its receipt" if result.auto_approved else result.approved_by
    return [
        Words(claim.text, "bold", record),
        Words(f"{claim.id} · {claim.type} · {claim.facts}"),
        Words(f"in {result.collection}", to="model"),
        Words(f"sentence: {sentence}" if sentence else ""),
        *labelled("lacks_context", [lacks], "{}", "yellow"),
        Words(file),
        *labelled("stale", [claim.stale], "{}", "yellow", "people"),
        *map(_against, result.contested_by),
        *labelled("approved_by", [who], "approved by {}"),
        *labelled("entities", claim.linked_entities, "entities: {}"),
        *labelled("tags", claim.tags, "tags: {}"),
        Table(
            {"citation": "key", "kind": "whole", "place": "whole", "title and quote": "text"},
            [*map(_cells, claim.citations)],
            "citation",
        ),
        *people_shown(result.people, result.by_commits),
        *around(result.pages, result.relations),
    ]


def _against(other: ContraryClaim) -> Words:
    said = f"contradicted by {other.id}: {clip(other.said, CELL_CHARS)}"
    return Words(said, "yellow", ("contested_by", other.id, other.said))


def _cells(citation: Citation) -> tuple[object, ...]:
    """A citation; a source that is a file of the workspace with the place where it lies now."""
    document = (citation.document or "").partition("#")[0]
    is_there = citation.kind == "source" and document and f"/{KB_DIRNAME}/" not in document
    place = FileUri(document) if is_there else citation.locator
    quote = f"“{citation.quote}”" if citation.quote else None
    text = " · ".join(filter(None, [citation.title, quote]))
    return citation.id, citation.kind, place, text


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
