"""A generation: everything known about one knowledge base at one moment. It never changes; a change
makes another generation, which shares the base and has its own layers. It holds live artifacts
only, of all viewers; `retrieval.view` chooses what one viewer may see.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from hashlib import blake2b
from itertools import chain, count
from typing import TypeVar

from tantivy import Document, Query

from vouch_sidecar.index.document_schema import QUESTION, RETIRED, TITLE
from vouch_sidecar.index.encoding import DocumentKey, Pointer, Pseudonyms, StemPlace
from vouch_sidecar.index.layers import EMPTY, Layer, Snapshot, in_memory
from vouch_sidecar.index.links import LinkedBy
from vouch_sidecar.index.memo import Memo
from vouch_sidecar.index.pointers import retired_key
from vouch_sidecar.index.query import matching, pointing_query, term_query, value_query
from vouch_sidecar.index.receipts import Quoted
from vouch_sidecar.index.stored_artifacts import (
    artifact_in,
    closed_in,
    entities_in,
    forms_in,
    is_retired,
    key_in,
    quoted_in,
    shown_in,
)
from vouch_sidecar.index.withheld_texts import Closed, Withheld
from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Entity,
    Evidence,
    Key,
    Kind,
    Page,
    Relation,
    Source,
)
from vouch_sidecar.names.matcher import Names
from vouch_sidecar.names.name_forms import KeyedForm

T = TypeVar("T", bound=Artifact)
Documents = tuple[Document, ...]
LINKED_ENOUGH = 0.5
"""If this share of the claims is linked to declared entities, no topics are derived."""
_serials = count(1)
_NAMING = ("declares", "lists-entity", "joins", "quotes", "cites")
_NAMING_CLAIMS = ("lists-claim", "cites", "supersedes")
"""The pointers at a claim's pseudonym."""


