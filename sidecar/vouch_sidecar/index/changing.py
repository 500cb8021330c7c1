"""The generation after a change: what changed, and whose links or locks changed with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from tantivy import Occur, Query
from vouch_sidecar.index.forms import forms, required
from vouch_sidecar.index.knowledge import Documents, Knowledge
from vouch_sidecar.index.links import documents_of, standing, stands_in
from vouch_sidecar.index.query import any_of, stem_query, term_query, value_query
from vouch_sidecar.index.schema import reference
from vouch_sidecar.kb.access import gate_of, is_told
from vouch_sidecar.kb.records import (
    Artifact,
    Change,
    Claim,
    Entity,
    Key,
    Kind,
    Page,
    Source,
    key_of,
)

__all__ = ["after"]

_ENDS = (Kind.ENTITY, Kind.CLAIM, Kind.PAGE, Kind.SOURCE)
"""What a relation may join."""


def after(before: Knowledge, change: Change) -> Knowledge:
    """What is known once a change is taken in. Retired artifacts are removed, not kept."""
    told = {key_of(one): one for one in change.upserts if is_told(one)}
    gone = {*change.removals, *map(key_of, change.upserts)}.difference(told)
    told = {key: one for key, one in told.items() if before.artifact(key) != one}
    gone = {key for key in gone if before.artifact(key) is not None}
    if not told and not gone:
        return before
    world = _After(before, told, gone)
    documents: dict[Key, Documents] = dict.fromkeys(gone, ())
    for key, artifact in told.items():
        documents[key] = tuple(documents_of(artifact, standing(artifact, world)))
    for key, artifact in _dependants(before, told, gone, world).items():
        stands, stood = standing(artifact, world), before.document(key)
        if stood is None or stands != stands_in(stood):
            documents[key] = tuple(documents_of(artifact, stands))
    return before.changed_to(documents, world.names)


def _dependants(
    before: Knowledge, told: Mapping[Key, Artifact], gone: Collection[Key], world: _After
) -> dict[Key, Artifact]:
    """The artifacts, beside those that change, whose links or locks may."""
    found: dict[Key, Artifact] = {}
    for key in [*told, *gone]:
        effect = _effect(before.artifact(key), told.get(key))
        queries = [value_query("refers", effect.refers)] if effect.refers else []
        claims = {*effect.claims}
        if effect.entity is not None:
            queries += [
                _about(before, effect.entity.id),
                *_naming(before, before.entity(effect.entity.id)),
                *_naming(before, told.get(key)),
            ]
            pages = (world.page(page_id) for page_id in before.pages_about(key))
            claims.update(claim_id for page in pages if page for claim_id in page.claims)
        for artifact in chain.from_iterable(map(before.found, queries)):
            found[key_of(artifact)] = artifact
        for claim_id in claims:
            if (claim := before.claim(claim_id)) is not None:
                found[key_of(claim)] = claim
    return {key: one for key, one in found.items() if key not in told and key not in gone}


def _about(before: Knowledge, entity_id: str) -> Query:
    """The claims that declare an entity or count for it."""
    behind = {place.partition("@")[2] for place in before.snapshot.lengths}
    return any_of(
        [
            term_query("refers", reference("declares", entity_id)),
            value_query("about", [f"{one} {entity_id}" for one in behind]),
        ]
    )


def _naming(before: Knowledge, entity: Artifact | None) -> Iterator[Query]:
    """The claims that may count for an entity because they name it."""
    if not isinstance(entity, Entity):
        return
    declared = (Occur.MustNot, value_query("linked", ["declared"]))
    places = [name for name in before.snapshot.lengths if name.startswith(f"{Kind.CLAIM}@")]
    for name in places:
        for stems in required(entity):
            words = [(Occur.Must, stem_query(name, stem)) for stem in stems]
            all_claims = (Occur.Must, value_query("place", [name]))
            yield Query.boolean_query([*(words or [all_claims]), declared])


@dataclass(frozen=True, slots=True)
class _Effect:
    """Whose documents may be others when an artifact is: claims by id, those that may hold the
    names of an entity, and whatever refers to it in these ways.
    """

    claims: Iterable[str] = ()
    entity: Entity | None = None
    refers: tuple[str, ...] = ()


def _effect(before: Artifact | None, after: Artifact | None) -> _Effect:
    """What depends on how an artifact stands; of one that stays as it was in all that matters,
    nothing.
    """
    one = before or after
    moved = (before is None) != (after is None) or _gate(before) != _gate(after)
    refers: tuple[str, ...] = ()
    if moved and isinstance(one, Entity | Claim | Page | Source):
        refers = (reference("joins", one.id),)
    if moved and isinstance(one, Source):
        refers += (reference("quotes", one.id),)
    if isinstance(one, Page) and (moved or _lists(before) != _lists(after)):
        claims = {c for page in (before, after) if isinstance(page, Page) for c in page.claims}
        return _Effect(claims=claims, refers=refers)
    if isinstance(one, Entity) and (moved or _forms(before) != _forms(after)):
        return _Effect(entity=one, refers=refers)
    return _Effect(refers=refers)


def _gate(artifact: Artifact | None) -> str | None:
    return None if artifact is None else gate_of(artifact)


def _lists(page: Artifact | None) -> object:
    return (page.claims, page.entities) if isinstance(page, Page) else None


def _forms(entity: Artifact | None) -> object:
    return list(forms(entity)) if isinstance(entity, Entity) else None


class _After:
    """What links and locks depend on, as it is after a change."""

    def __init__(
        self, before: Knowledge, told: Mapping[Key, Artifact], gone: Collection[Key]
    ) -> None:
        self._before = before
        self._told = told
        self._gone = gone
        entities = [one for one in told.values() if isinstance(one, Entity)]
        removed = [artifact_id for kind, artifact_id in gone if kind is Kind.ENTITY]
        self.names = before.names.changed(entities, removed)

    def _artifact(self, key: Key) -> Artifact | None:
        if key in self._told or key in self._gone:
            return self._told.get(key)
        return self._before.artifact(key)

    def page(self, page_id: str) -> Page | None:
        found = self._artifact((Kind.PAGE, page_id))
        return found if isinstance(found, Page) else None

    def pages_listing(self, claim_id: str) -> Iterable[Page]:
        known = self._before.pages_about((Kind.CLAIM, claim_id))
        told = (page.id for page in self._told.values() if isinstance(page, Page))
        for page_id in sorted({*known, *told}):
            page = self.page(page_id)
            if page is not None and claim_id in page.claims:
                yield page

    def gates_at(self, artifact_id: str) -> Iterable[str]:
        for kind in _ENDS:
            artifact = self._artifact((kind, artifact_id))
            if artifact is not None and (gate := gate_of(artifact)) is not None:
                yield gate
