"""The artifacts of one knowledge base: by id, by path, by ordinal, and by what refers to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count
from marshal import loads

from pyroaring import BitMap
from vouch_sidecar.index.documents import DocumentRef, Prepared, documents_for
from vouch_sidecar.index.lazy import Lazy
from vouch_sidecar.index.order import Order
from vouch_sidecar.index.packed import Mapped, Packed
from vouch_sidecar.index.postings import Document
from vouch_sidecar.index.rows import decoded
from vouch_sidecar.kb.layout import classify, usual_key, usual_path
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
    key_of,
)

__all__ = ["Artifacts"]


class Artifacts:
    """What there is. The attributes are what `frozen` keeps and brings back; to others they are
    private. What was there at first is `packed`, and is made again when it is asked for.
    """

    def __init__(self, packed: Packed) -> None:
        self.packed = packed
        self.by_key: Lazy[Key, Prepared] = Lazy(
            Mapped(packed.numbers, packed.row), lambda _, row: decoded(loads(row))
        )
        self.documents: Lazy[Key, tuple[Document, ...]] = Lazy(
            Mapped(packed.numbers, packed.span),
            lambda key, span: documents_for(self.by_key[key], span),
        )
        self.ordinals = count(packed.stop)
        self.refs: Lazy[int, DocumentRef] = Lazy(packed.owners, packed.ref)
        self.claims: Lazy[int, Claim] = Lazy(packed.owners, self._claim_owning)
        self.order = Order()
        self.declared_by: dict[str, set[str]] = defaultdict(set)
        self.pages_by_claim: dict[str, set[str]] = defaultdict(set)
        self.pages_by_entity: dict[str, set[str]] = defaultdict(set)
        self.relations_by_end: dict[str, set[str]] = defaultdict(set)
        self._paths: dict[str, Key] = {}
        """The files whose name is not their artifact's id."""

    def claim(self, claim_id: str) -> Claim | None:
        found = self._get(Kind.CLAIM, claim_id)
        return found if isinstance(found, Claim) else None

    def entity(self, entity_id: str) -> Entity | None:
        found = self._get(Kind.ENTITY, entity_id)
        return found if isinstance(found, Entity) else None

    def page(self, page_id: str) -> Page | None:
        found = self._get(Kind.PAGE, page_id)
        return found if isinstance(found, Page) else None

    def relation(self, relation_id: str) -> Relation | None:
        found = self._get(Kind.RELATION, relation_id)
        return found if isinstance(found, Relation) else None

    def source(self, source_id: str) -> Source | None:
        found = self._get(Kind.SOURCE, source_id)
        return found if isinstance(found, Source) else None

    def evidence(self, evidence_id: str) -> Evidence | None:
        found = self._get(Kind.EVIDENCE, evidence_id)
        return found if isinstance(found, Evidence) else None

    def artifact(self, key: Key) -> Artifact | None:
        """Any artifact by its key."""
        return self._get(*key)

    def at_path(self, path: str) -> Artifact | None:
        """What a file below `.vouch/` says, if that counts."""
        if classify(path) is None:
            return None
        found = self._get(*self._paths.get(path, usual_key(path)))
        return found if found is not None and found.path == path else None

    def all_of(self, kind: Kind) -> Iterator[Artifact]:
        """The artifacts of a kind, in no particular order."""
        return (self.by_key[key].artifact for key in self.by_key if key[0] == kind)

    def ref(self, ordinal: int) -> DocumentRef:
        """What an ordinal of the full-text index stands for."""
        return self.refs[ordinal]

    def document(self, ordinal: int) -> tuple[DocumentRef, Document]:
        """What an ordinal of the full-text index stands for, and its stems."""
        ref = self.refs[ordinal]
        return ref, self.documents[ref.key][ref.section]

    def stems_of(self, key: Key) -> frozenset[str]:
        """The stems of an artifact's texts; empty where there is none."""
        return frozenset(s for d in self.documents.get(key, ()) for s in d.stems)

    def claims_at(self, ordinals: Iterable[int]) -> Iterator[Claim]:
        """The claims that ordinals stand for, in their order."""
        return map(self.claims.__getitem__, ordinals)

    def _claim_owning(self, _: int, number: int) -> Claim:
        """Without its stems, which questions for many claims do not need."""
        key = self.packed.keys[number]
        prepared = self.by_key.made(key)
        found = self.packed.artifact(key) if prepared is None else prepared.artifact
        assert isinstance(found, Claim)
        return found

    def first(self, ordinals: BitMap, limit: int) -> list[int]:
        """Those of the ordinals (of one kind) whose artifacts' ids come first, in that order."""
        return self.order.first(ordinals, limit, lambda ordinal: self.refs[ordinal].key[1])

    def pages_about(self, key: Key) -> list[str]:
        """Ids of the pages that list a claim or an entity, sorted."""
        kind, artifact_id = key
        if kind is Kind.CLAIM:
            return sorted(self.pages_by_claim.get(artifact_id, ()))
        own = entity.page if (entity := self.entity(artifact_id)) else None
        return sorted(self.pages_by_entity.get(artifact_id, set()) | ({own} if own else set()))

    def documents_of(self, key: Key) -> tuple[Document, ...]:
        """What full text knows of an artifact; empty where there is none."""
        found: tuple[Document, ...] = self.documents.get(key, ())
        return found

    def relations_of(self, artifact_id: str) -> list[str]:
        """Ids of the relations that start or end at an artifact, sorted."""
        return sorted(self.relations_by_end.get(artifact_id, ()))

    def _get(self, kind: Kind, artifact_id: str) -> Artifact | None:
        try:
            return self.by_key[kind, artifact_id].artifact
        except KeyError:
            return None

    def prepared(self) -> list[Prepared]:
        """All artifacts as they were taken in, for building anew."""
        return list(self.by_key.values())

    def _new_documents(self, prepared: Prepared) -> tuple[Document, ...]:
        return documents_for(prepared, self.ordinals)

    def _next_documents(self, prepared: Prepared) -> tuple[Document, ...]:
        """An artifact's documents; a claim keeps its ordinal as long as it keeps its gate."""
        held = self.documents.get(key_of(prepared.artifact))
        if held and isinstance(prepared.artifact, Claim):
            documents = documents_for(prepared, (held[0].ordinal,))
            if documents[0].gate == held[0].gate:
                return documents
        return self._new_documents(prepared)

    def _put(self, prepared: Prepared, documents: tuple[Document, ...]) -> None:
        """Hold an artifact that is not held."""
        artifact = prepared.artifact
        key = key_of(artifact)
        self.by_key[key] = prepared
        self.documents[key] = documents
        for section, document in enumerate(documents):
            self.refs[document.ordinal] = DocumentRef(key, section)
        if isinstance(artifact, Claim):
            self.claims[documents[0].ordinal] = artifact
        self._place(key, artifact, documents)

    def _pack(self, prepared: Prepared, documents: tuple[Document, ...]) -> None:
        """Hold an artifact that never was held, packed, as long as nothing else changes."""
        self.packed.add(prepared, documents)
        self._place(key_of(prepared.artifact), prepared.artifact, documents)

    def _place(self, key: Key, artifact: Artifact, documents: tuple[Document, ...]) -> None:
        if usual_path(*key) != artifact.path:
            self._paths[artifact.path] = key
        self.order.add(*key, (document.ordinal for document in documents))
        for index, target in self._references(artifact):
            index[target].add(artifact.id)

    def _revise(self, key: Key, prepared: Prepared, documents: tuple[Document, ...]) -> None:
        """Hold a claim as it is now, under the ordinal that it has."""
        claim, before = prepared.artifact, self.by_key[key].artifact
        assert isinstance(claim, Claim)
        assert isinstance(before, Claim)
        self._paths.pop(before.path, None)
        if usual_path(*key) != claim.path:
            self._paths[claim.path] = key
        if before.entities != claim.entities:
            for index, target in self._references(before):
                index[target].discard(claim.id)
            for index, target in self._references(claim):
                index[target].add(claim.id)
        self.by_key[key] = prepared
        self.documents[key] = documents
        self.claims[documents[0].ordinal] = claim

    def _take_out(self, key: Key) -> tuple[Artifact, tuple[Document, ...]]:
        """Hold an artifact no longer, nor its documents."""
        documents, artifact = self.documents.pop(key), self.by_key.pop(key).artifact
        if self._paths.get(artifact.path) == key:
            del self._paths[artifact.path]
        self.order.remove(document.ordinal for document in documents)
        for document in documents:
            del self.refs[document.ordinal]
        if isinstance(artifact, Claim):
            del self.claims[documents[0].ordinal]
        for index, target in self._references(artifact):
            if target in index:
                index[target].discard(artifact.id)
        return artifact, documents

    def _references(self, artifact: Artifact) -> Iterator[tuple[dict[str, set[str]], str]]:
        """The reverse indexes that an artifact stands in, and under which id."""
        match artifact:
            case Claim():
                yield from ((self.declared_by, e) for e in artifact.entities)
            case Page():
                yield from ((self.pages_by_claim, c) for c in artifact.claims)
                yield from ((self.pages_by_entity, e) for e in artifact.entities)
            case Relation():
                yield self.relations_by_end, artifact.source
                yield self.relations_by_end, artifact.target
            case _:
                pass
