"""Cards of entities, and the entities that a text names at an offset."""

from __future__ import annotations

from dataclasses import dataclass

from vouch_sidecar.engine import Caller, Engine, Served
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.operations.artifacts import ArtifactViews, ClaimView, EntityView, PageRef
from vouch_sidecar.retrieval.people.authors import Author, authors_about
from vouch_sidecar.retrieval.people.owners import FileOwner, owners_about
from vouch_sidecar.retrieval.people.to_ask import PersonToAsk, people
from vouch_sidecar.retrieval.salience import listed_topics

CARD_CLAIMS = 7
"""Claims on a card: the maximum of `hover.max_claims`."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody to ask, with the URI of the file."""

    row: PersonToAsk
    uri: str


@dataclass(frozen=True, slots=True)
class EntityCard:
    """An entity with its best claims. `collection` is None if only one is served."""

    entity: EntityView
    collection: str | None
    claim_count: int
    claims: tuple[ClaimView, ...]
    people: tuple[Person, ...]
    owners: tuple[FileOwner, ...]
    pages: tuple[PageRef, ...]
    authors: tuple[Author, ...]
    why: str | None = None
    """For a topic, where its name was found; None for entities."""


@dataclass(frozen=True, slots=True)
class Mentioned:
    """Offsets of words in a text, and the entities that they name: knowledge base and id."""

    start: int
    end: int
    entities: tuple[tuple[Served, str], ...]


def mentioned_at(
    engine: Engine, caller: Caller, text: str, offset: int, topics: bool = False
) -> Mentioned | None:
    """The longest name of entities, with `topics` also of listed topics, at an offset of a text;
    None without any.
    """
    served = engine.serving(caller)
    mentions = [
        (kb, m)
        for kb in served
        for m in (
            *kb.view.names.mentions(text),
            *(listed_topics(kb.view, text) if topics else ()),
        )
        if not m.nested and m.start <= offset <= m.end
    ]
    if not mentions:
        return None
    longest = max(m.end - m.start for _, m in mentions)
    mentions = [(kb, m) for kb, m in mentions if m.end - m.start == longest]
    entities = tuple((kb, m.entity_id) for kb, m in mentions)
    return Mentioned(mentions[0][1].start, mentions[0][1].end, entities)


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
        people=tuple(Person(row, views.uri(row.entity.path)) for row in asked),
        owners=tuple(owners_about(view, entity)),
        pages=tuple(views.pages((Kind.ENTITY, entity_id))),
        authors=tuple(authors_about(view, entity)),
        why=topic.why if (topic := view.derived.get(entity_id)) is not None else None,
    )