class Knowledge:
    """One generation of a knowledge base; any thread may use it.

    `changed` maps the key of each artifact that differs from the base to its documents: none for a
    deleted one; for one that nobody may see, at most one, which is `RETIRED`. Artifacts are
    `pointers.nameless`.
    """

    def __init__(
        self,
        base: Layer = EMPTY,
        names: Names | None = None,
        changed: Mapping[Key, Documents] | None = None,
        replaced: Mapping[Key, tuple[int, ...]] | None = None,
        withheld: Withheld | None = None,
        pseudonyms: Pseudonyms | None = None,
    ) -> None:
        self.base = base
        self.names = names or Names.recalled(_entities_in(base))
        self.withheld = withheld
        """The texts of the withheld claims; None until `incremental` needs and reads them."""
        self.pseudonyms = pseudonyms or Pseudonyms.new()
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
        """A number that no other generation of any knowledge base has."""
        self._same_as = 0
        """The number of the generation that says the same on another base, if one does."""

    # Artifacts

    def artifact(self, key: Key) -> Artifact | None:
        """Any artifact by its key; an entity as everybody may see it."""
        kind, artifact_id = key
        return self.names.entity(artifact_id) if kind == Kind.ENTITY else self.whole(key)

    def whole(self, key: Key) -> Artifact | None:
        """Any artifact by its key, with what only some may see."""
        document = self.document(key)
        return None if document is None else artifact_in(document)

    def document(self, key: Key) -> Document | None:
        """The first document of an artifact."""
        if key in self.changed:
            documents = self.changed[key]
            return documents[0] if is_known(documents) else None
        number = self._number(*key)
        return None if number is None else self.base.document(number)

    def _number(self, kind: str, artifact_id: str, section: int = 0) -> int | None:
        return self._number_of_key(DocumentKey(kind, artifact_id, section).encode())

    def _number_of_key(self, key: str) -> int | None:
        hits = self.base.search(term_query("key", key), 1)
        return hits[0][1] if hits else None

    def _numbers(self, key: Key) -> tuple[int, ...]:
        """The numbers of all documents of an artifact in the base."""
        kind, artifact_id = key
        first = self._number(kind, artifact_id)
        if first is None:
            retired = self._number_of_key(retired_key(key, self.pseudonyms))
            return () if retired is None else (retired,)
        beside = {Kind.PAGE: TITLE, Kind.SOURCE: QUESTION}.get(Kind(kind))
        if beside is None:
            return (first,)
        numbers = [first]
        while (number := self._number(kind, artifact_id, len(numbers))) is not None:
            numbers.append(number)
        other = self._number(beside, artifact_id)
        return (*numbers, *(() if other is None else (other,)))

    def _of_type(self, record: type[T], kind: Kind, artifact_id: str) -> T | None:
        artifact = self.artifact((kind, artifact_id))
        return artifact if isinstance(artifact, record) else None

    def claim(self, claim_id: str) -> Claim | None:
        return self._of_type(Claim, Kind.CLAIM, claim_id)

    def entity(self, entity_id: str) -> Entity | None:
        return self.names.entity(entity_id)

    def page(self, page_id: str) -> Page | None:
        return self._of_type(Page, Kind.PAGE, page_id)

    def source(self, source_id: str) -> Source | None:
        return self._of_type(Source, Kind.SOURCE, source_id)

    def evidence(self, evidence_id: str) -> Evidence | None:
        return self._of_type(Evidence, Kind.EVIDENCE, evidence_id)

    def all_of(self, kind: Kind) -> Iterator[Artifact]:
        """All artifacts of a kind, also those that only some viewers may see, in no particular
        order.
        """
        if kind is Kind.ENTITY:
            yield from self.names.entities()
            return
        if places := self.places(kind):
            yield from self.artifacts_in(value_query("place", places))

    # Receipts

    def quoted(self, claim_id: str) -> Quoted | None:
        """The place of a claim's receipt in its source; None if it is unknown."""
        document = self.document((Kind.CLAIM, claim_id))
        return None if document is None else quoted_in(document)

    def all_quoted(self) -> Iterator[Quoted | None]:
        """The place of every claim's receipt; None where it is unknown."""
        places = self.places(Kind.CLAIM)
        for hit in self.snapshot.all_hits(value_query("place", places)) if places else ():
            yield quoted_in(self.snapshot.document(hit))

    def claims_quoting(self, source_id: str) -> Iterator[tuple[Claim, Quoted]]:
        """Yield each claim with a sentence of a source, and the receipt's place, sorted by claim
        id.
        """
        for hit in self.snapshot.all_hits(pointing_query("stands-in", source_id)):
            document = self.snapshot.document(hit)
            claim, quoted = artifact_in(document), quoted_in(document)
            if isinstance(claim, Claim) and quoted is not None:
                yield claim, quoted

    def withheld_by(self, key: Key) -> list[str]:
        """The encoded pointers of a retired claim to the evidence that it hides from everybody;
        empty for any other artifact.
        """
        document = self.retired_document(key) if key[0] == Kind.CLAIM else None
        return [] if document is None else document.get_all("refers")

    def retired_document(self, key: Key) -> Document | None:
        """The document that stands for an artifact that nobody may see; None for any other
        artifact. For a retired claim, its label is that of the viewers for whom the claim closes no
        source.
        """
        if key in self.changed:
            documents = self.changed[key]
            return documents[0] if documents and is_retired(documents[0]) else None
        number = self._number_of_key(retired_key(key, self.pseudonyms))
        return None if number is None else self.base.document(number)

    def withholds(self, pointer: Pointer, but: Callable[[str], bool]) -> bool:
        """Whether a retired claim has this pointer. Documents whose sort key `but` accepts are
        ignored.
        """
        if not self.snapshot.frequency("refers", pointer.encode()):
            return False
        hits = self.snapshot.all_hits(pointing_query(*pointer))
        return any(not but(str(self.snapshot.document(hit)["key"][0])) for hit in hits)

    def closed(self, source_id: str) -> list[Closed]:
        """The parts of a source that need more gates than the source itself."""
        document = self.document((Kind.SOURCE, source_id))
        return [] if document is None else closed_in(document)

    def withheld_claims(self) -> Iterator[Claim]:
        """The live claims that not everybody may see."""
        gated = [
            place
            for place in self.places(Kind.CLAIM)
            if place != StemPlace(Kind.CLAIM, OPEN).encode()
        ]
        for artifact in self.artifacts_in(value_query("place", gated)) if gated else ():
            if isinstance(artifact, Claim):
                yield artifact

    def retired_keys(self) -> frozenset[str]:
        """The sort keys of the documents that stand for artifacts nobody may see."""
        places = self.places(RETIRED)
        return self.keys_of(value_query("place", places)) if places else frozenset()

    def keys_of(self, query: Query) -> frozenset[str]:
        """The sort keys of the documents that a query finds."""
        hits = self.snapshot.all_hits(query)
        return frozenset(str(self.snapshot.document(hit)["key"][0]) for hit in hits)

    def places(self, kind: str) -> list[str]:
        """The places (`StemPlace`) of the texts of a kind."""
        return [name for name in self.snapshot.lengths if name.startswith(f"{kind}@")]

    # References

    def pages_about(self, key: Key) -> list[str]:
        """Ids of the pages that list a claim or an entity, sorted."""
        kind, artifact_id = key
        stored_id = self.pseudonyms.of(artifact_id) if kind is Kind.CLAIM else artifact_id
        listing = self.snapshot.all_hits(pointing_query(f"lists-{kind.value}", stored_id))
        pages = {key_in(self.snapshot.document(hit))[1] for hit in listing}
        entity = self.entity(artifact_id) if kind is Kind.ENTITY else None
        if entity is not None and entity.page:
            own = self._referring(Pointer("is", entity.page).encode())
            pages |= {artifact.id for artifact in own if isinstance(artifact, Page)}
        return sorted(pages)

    def relations_of(self, artifact_id: str) -> list[Relation]:
        """The relations that start or end at an artifact, by id."""
        artifacts = self._referring(Pointer("joins", artifact_id).encode())
        return [relation for relation in artifacts if isinstance(relation, Relation)]

    def claim_of(self, pseudonym: str) -> Claim | None:
        """The claim that a pseudonym stands for, if some viewer may see it."""
        claims = self._referring(Pointer("is", pseudonym).encode())
        return next((claim for claim in claims if isinstance(claim, Claim)), None)

    def superseding(self, pseudonym: str) -> list[str]:
        """The pseudonyms of the claims that supersede a claim, by a field or in a relation, sorted.
        Some may be retired themselves.
        """
        newer = set()
        for hit in self.snapshot.all_hits(pointing_query("supersedes", pseudonym)):
            document = self.snapshot.document(hit)
            if is_retired(document):
                pointers = map(Pointer.decode, document.get_all("refers"))
                newer |= {pointer.target for pointer in pointers if pointer.how == "by"}
            else:
                artifact = artifact_in(document)
                newer.add(
                    self.pseudonyms.of(
                        artifact.source if isinstance(artifact, Relation) else artifact.id
                    )
                )
        return sorted(newer)

    def citing(self, artifact_id: str) -> Query:
        """A query for the artifacts that refer to an id of any kind."""
        pointers = [Pointer(how, artifact_id).encode() for how in _NAMING]
        pseudonym = self.pseudonyms.of(artifact_id)
        pointers += [Pointer(how, pseudonym).encode() for how in _NAMING_CLAIMS]
        return value_query("refers", pointers)

    def links(self, claim_id: str, gates: frozenset[str]) -> tuple[list[str], LinkedBy]:
        """Sorted ids of the entities that a claim is linked to for a viewer with these gates, and
        how the links came about.
        """
        document = self.document((Kind.CLAIM, claim_id))
        if document is None:
            return [], "named"
        by: LinkedBy = document["linked"][0]
        return sorted(entities_in(document, gates)), by

    @cached_property
    def sparse_labels(self) -> frozenset[str]:
        """The visibility labels whose viewers see few linked claims: less than `LINKED_ENOUGH` of
        the claims with this label or the open one are linked to an entity, or there are only pages
        with this label.
        """
        every, pages = Counter[str](), set[str]()
        for name, total in self.snapshot.lengths.items():
            kind, label = StemPlace.decode(name)
            every[label] += total.number if kind == Kind.CLAIM else 0
            pages |= {label} if kind == TITLE else set()
        linked = Counter[str]()
        for name, total in self.snapshot.sums(matching("about", ".+"), "place").items():
            linked[StemPlace.decode(name).label] += total.number
        sparse = set()
        for label in {OPEN, *pages, *(other for other, number in every.items() if number)}:
            labels = {OPEN, label}
            number = sum(every[label] for label in labels)
            has_few = sum(linked[label] for label in labels) < LINKED_ENOUGH * number
            if has_few if number else label in pages:
                sparse.add(label)
        return frozenset(sparse)

    def _referring(self, refers: str) -> Iterator[Artifact]:
        """The artifacts that hold an encoded pointer, sorted by kind and id."""
        return self.artifacts_in(term_query("refers", refers))

    def artifacts_in(self, query: Query) -> Iterator[Artifact]:
        """Every artifact whose first document matches a query, sorted by kind and id."""
        for hit in self.snapshot.all_hits(query):
            document = self.snapshot.document(hit)
            kind, _, section = key_in(document)
            if section == 0 and kind != RETIRED:
                yield artifact_in(document)

    # Other generations

    def changed_to(
        self, documents: Mapping[Key, Documents], names: Names, withheld: Withheld | None
    ) -> Knowledge:
        """The next generation. `documents` replaces those of the same keys; an empty tuple deletes
        the artifact.
        """
        changed = {**self.changed, **documents}
        return Knowledge(self.base, names, changed, self._replaced, withheld, self.pseudonyms)

    def on_base(self, base: Layer, written: Knowledge) -> Knowledge:
        """This generation on a new base that holds `written`, which is this generation or an
        earlier one.
        """
        nothing = object()
        then = written.changed
        since = {
            k: documents
            for k, documents in self.changed.items()
            if then.get(k, nothing) is not documents
        }
        names = self.pseudonyms
        moved = Knowledge(base, self.names, since, withheld=self.withheld, pseudonyms=names)
        moved._same_as = self.serial
        return moved

    def changed_since(self, before: Knowledge) -> list[Key] | None:
        """Keys of the artifacts that differ from an earlier generation; None if all may differ."""
        if before is self or before.serial == self._same_as:
            return []
        if before.base is not self.base:
            return None
        keys = before.changed.keys() | self.changed.keys()
        return [k for k in keys if before.changed.get(k) is not self.changed.get(k)]

    @cached_property
    def digest(self) -> str:
        """A digest that two processes share only if their generations have the same base on disk
        and the same changes; "" for a base in memory.
        """
        if not self.base.name:
            return ""
        digest = blake2b(self.base.name.encode(), digest_size=16)
        for key in sorted(self.changed):
            fields = [document.to_dict() for document in self.changed[key]]
            digest.update(json.dumps([key, fields], sort_keys=True, default=str).encode())
        return digest.hexdigest()

    def documents(self) -> Iterator[Document]:
        """Every document, for writing a base."""
        dead = self.snapshot.dead
        for number in range(self.base.size):
            if number not in dead:
                yield self.base.document(number)
        yield from chain.from_iterable(self.changed.values())


def is_known(documents: Documents) -> bool:
    """Whether the artifact with these documents exists and is not retired."""
    return bool(documents) and not is_retired(documents[0])


def open_entity(document: Document) -> Entity:
    """The entity that a document holds, as everybody may see it."""
    entity = shown_in(document, frozenset({OPEN}))
    assert isinstance(entity, Entity)
    return entity


def _entities_in(base: Layer) -> Iterator[tuple[Entity, list[KeyedForm]]]:
    query = value_query("place", [f"{Kind.ENTITY}@open"])
    for _, number in base.search(query, max(1, base.count(query))):
        document = base.document(number)
        yield open_entity(document), forms_in(document)
