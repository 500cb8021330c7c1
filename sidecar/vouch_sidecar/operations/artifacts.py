"""Finds artifacts by what a call calls them, and makes models of them, for one viewer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import Field

from vouch_sidecar.index.links import LinkedBy
from vouch_sidecar.kb.artifact_files import KB_DIRNAME, content_beside
from vouch_sidecar.kb.reader import span_in
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Entity,
    Evidence,
    Kind,
    Source,
    key_of,
)
from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.operations.operation import OperationCall
from vouch_sidecar.operations.people import BY_COMMITS
from vouch_sidecar.operations.table import Shown, Table
from vouch_sidecar.operations.wire import (
    NotFoundError,
    Params,
    Result,
    SearchKind,
    Wire,
    absent,
    iso,
)
from vouch_sidecar.retrieval.files import stale
from vouch_sidecar.retrieval.line import HitArm
from vouch_sidecar.retrieval.lookup import (
    by_beginning,
    by_name,
    nearest,
    successors,
)
from vouch_sidecar.retrieval.people.rows import Author, PersonToAsk
from vouch_sidecar.retrieval.people.whom_to_ask import to_ask
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.files import line_in
from vouch_sidecar.workspace.quotes_in_files import Fresh, QuoteState
from vouch_sidecar.workspace.shown import document_of

MAX_CANDIDATES = 5
"""Ids that an error lists if a name is ambiguous."""
QuoteFresh = Annotated[
    QuoteState | None,
    Field(description="Whether the cited file still has the quote, if known."),
]


class IdParams(Params):
    """An artifact by id, an entity also by name."""

    id: str = Field(
        min_length=1,
        max_length=1024,
        description="Whole, or its first three words or more; of an entity also a name or alias.",
    )


class Citation(Wire):
    """One citation of a claim, resolved as far as it goes."""

    id: str = Field(description="As the claim gives it.")
    kind: Literal["source", "evidence", "missing"] = Field(
        description="missing: there is none that may be shown."
    )
    source_id: str | None
    title: str | None = Field(description="Of the source.")
    locator: str | None = Field(description="Path or address of a source, place of evidence in it.")
    quote: str | None
    document: str | None = Field(
        description="URI of the cited document, in the workspace or as it was kept, with its line"
        " (`#L12`) where known."
    )
    fresh: QuoteFresh
    uri: str | None = Field(description="The file of the evidence, or of the source's record.")


class Located(Wire):
    """An artifact with its file."""

    id: str
    uri: str = Field(description="Its file.")


class PageRef(Located):
    """A page, to go to."""

    title: str
    status: str


class RelationRef(Located):
    """An edge of the graph."""

    source: str = Field(description="Id where it begins.")
    relation: str
    target: str = Field(description="Id where it ends.")
    confidence: float


class ClaimView(Located):
    """A claim with its citations resolved."""

    text: str = Field(description="As the claim gives it.")
    said: str = Field(
        description="What is shown: the whole sentence of which it is a part, where its source "
        "has one; else its text."
    )
    heading: str = Field(description="The heading that `said` begins with.")
    lacks_context: bool = Field(
        description="Whether words around it that may turn it round are missing in `said`."
    )
    type: str
    status: str
    confidence: float
    entities: list[str] = Field(description="Those it counts for under linking `auto`.")
    link: LinkedBy | None = Field(
        description="Why: declared, named in its text, or by a page that lists it."
    )
    tags: list[str]
    date: str | None = Field(description="Last confirmed, else updated, else created; ISO 8601.")
    stale: str | None = Field(
        description="Why it may hold no more, for people; null: nothing says so."
    )
    facts: str = Field(description="Status, confidence, date and `stale`, for people.")
    citations: list[Citation]


class ArtifactRow(Wire):
    """An artifact in a list."""

    kind: SearchKind
    id: str
    collection: str = Field(description="The knowledge base it stands in.")


class FoundByPhrase(ArtifactRow):
    """An artifact that a phrase of a text brought in."""

    phrase: str = Field(description="The words of the text that matched.")
    similarity: float = Field(ge=0, le=1, description="Strength of the evidence.")
    arm: HitArm = Field(description="How it matched; `text` is full text, `semantic` meaning.")


class ArtifactResult(Result):
    """What stands around an artifact."""

    people: list[PersonToAsk] = Field(
        description="Whom to ask: people by claims, owners and their teams' people, then owners "
        "of files by CODEOWNERS."
    )
    by_commits: list[Author] | None = absent(BY_COMMITS)
    pages: list[PageRef] = Field(description="Those that list it.")
    relations: list[RelationRef] = Field(description="Those that begin or end here.")
    collection: str = Field(description="The knowledge base it stands in.")


def around(view: View, artifact: Claim | Entity) -> dict[str, Any]:
    """The fields of `ArtifactResult`."""
    people, wrote = to_ask(view, artifact)
    return {
        "people": people,
        "by_commits": wrote or None,
        "pages": [
            PageRef(
                id=page.id,
                title=page.title,
                status=page.status,
                uri=uri_of(view, page.path),
            )
            for page in view.pages_about(key_of(artifact))
        ],
        "relations": [
            RelationRef(
                id=relation.id,
                source=relation.source,
                relation=relation.relation,
                target=relation.target,
                confidence=relation.confidence,
                uri=uri_of(view, relation.path),
            )
            for relation in view.relations_of(artifact.id)
        ],
        "collection": view.collection,
    }


def shown_around(result: ArtifactResult) -> list[Shown]:
    """The tables of what stands around an artifact."""
    return [
        Table(
            {"page": "key", "title": "short", "status": "whole"},
            [(page.id, page.title, page.status) for page in result.pages],
            "page",
        ),
        Table(
            {"from": "key", "relation": "whole", "to": "key", "confidence": "number"},
            [(r.source, r.relation, r.target, f"{r.confidence:g}") for r in result.relations],
            "relation",
        ),
    ]


def kind_of(artifact: Artifact) -> SearchKind:
    """The kind of an artifact that search can find."""
    return cast(SearchKind, key_of(artifact)[0].value)


def uri_of(view: View, path: str) -> str:
    """The URI of a file below `.vouch/`."""
    return view.uri_for(_file(view, path))


def _file(view: View, path: str) -> Path:
    assert view.root is not None
    return view.root / KB_DIRNAME / path


def claim_view(view: View, claim: Claim) -> ClaimView:
    linked, by = view.knowledge.links(claim.id)
    shown, gone = view.shown(claim), stale(view, claim)
    why_stale, date = None if gone is None else gone.reason, iso(claim.date)
    # why it is stale comes last: the table of `claim` cuts it off
    facts = (claim.status, f"confidence {claim.confidence:.2f}", (date or "")[:10], why_stale)
    return ClaimView(
        id=claim.id,
        text=claim.text,
        said=shown.text,
        heading=shown.heading,
        lacks_context=shown.lacks_context,
        type=claim.type,
        status=claim.status,
        confidence=claim.confidence,
        entities=linked,
        link=by if linked else None,
        tags=list(claim.tags),
        date=date,
        stale=why_stale,
        facts=" · ".join(filter(None, facts)),
        citations=[citation(view, ref) for ref in dict.fromkeys(claim.evidence)],
        uri=uri_of(view, claim.path),
    )


def citation(view: View, ref: str) -> Citation:
    """A citation, resolved if the viewer may see its source; else `missing`."""
    evidence, source_id = view.knowledge.cited_by(ref)
    source = view.artifact((Kind.SOURCE, source_id))
    if not isinstance(source, Source):
        source = evidence = None
    cited = evidence or source
    fresh = view.world.quotes.of(evidence.quoted, view.looked) if evidence else None
    return Citation(
        id=ref,
        kind="evidence" if evidence else "source" if source else "missing",
        source_id=source.id if source else None,
        title=source.title if source else None,
        locator=cited.locator if cited else None,
        quote=evidence.quote if evidence else None,
        document=_document(view, source, evidence, fresh) if source else None,
        fresh=fresh.state if fresh else None,
        uri=uri_of(view, cited.path) if cited else None,
    )


def _document(
    view: View, source: Source, evidence: Evidence | None, fresh: Fresh | None
) -> str | None:
    """The URI of a cited document, with the line cited: of the workspace file, else of the content
    kept with the source; None without either.
    """
    path = view.world.sources.get(source.id)
    if path is None and not source.kept:
        return None
    file = _file(view, content_beside(source.path)) if path is None else view.world.tree / path
    line = fresh.line if fresh is not None else None
    if line is None and evidence is not None and evidence.byte_start is not None:
        document = document_of(view.root, source)
        span = None if document is None else span_in(document.data, evidence)
        line = document.line_at(span[0]) if document is not None and span else None
    if line is None:
        line = line_in(evidence.locator if evidence else source.locator.partition("#")[2])
    return view.uri_for(file) + ("" if line is None else f"#L{line}")


def find(ask: OperationCall, kind: Kind, called: str) -> tuple[View, Artifact]:
    """The artifact with this id, else with this name, else whose id begins like this, and the first
    view that holds it. Raises `NotFoundError`, which names the most similar artifacts, or the claim
    that supersedes this one; before all is read, it does not say that there is none.

    The id of a claim without a successor that may be shown, such as a redacted one, is looked up
    as a beginning: that it is one is not told.
    """
    views = ask.views
    for view in views:
        if (artifact := view.artifact((kind, called))) is not None:
            return view, artifact
    found = [(view, artifact) for view in views for artifact in by_name(view, kind, called)]
    if not found and kind is Kind.CLAIM:
        for newer in (claim_id for view in views for claim_id in successors(view, called)):
            message = f"names a claim that is superseded by {one_line(newer)}"
            raise NotFoundError({"id": message})
    found = found or [(v, artifact) for v in views for artifact in by_beginning(v, kind, called)]
    ids = list(dict.fromkeys(artifact.id for _, artifact in found))[:MAX_CANDIDATES]
    if len(ids) == 1:
        return found[0]
    message = "names several: "
    if not ids:
        ids = nearest(views, kind, called) if ask.complete else []
        why = "may be shown" if ask.complete else "is read yet; ask again"
        message = f"names no {kind.value} that {why}{'; the nearest: ' if ids else ''}"
    raise NotFoundError({"id": message + ", ".join(map(one_line, ids))})
