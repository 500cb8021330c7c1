"""Entities and claims, with what they stand on resolved."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vouch_sidecar.operations.wire.base import Id, Params, Result, Wire

__all__ = [
    "Citation",
    "ClaimResult",
    "ClaimView",
    "EntityResult",
    "EntityView",
    "IdParams",
    "PageRef",
    "RelationRef",
]


class IdParams(Params):
    """An artifact by id."""

    id: Id = Field(description="As other answers give it; no name.")


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
    uri: str | None = Field(description="The file of the evidence, or of the source's record.")


class PageRef(Wire):
    """A page, to go to."""

    id: str
    title: str
    type: str
    status: str
    uri: str


class RelationRef(Wire):
    """An edge of the graph."""

    id: str
    source: str = Field(description="Id where it begins.")
    relation: str
    target: str = Field(description="Id where it ends.")
    confidence: float
    uri: str


class ClaimView(Wire):
    """A claim with its citations resolved."""

    id: str
    text: str
    type: str
    status: str
    confidence: float
    entities: list[str] = Field(description="As the claim declares them.")
    linked_entities: list[str] = Field(description="Those it counts for under linking `auto`.")
    tags: list[str]
    contradicts: list[str] = Field(description="Live, visible claims that it contradicts.")
    date: str | None = Field(description="Last confirmed, else updated, else created; ISO 8601.")
    citations: list[Citation]
    uri: str


class EntityView(Wire):
    """An entity."""

    id: str
    name: str
    type: str
    aliases: list[str]
    description: str | None
    uri: str


class EntityResult(Result):
    """An entity with what is known of it."""

    entity: EntityView
    claim_count: int = Field(description="Live, visible claims linked to it.")
    claims: list[ClaimView] = Field(description="The newest of them, at most twenty.")
    pages: list[PageRef]
    relations: list[RelationRef] = Field(description="Those that begin or end here.")
    collection: str | None = Field(description="The knowledge base it stands in.")


class ClaimResult(Result):
    """A claim with what it stands on."""

    claim: ClaimView
    pages: list[PageRef]
    relations: list[RelationRef] = Field(description="Those that begin or end here.")
    collection: str | None = Field(description="The knowledge base it stands in.")
