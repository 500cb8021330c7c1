"""Finds the unchanged artifacts whose links or labels depend on what changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from tantivy import Occur, Query

from vouch_sidecar.index.changed_world import ChangedWorld
from vouch_sidecar.index.encoding import (
    CountedEntity,
    Pointer,
    Pseudonyms,
    StemPlace,
)
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.query import (
    any_of,
    pointing_query,
    stem_query,
    value_query,
)
from vouch_sidecar.kb.access import gate_of
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Entity,
    Key,
    Kind,
    Page,
    Source,
    key_of,
)
from vouch_sidecar.names.name_forms import forms, required


def dependants(
    before: Knowledge, shown: Mapping[Key, Artifact], gone: Collection[Key], world: ChangedWorld
) -> dict[Key, Artifact]:
    """The unchanged artifacts whose links or labels may differ after the change."""
    dependants: dict[Key, Artifact] = {}
    for key in [*shown, *gone]:
        effect = _effect(before.artifact(key), shown.get(key), before.pseudonyms)
        queries = [value_query("refers", effect.refers)] if effect.refers else []
        claims = {*effect.claims}
        if effect.entity is not None:
            queries += [
                _about(before, effect.entity.id),
                *_naming(before, before.entity(effect.entity.id)),
                *_naming(before, shown.get(key)),
            ]
            pages = (world.page(page_id) for page_id in before.pages_about(key))
            claims.update(pseudonym for page in pages if page for pseudonym in page.claims)
        for artifact in chain.from_iterable(map(before.artifacts_in, queries)):
            dependants[key_of(artifact)] = artifact
        for pseudonym in claims:
            if (claim := before.claim_of(pseudonym)) is not None:
                dependants[key_of(claim)] = claim
    return {
        key: dependant
        for key, dependant in dependants.items()
        if key not in shown and key not in gone
    }


def _about(before: Knowledge, entity_id: str) -> Query:
    """A query for the claims that declare an entity or are linked to it."""
    labels = {StemPlace.decode(place).label for place in before.snapshot.lengths}
    return any_of(
        [
            pointing_query("declares", entity_id),
            value_query("about", [CountedEntity(label, entity_id).encode() for label in labels]),
        ]
    )


def _naming(before: Knowledge, entity: Artifact | None) -> Iterator[Query]:
    """Queries for the claims that may name an entity and so be linked to it."""
    if not isinstance(entity, Entity):
        return
    declared = (Occur.MustNot, value_query("linked", ["declared"]))
    for name in before.places(Kind.CLAIM):
        for stems in required(entity):
            words = [(Occur.Must, stem_query(name, stem)) for stem in stems]
            all_claims = (Occur.Must, value_query("place", [name]))
            yield Query.boolean_query([*(words or [all_claims]), declared])


@dataclass(frozen=True, slots=True)
class _Effect:
    """What may depend on a changed artifact: claims by pseudonym, claims whose text may name
    `entity`, and artifacts with one of the encoded pointers in `refers`.
    """

    claims: Iterable[str] = ()
    entity: Entity | None = None
    refers: tuple[str, ...] = ()


def _effect(before: Artifact | None, after: Artifact | None, names: Pseudonyms) -> _Effect:
    """What depends on the way an artifact changed; empty if nothing does."""
    artifact = before or after
    moved = (before is None) != (after is None) or _gate(before) != _gate(after)
    refers: tuple[str, ...] = ()
    if moved and isinstance(artifact, Entity | Claim | Page | Source):
        refers = (Pointer("joins", artifact.id).encode(),)
    if moved and isinstance(artifact, Claim):  # a page's mark of it may be shown, or no longer
        refers += (Pointer("marks", names.of(artifact.id)).encode(),)
    if moved and isinstance(artifact, Source):
        refers += (Pointer("quotes", artifact.id).encode(),)
    if isinstance(artifact, Page) and (moved or _lists(before) != _lists(after)):
        claims = {c for page in (before, after) if isinstance(page, Page) for c in page.claims}
        return _Effect(claims=claims, refers=refers)
    if isinstance(artifact, Entity) and (moved or _forms(before) != _forms(after)):
        return _Effect(entity=artifact, refers=refers)
    return _Effect(refers=refers)


def _gate(artifact: Artifact | None) -> str | None:
    return None if artifact is None else gate_of(artifact)


def _lists(page: Artifact | None) -> object:
    return (page.claims, page.entities, page.title) if isinstance(page, Page) else None


def _forms(entity: Artifact | None) -> object:
    return list(forms(entity)) if isinstance(entity, Entity) else None
