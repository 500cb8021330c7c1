"""Cards of entities."""

from __future__ import annotations

from dataclasses import dataclass

from vouch_sidecar.engine import Served
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.operations.artifacts import ArtifactViews, ClaimView, EntityView, PageRef
from vouch_sidecar.retrieval.people.authors import Author, authors_about
from vouch_sidecar.retrieval.people.owners import FileOwner, owners_about
from vouch_sidecar.retrieval.people.to_ask import PersonToAsk, people

CARD_CLAIMS = 7
"""Claims on a card: the maximum of `hover.max_claims`."""


@dataclass(frozen=True, slots=True)
class EntityCard:
    """An entity with its best claims. `collection` is None if only one is served."""

    entity: EntityView
    collection: str | None
    claim_count: int
    claims: tuple[ClaimView, ...]
    people: tuple[tuple[PersonToAsk, str], ...]
    """Whom to ask, each with the URI of the file."""
    owners: tuple[FileOwner, ...]
    pages: tuple[PageRef, ...]
    authors: tuple[Author, ...]
    why: str | None = None
    """For a topic, where its name was found; None for entities."""


def card_of(served: Served, entity_id: str) -> EntityCard | None:
    """The card of an entity or topic; None if the caller may see no such entity."""
    view = served.view
    entity = view.visible.entity(entity_id)
    if entity is None:
        return None
    views = ArtifactViews(view, served.collection.root)
    asked = people(view, entity)
    return EntityCard(
        entity=views.entity(entity),
        collection=view.shown_collection,
        claim_count=view.counts.claims_of(entity_id),
        claims=tuple(
            views.claim(claim) for claim in view.texts.best_claims(entity_id, CARD_CLAIMS)
        ),
        people=tuple((row, views.uri(row.entity.path)) for row in asked),
        owners=tuple(owners_about(view, entity)),
        pages=tuple(views.pages((Kind.ENTITY, entity_id))),
        authors=tuple(authors_about(view, entity)),
        why=topic.why if (topic := view.derived.get(entity_id)) is not None else None,
    )
