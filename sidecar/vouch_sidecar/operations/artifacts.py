"""Finds artifacts by what a call calls them, and makes models of them, for one viewer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal, cast

from pydantic import Field

from vouch_sidecar.index.links import LinkedBy
from vouch_sidecar.kb.artifact_files import CONTENT_NAME, KB_DIRNAME
from vouch_sidecar.kb.reader import kept
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Evidence,
    Key,
    Kind,
    Source,
    key_of,
)
from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.operations.table import Shown, Table
from vouch_sidecar.operations.wire import IdText, NotFoundError, Params, SearchKind, Wire, iso
from vouch_sidecar.retrieval.files.stale_claims import fresh_of, stale
from vouch_sidecar.retrieval.line import HitArm
from vouch_sidecar.retrieval.lookup import (
    by_beginning,
    by_name,
    contradicting,
    nearest,
    successors,
)
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.locator import line_in
from vouch_sidecar.workspace.quotes_in_files import Fresh, QuoteState

MAX_CANDIDATES = 5
"""Ids that an error lists if a name is ambiguous."""


class IdParams(Params):
    """An artifact by id, an entity also by name."""

    id: IdText = Field(
        description="Whole, or its first three words or more; of an entity also a name or an alias."
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
    fresh: QuoteState | None = Field(
        description="Whether the cited file still has the quote; null: not known."
    )
    uri: str | None = Field(description="The file of the evidence, or of the source's record.")


class Located(Wire):
    """An artifact with its file."""

    id: str
    uri: str = Field(description="Its file.")


class PageRef(Located):
    """A page, to go to."""

    title: str
    type: str
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
    sentence: str | None = Field(description="The whole sentence that its receipt stands in.")
    said_with: list[str] = Field(description="The other claims of the same sentence.")
    lacks_context: bool = Field(
        description="Whether words around it that may turn it round are missing in `said`."
    )
    type: str
    status: str
    confidence: float
    entities: list[str] = Field(description="As the claim declares them.")
    linked_entities: list[str] = Field(description="Those it counts for under linking `auto`.")
    link: LinkedBy | None = Field(
        description="Why: declared, named in its text, or by a page that lists it."
    )
    tags: list[str]
    contradicts: list[str] = Field(
        description="Live, visible claims that it contradicts, or that contradict it."
    )
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


class FoundByPhrase(ArtifactRow):
    """An artifact that a phrase of a text brought in."""

    phrase: str = Field(description="The words of the text that matched.")
    similarity: float = Field(ge=0, le=1, description="Strength of the evidence.")
    arm: HitArm = Field(description="How it matched; `text` is full text, `semantic` meaning.")


def kind_of(artifact: Artifact) -> SearchKind:
    """The kind of an artifact that search can find."""
    return cast(SearchKind, key_of(artifact)[0].value)


class ArtifactViews:
    """Makes models of the artifacts in one view, and resolves their references."""

    def __init__(self, view: View) -> None:
        assert view.root is not None
        self._view = view
        self._kb_dir = view.root / KB_DIRNAME
        self._kept = lru_cache(maxsize=4)(partial(kept, self._kb_dir))
        """The contents of the sources that were cited last: many citations may be of one."""

    def uri(self, path: str) -> str:
        """The URI of a file below `.vouch/`."""
        return (self._kb_dir / path).as_uri()

    def claim(self, claim: Claim) -> ClaimView:
        view = self._view
        linked, by = view.knowledge.links(claim.id)
        shown, gone = view.texts.shown(claim), stale(view, claim)
        why_stale, date = None if gone is None else gone.reason, iso(claim.date)
        facts = (claim.status, f"confidence {claim.confidence:.2f}", (date or "")[:10], why_stale)
        return ClaimView(
            id=claim.id,
            text=claim.text,
            said=shown.text,
            heading=shown.heading,
            sentence=shown.sentence,
            said_with=[claim_id for claim_id in shown.claims if claim_id != claim.id],
            lacks_context=shown.lacks_context,
            type=claim.type,
            status=claim.status,
            confidence=claim.confidence,
            entities=list(dict.fromkeys(claim.entities)),
            linked_entities=linked,
            link=by if linked else None,
            tags=list(claim.tags),
            contradicts=[other.id for other in contradicting(view, claim)],
            date=date,
            stale=why_stale,
            facts=" · ".join(filter(None, facts)),
            citations=[self.citation(ref) for ref in dict.fromkeys(claim.evidence)],
            uri=self.uri(claim.path),
        )

    def citation(self, ref: str) -> Citation:
        """A citation, resolved if the viewer may see its source; else `missing`."""
        evidence = self._view.knowledge.evidence(ref)
        source = self._view.visible.artifact((Kind.SOURCE, evidence.source_id if evidence else ref))
        if not isinstance(source, Source):
            source = evidence = None
        cited = evidence or source
        fresh = fresh_of(self._view.workspace.fresh, evidence) if evidence else None
        return Citation(
            id=ref,
            kind="evidence" if evidence else "source" if source else "missing",
            source_id=source.id if source else None,
            title=source.title if source else None,
            locator=cited.locator if cited else None,
            quote=evidence.quote if evidence else None,
            document=self._document(source, evidence, fresh) if source else None,
            fresh=fresh.state if fresh else None,
            uri=self.uri(cited.path) if cited else None,
        )

    def _document(
        self, source: Source, evidence: Evidence | None, fresh: Fresh | None
    ) -> str | None:
        """The URI of a cited document, with the line cited: of the workspace file, else of the
        content kept with the source; None without either.
        """
        path = self._view.workspace.sources.get(source.id)
        file = self._kb_dir / Path(source.path).with_name(CONTENT_NAME)
        if path is not None:
            file = self._view.workspace.root / path
        elif not os.path.isfile(file):  # noqa: PTH113 - the other one raises for impossible names
            return None
        line = fresh.line if fresh is not None else None
        if line is None and evidence is not None and evidence.byte_start is not None:
            content = self._kept(source)
            span = None if content is None else content.span(evidence)
            line = content.line_at(span[0]) if content is not None and span is not None else None
        if line is None:
            line = line_in(evidence.locator if evidence else source.locator.partition("#")[2])
        return file.as_uri() if line is None else f"{file.as_uri()}#L{line}"

    def pages(self, key: Key) -> list[PageRef]:
        """The pages that list an artifact."""
        return [
            PageRef(
                id=page.id,
                title=page.title,
                type=page.type,
                status=page.status,
                uri=self.uri(page.path),
            )
            for page in self._view.visible.pages_about(key)
        ]

    def relations(self, artifact_id: str) -> list[RelationRef]:
        """The relations that begin or end at an artifact."""
        return [
            RelationRef(
                id=relation.id,
                source=relation.source,
                relation=relation.relation,
                target=relation.target,
                confidence=relation.confidence,
                uri=self.uri(relation.path),
            )
            for relation in self._view.visible.relations_of(artifact_id)
        ]


def around(pages: list[PageRef], relations: list[RelationRef]) -> list[Shown]:
    """The tables of the pages and relations of an artifact."""
    edges = [(r.source, r.relation, r.target, f"{r.confidence:g}") for r in relations]
    return [
        Table(
            {"page": "key", "title": "short", "status": "whole"},
            [(page.id, page.title, page.status) for page in pages],
            "page",
        ),
        Table(
            {"from": "key", "relation": "whole", "to": "key", "confidence": "number"},
            edges,
            "relation",
        ),
    ]


def find(
    views: Sequence[View], kind: Kind, called: str, *, all_read: bool
) -> tuple[View, Artifact]:
    """The artifact with this id, else with this name, else whose id begins like this, and the first
    view that holds it. Raises `NotFoundError`, which names the most similar artifacts, or the claim
    that supersedes this one; unless `all_read`, it does not say that there is none.

    The id of a claim without a successor that may be shown, such as a redacted one, is looked up
    as a beginning: that it is one is not told.
    """
    for view in views:
        if (artifact := view.visible.artifact((kind, called))) is not None:
            return view, artifact
    candidates = [(view, artifact) for view in views for artifact in by_name(view, kind, called)]
    if not candidates and kind is Kind.CLAIM:
        for newer in (claim_id for view in views for claim_id in successors(view, called)):
            message = f"names a claim that is superseded by {one_line(newer)}"
            raise NotFoundError({"id": message})
    if not candidates:
        candidates = [(v, artifact) for v in views for artifact in by_beginning(v, kind, called)]
    if len({artifact.id for _, artifact in candidates}) == 1:
        return candidates[0]
    if candidates:
        ids = [artifact.id for _, artifact in candidates[:MAX_CANDIDATES]]
        message = "names several: "
    elif not all_read:
        message, ids = f"names no {kind.value} that is read yet; ask again", []
    else:
        message, ids = f"names no {kind.value} that may be shown", nearest(views, kind, called)
        message += "; the nearest: " if ids else ""
    raise NotFoundError({"id": message + ", ".join(map(one_line, ids))})
