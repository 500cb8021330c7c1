"""A generation: all that is known of one knowledge base at one moment. It never changes.

It holds live artifacts only; who may see them is asked at the time of a question. A change makes
another generation, which shares the base and has layers of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, count
from typing import TypeVar

from tantivy import Document, Occur, Query
from vouch_sidecar.index.forms import required
from vouch_sidecar.index.layers import EMPTY, Layer, Snapshot, Writing, in_memory
from vouch_sidecar.index.links import LinkedBy, documents_of, standing, stands_in, touched
from vouch_sidecar.index.memo import Memo
from vouch_sidecar.index.names import Names
from vouch_sidecar.index.query import any_of, stem_query, term_query, value_query
from vouch_sidecar.index.schema import (
    TITLE,
    artifact_in,
    entities_in,
    key_in,
    reference,
    sort_key,
)
from vouch_sidecar.kb.access import OPEN, gate_of, is_live
from vouch_sidecar.kb.layout import classify, usual_key
from vouch_sidecar.kb.records import (
    Artifact,
    Change,
    Claim,
    Entity,
    Evidence,
    Key,
    Kind,
    Page,
    Relation,
    Source,
    key_of,
)

__all__ = ["Builder", "Knowledge", "is_told"]

T = TypeVar("T", bound=Artifact)
Documents = tuple[Document, ...]
_serials = count(1)
_ENDS = (Kind.ENTITY, Kind.CLAIM, Kind.PAGE, Kind.SOURCE)


def is_told(artifact: Artifact) -> bool:
    """Whether anybody may be told of an artifact. Nothing else is kept."""
    return is_live(artifact) and gate_of(artifact) is not None


class Knowledge:
    """The contents of one knowledge base. Any thread may ask.

    `changed` are the documents of what is not as in the base; of what is gone, none.
    """

    def __init__(
        self,
        base: Layer = EMPTY,
        names: Names | None = None,
        changed: Mapping[Key, Documents] | None = None,
        replaced: Mapping[Key, tuple[int, ...]] | None = None,
    ) -> None:
        self.base = base
        self.names = names or Names.of(_entities_in(base))
        self.changed = changed or {}
        self._replaced = {k: (replaced or {}).get(k) or self._numbers(k) for k in self.changed}
        """Numbers of the documents in the base that the changed ones replace."""
        dead = list(chain.from_iterable(self._replaced.values()))
        self.snapshot = Snapshot(
            base,
            in_memory(chain.from_iterable(self.changed.values())),
            in_memory(map(base.document, dead)),
            frozenset(dead),
        )
        self.memo = Memo()
        self.serial = next(_serials)
        """Another one for every generation of every knowledge base."""

    @classmethod
    def of(cls, artifacts: Iterable[Artifact]) -> Knowledge:
        """All that there is, in memory."""
        builder = Builder(Writing())
        for artifact in sorted(artifacts, key=lambda one: isinstance(one, Claim)):
            builder.add(artifact)
        return builder.finish()

    # Artifacts

    def artifact(self, key: Key) -> Artifact | None:
        """Any artifact by its key."""
        kind, artifact_id = key
        if kind == Kind.ENTITY:
            return self.names.entity(artifact_id)
        found = self.document(key)
        return None if found is None else artifact_in(found)

    def document(self, key: Key) -> Document | None:
        """The first document of an artifact."""
        if key in self.changed:
            return next(iter(self.changed[key]), None)
        number = self._number(*key)
        return None if number is None else self.base.document(number)

    def _number(self, kind: str, artifact_id: str, section: int = 0) -> int | None:
        query = term_query("key", sort_key(kind, artifact_id, section))
        found = self.base.search(query, 1)
        return found[0][1] if found else None

    def _numbers(self, key: Key) -> tuple[int, ...]:
        """The numbers of all documents of an artifact in the base."""
        kind, artifact_id = key
        first = self._number(kind, artifact_id)
        if first is None:
            return ()
        if kind != Kind.PAGE:
            return (first,)
        found = [first]
        while (number := self._number(kind, artifact_id, len(found))) is not None:
            found.append(number)
        title = self._number(TITLE, artifact_id)
        return (*found, *(() if title is None else (title,)))

    def _of(self, made: type[T], kind: Kind, artifact_id: str) -> T | None:
        found = self.artifact((kind, artifact_id))
        return found if isinstance(found, made) else None

    def claim(self, claim_id: str) -> Claim | None:
        return self._of(Claim, Kind.CLAIM, claim_id)

    def entity(self, entity_id: str) -> Entity | None:
        return self.names.entity(entity_id)

    def page(self, page_id: str) -> Page | None:
        return self._of(Page, Kind.PAGE, page_id)

    def relation(self, relation_id: str) -> Relation | None:
        return self._of(Relation, Kind.RELATION, relation_id)

    def source(self, source_id: str) -> Source | None:
        return self._of(Source, Kind.SOURCE, source_id)

    def evidence(self, evidence_id: str) -> Evidence | None:
        return self._of(Evidence, Kind.EVIDENCE, evidence_id)

    def at_path(self, path: str) -> Artifact | None:
        """What a file below `.vouch/` says, if that counts."""
        if classify(path) is None:
            return None
        elsewhere = self._found(reference("stands", path))
        found = next(elsewhere, None) or self.artifact(usual_key(path))
        return found if found is not None and found.path == path else None

    def all_of(self, kind: Kind) -> Iterator[Artifact]:
        """The artifacts of a kind, whoever may see them, in no particular order."""
        if kind is Kind.ENTITY:
            yield from self.names.entities()
            return
        places = [name for name in self.snapshot.lengths if name.startswith(f"{kind}@")]
        if places:
            yield from self._artifacts(value_query("place", places))

    # What refers to what

    def pages_about(self, key: Key) -> list[str]:
        """Ids of the pages that list a claim or an entity, sorted."""
        kind, artifact_id = key
        pages = {page.id for page in self._found(reference(f"lists {kind.value}", artifact_id))}
        entity = self.entity(artifact_id) if kind is Kind.ENTITY else None
        own = {entity.page} if entity is not None and entity.page else set()
        return sorted(pages | own)

    def relations_of(self, artifact_id: str) -> list[Relation]:
        """The relations that start or end at an artifact, by id."""
        found = self._found(reference("joins", artifact_id))
        return [relation for relation in found if isinstance(relation, Relation)]

    def links(self, claim_id: str, gates: frozenset[str]) -> tuple[list[str], LinkedBy]:
        """The entities that a claim counts for, for whoever passes the gates, and why."""
        found = self.document((Kind.CLAIM, claim_id))
        if found is None:
            return [], "named"
        by: LinkedBy = found["linked"][0]
        return sorted(entities_in(found, gates)), by

    def _found(self, refers: str) -> Iterator[Artifact]:
        """What refers to something, by kind and id."""
        return self._artifacts(value_query("refers", [refers]))

    def _artifacts(self, query: Query) -> Iterator[Artifact]:
        for hit in self.snapshot.every(query):
            found = self.snapshot.document(hit)
            if key_in(found)[2] == 0:
                yield artifact_in(found)

    # Other generations

    def after(self, change: Change) -> Knowledge:
        """What is known once a change is taken in. Retired artifacts are removed, not kept."""
        told = {key_of(one): one for one in change.upserts if is_told(one)}
        gone = {*change.removals, *map(key_of, change.upserts)}.difference(told)
        told = {key: one for key, one in told.items() if self.artifact(key) != one}
        gone = {key for key in gone if self.artifact(key) is not None}
        if not told and not gone:
            return self
        world = _After(self, told, gone)
        documents: dict[Key, Documents] = dict.fromkeys(gone, ())
        for key, artifact in told.items():
            documents[key] = tuple(documents_of(artifact, standing(artifact, world)))
        for key, artifact in self._touched(told, gone, world).items():
            stands, before = standing(artifact, world), self.document(key)
            if before is None or stands != stands_in(before):
                documents[key] = tuple(documents_of(artifact, stands))
        return Knowledge(self.base, world.names, {**self.changed, **documents}, self._replaced)

    def on(self, base: Layer, written: Knowledge) -> Knowledge:
        """The same on another base, which was written from this or an earlier generation."""
        nothing = object()
        then = written.changed
        since = {k: made for k, made in self.changed.items() if then.get(k, nothing) is not made}
        return Knowledge(base, self.names, since)

    def documents(self) -> Iterator[Document]:
        """Every document, for writing a base."""
        dead = self.snapshot.dead
        for number in range(self.base.size):
            if number not in dead:
                yield self.base.document(number)
        yield from chain.from_iterable(self.changed.values())

    def _touched(
        self, told: Mapping[Key, Artifact], gone: Collection[Key], world: _After
    ) -> dict[Key, Artifact]:
        """The artifacts, beside those that change, whose links or locks may."""
        found: dict[Key, Artifact] = {}
        for key in [*told, *gone]:
            effect = touched(self.artifact(key), told.get(key))
            queries = [_joining(effect.end), _quoting(effect.source)]
            claims = {*effect.claims}
            if effect.entity is not None:
                queries += [
                    self._about(effect.entity.id),
                    *self._naming(self.entity(effect.entity.id)),
                    *self._naming(told.get(key)),
                ]
                pages = (world.page(i) for i in self.pages_about(key))
                claims.update(c for page in pages if page for c in page.claims)
            for artifact in chain.from_iterable(self._artifacts(q) for q in queries if q):
                found[key_of(artifact)] = artifact
            for claim_id in claims:
                if (claim := self.claim(claim_id)) is not None:
                    found[key_of(claim)] = claim
        return {key: one for key, one in found.items() if key not in told and key not in gone}

    def _about(self, entity_id: str) -> Query:
        """The claims that declare an entity or count for it."""
        behind = {value.partition("@")[2] for value in self.snapshot.lengths}
        values = [f"{one} {entity_id}" for one in behind]
        return any_of(
            [
                value_query("refers", [reference("declares", entity_id)]),
                value_query("about", values),
            ]
        )

    def _naming(self, entity: Artifact | None) -> Iterator[Query]:
        """The claims that may count for an entity because they name it."""
        if not isinstance(entity, Entity):
            return
        declared = (Occur.MustNot, value_query("linked", ["declared"]))
        places = [name for name in self.snapshot.lengths if name.startswith(f"{Kind.CLAIM}@")]
        for name in places:
            for stems in required(entity):
                words = [(Occur.Must, stem_query(name, stem)) for stem in stems]
                all_claims = (Occur.Must, value_query("place", [name]))
                yield Query.boolean_query([*(words or [all_claims]), declared])


def _joining(end: str | None) -> Query | None:
    return None if end is None else value_query("refers", [reference("joins", end)])


def _quoting(source: str | None) -> Query | None:
    return None if source is None else value_query("refers", [reference("quotes", source)])


def _entities_in(base: Layer) -> Iterator[Entity]:
    query = value_query("place", [f"{Kind.ENTITY}@open"])
    for _, number in base.search(query, max(1, base.count(query))):
        found = artifact_in(base.document(number))
        assert isinstance(found, Entity)
        yield found


class _After:
    """What links depend on, as it is after a change."""

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


class Builder:
    """Takes in a knowledge base for the first time, in the order in which its files are read:
    claims after entities and pages. What depends on claims and sources is kept until the end.
    """

    def __init__(self, writing: Writing) -> None:
        self._writing = writing
        self._entities: list[Entity] = []
        self._pages: dict[str, list[Page]] = {}
        self._late: list[Relation | Evidence] = []
        self._gates: dict[str, tuple[str, ...]] = {}

    def add(self, artifact: Artifact) -> None:
        """Take in an artifact whose key has not come before."""
        if not is_told(artifact):
            return
        if isinstance(artifact, Relation | Evidence):
            self._late.append(artifact)
            return
        if isinstance(artifact, Entity):
            self._entities.append(artifact)
        if isinstance(artifact, Page):
            for claim_id in artifact.claims:
                self._pages.setdefault(claim_id, []).append(artifact)
        if isinstance(artifact, Entity | Claim | Page | Source):
            gates = self._gates.get(artifact.id, ())
            self._gates[artifact.id] = (*gates, gate_of(artifact) or OPEN)
        self._write(artifact)

    def finish(self) -> Knowledge:
        """What was taken in."""
        for artifact in self._late:
            self._write(artifact)
        return Knowledge(self._writing.finish(), self.names)

    def _write(self, artifact: Artifact) -> None:
        for made in documents_of(artifact, standing(artifact, self)):
            self._writing.add(made)

    @cached_property
    def names(self) -> Names:
        return Names.of(self._entities)

    def pages_listing(self, claim_id: str) -> Iterable[Page]:
        return sorted(self._pages.get(claim_id, ()), key=lambda page: page.id)

    def gates_at(self, artifact_id: str) -> Iterable[str]:
        return self._gates.get(artifact_id, ())
