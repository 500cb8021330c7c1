"""One consistent view of what a knowledge base says: artifacts, names, links and full text.

It holds live artifacts only; who may see them is asked at the time of a question. A change is
applied in one step between two questions, and can be taken back in one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from itertools import count
from typing import Literal, NamedTuple

from sidecar.index.content import Needle
from sidecar.index.documents import Prepared
from sidecar.index.forms import required
from sidecar.index.memo import Memo
from sidecar.index.names import Names
from sidecar.index.search import Document, Search
from sidecar.kb.access import OPEN, gate_of, is_live
from sidecar.kb.layout import classify, usual_key, usual_path
from sidecar.kb.records import (
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

__all__ = ["DocumentRef", "Knowledge", "Links", "PreparedChange"]

LinkedBy = Literal["declared", "named", "page"]


class DocumentRef(NamedTuple):
    """What a document of the full-text index stands for; `section` is 0 but for pages."""

    key: Key
    section: int


class Links(NamedTuple):
    """The entities that a claim counts for, each once and sorted, and why."""

    entity_ids: tuple[str, ...]
    by: LinkedBy


class PreparedChange(NamedTuple):
    """A change, analysed for full text."""

    upserts: tuple[Prepared, ...]
    removals: frozenset[Key]


class _Undo(NamedTuple):
    """How to take a change back: what stood there, with its documents, and what did not."""

    restore: tuple[tuple[Prepared, tuple[Document, ...]], ...]
    remove: tuple[Key, ...]


Gated = tuple[tuple[str, tuple[str, ...]], ...]
"""The entities for which a claim counts by pages that not all who see the claim see, by gate."""
NO_LINKS = Links((), "named")
_NO_GATES: Mapping[str, set[int]] = {}


class Knowledge:
    """The contents of one knowledge base, in memory. One thread asks and changes it."""

    def __init__(self, search: Search | None = None) -> None:
        self.generation = 0
        self.overlaid = 0
        self.memo = Memo()
        self.names = Names()
        self.search = search or Search()
        self._artifacts: dict[Key, Prepared] = {}
        self._documents: dict[Key, tuple[Document, ...]] = {}
        self._refs: dict[int, DocumentRef] = {}
        self.changes = 0
        """How often anything was changed, overlays included."""
        self._paths: dict[str, Key] = {}
        """The files whose name is not their artifact's id."""
        self._ordinals = count()
        self._claims: dict[int, Claim] = {}
        self._links: dict[int, Links] = {}
        self._gated: dict[int, Gated] = {}
        self._counting: defaultdict[str, dict[str, set[int]]] = defaultdict(dict)
        self._declaring: defaultdict[str, set[str]] = defaultdict(set)
        self._pages_listing: defaultdict[str, set[str]] = defaultdict(set)
        self._pages_about: defaultdict[str, set[str]] = defaultdict(set)
        self._relations_of: defaultdict[str, set[str]] = defaultdict(set)
        self._gates: set[str] = {OPEN}

    # What is there

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
        return (self._artifacts[key].artifact for key in self._artifacts if key[0] == kind)

    def ref(self, ordinal: int) -> DocumentRef:
        """What an ordinal of the full-text index stands for."""
        return self._refs[ordinal]

    def document(self, ordinal: int) -> tuple[DocumentRef, Document]:
        """What an ordinal of the full-text index stands for, and its stems."""
        ref = self._refs[ordinal]
        return ref, self._documents[ref.key][ref.section]

    def stems_of(self, key: Key) -> frozenset[str]:
        """The stems of an artifact's texts; empty where there is none."""
        return frozenset(s for d in self._documents.get(key, ()) for s in d.stems)

    def links(self, claim_id: str, gates: AbstractSet[str] = frozenset()) -> Links:
        """The entities that a claim counts for, by pages behind these gates as well."""
        documents = self._documents.get((Kind.CLAIM, claim_id))
        if not documents or documents[0].ordinal not in self._links:
            return NO_LINKS
        return self._links_behind(documents[0].ordinal, gates)

    def claims_at(self, ordinals: Iterable[int]) -> Iterator[Claim]:
        """The claims that ordinals stand for, in their order."""
        return map(self._claims.__getitem__, ordinals)

    def links_at(self, ordinals: Iterable[int], gates: AbstractSet[str]) -> Iterator[Links]:
        """What the claims count for that ordinals stand for, in their order; as `links`."""
        if not self._gated:
            return map(self._links.__getitem__, ordinals)
        return (self._links_behind(ordinal, gates) for ordinal in ordinals)

    def _links_behind(self, ordinal: int, gates: AbstractSet[str]) -> Links:
        links = self._links[ordinal]
        more = [ids for gate, ids in self._gated.get(ordinal, ()) if gate in gates]
        return Links(tuple(sorted({*links.entity_ids}.union(*more))), links.by) if more else links

    def counting(self, entity_id: str, gates: AbstractSet[str]) -> AbstractSet[int]:
        """Ordinals of the claims behind these gates that count for an entity; not to be changed."""
        by_gate = self._counting.get(entity_id, _NO_GATES)
        found = [ordinals for gate, ordinals in by_gate.items() if gate in gates and ordinals]
        return found[0] if len(found) == 1 else frozenset().union(*found)

    def pages_about(self, key: Key) -> list[str]:
        """Ids of the pages that list a claim or an entity, sorted."""
        kind, artifact_id = key
        if kind is Kind.CLAIM:
            return sorted(self._pages_listing.get(artifact_id, ()))
        own = entity.page if (entity := self.entity(artifact_id)) else None
        return sorted(self._pages_about.get(artifact_id, set()) | ({own} if own else set()))

    def documents_of(self, key: Key) -> tuple[Document, ...]:
        """What full text knows of an artifact; empty where there is none."""
        return self._documents.get(key, ())

    def relations_of(self, artifact_id: str) -> list[str]:
        """Ids of the relations that start or end at an artifact, sorted."""
        return sorted(self._relations_of.get(artifact_id, ()))

    def _get(self, kind: Kind, artifact_id: str) -> Artifact | None:
        try:
            return self._artifacts[kind, artifact_id].artifact
        except KeyError:
            return None

    # How it changes

    def apply(self, change: PreparedChange) -> _Undo:
        """Take a change in, in one step. Retired artifacts are removed, not kept."""
        upserts = {key_of(p.artifact): p for p in change.upserts}
        keep = [p for p in upserts.values() if is_live(p.artifact) and gate_of(p.artifact)]
        gone = change.removals | upserts.keys()
        undo = _Undo(
            tuple((self._artifacts[k], self._documents[k]) for k in gone if k in self._artifacts),
            tuple(key_of(p.artifact) for p in keep),
        )
        self._replace(gone, [(p, self._new_documents(p)) for p in keep])
        return undo

    @contextmanager
    def overlay(self, change: PreparedChange | None, stamp: int) -> Iterator[None]:
        """Answer as if a change had been made, until the block ends.

        `stamp` is not 0 and differs between different changes.
        """
        if change is None:
            yield
            return
        undo = self.apply(change)
        self.overlaid = stamp
        try:
            yield
        finally:
            self.overlaid = 0
            self._replace(undo.remove, undo.restore)

    @classmethod
    def of(cls, artifacts: Iterable[Prepared]) -> Knowledge:
        """Build from all that there is (blocking, for a worker thread), ready for questions."""
        built = cls()
        for prepared in artifacts:
            built.learn(prepared)
        built.link()
        built.fold()
        return built

    def learn(self, prepared: Prepared) -> None:
        """Take in what is not known yet; `link` and `fold` come before the first question."""
        if is_live(prepared.artifact) and gate_of(prepared.artifact):
            self._learn(prepared, self._new_documents(prepared))

    def link(self, claim: Claim | None = None) -> None:
        """Link a claim, or all of them, to what is known by now."""
        for one in self._claims.values() if claim is None else (claim,):
            self._relink(one.id)

    def fold(self) -> None:
        """Have full text take in what was learned (blocking)."""
        if (pending := self.search.pending()) is not None:
            self.search.adopt(self.search.fold(pending))

    def prepared(self) -> list[Prepared]:
        """All artifacts as they were taken in, for building anew."""
        return list(self._artifacts.values())

    def prepared_of(self, key: Key) -> Prepared | None:
        """An artifact as it was taken in."""
        return self._artifacts.get(key)

    def _replace(
        self, gone: Iterable[Key], new: Iterable[tuple[Prepared, tuple[Document, ...]]]
    ) -> None:
        self.changes += 1
        touched: list[Artifact] = []
        for key in gone:
            if key in self._artifacts:
                touched.append(self._forget(key))
        for prepared, documents in new:
            self._learn(prepared, documents)
            touched.append(prepared.artifact)
        for claim_id in self._affected(touched):
            self._relink(claim_id)

    def _new_documents(self, prepared: Prepared) -> tuple[Document, ...]:
        kind, _ = key_of(prepared.artifact)
        gate = gate_of(prepared.artifact) or OPEN
        return tuple(Document(next(self._ordinals), kind, gate, s) for s in prepared.stems)

    def _learn(self, prepared: Prepared, documents: tuple[Document, ...]) -> None:
        artifact = prepared.artifact
        key = key_of(artifact)
        self._artifacts[key] = prepared
        self._documents[key] = documents
        if usual_path(*key) != artifact.path:
            self._paths[artifact.path] = key
        for section, document in enumerate(documents):
            self._refs[document.ordinal] = DocumentRef(key, section)
            self.search.add(document)
            self._gates.add(document.gate)
        if isinstance(artifact, Claim):
            self._claims[documents[0].ordinal] = artifact
            self._links[documents[0].ordinal] = NO_LINKS
        for index, target in self._references(artifact):
            index[target].add(artifact.id)
        if isinstance(artifact, Entity):
            self.names.add(artifact)

    def _forget(self, key: Key) -> Artifact:
        artifact = self._artifacts.pop(key).artifact
        if isinstance(artifact, Claim):
            self._unlink(self._documents[key][0])
            del self._claims[self._documents[key][0].ordinal]
        if self._paths.get(artifact.path) == key:
            del self._paths[artifact.path]
        for document in self._documents.pop(key):
            del self._refs[document.ordinal]
            self.search.remove(document)
        for index, target in self._references(artifact):
            _discard(index, target, artifact.id)
        if isinstance(artifact, Entity):
            self.names.remove(artifact.id)
        return artifact

    def _references(self, artifact: Artifact) -> Iterator[tuple[defaultdict[str, set[str]], str]]:
        """The reverse indexes that an artifact stands in, and under which id."""
        match artifact:
            case Claim():
                yield from ((self._declaring, e) for e in artifact.entities)
            case Page():
                yield from ((self._pages_listing, c) for c in artifact.claims)
                yield from ((self._pages_about, e) for e in artifact.entities)
            case Relation():
                yield self._relations_of, artifact.source
                yield self._relations_of, artifact.target
            case _:
                pass

    # Links

    def _affected(self, touched: Iterable[Artifact]) -> set[str]:
        """Ids of the claims whose links a change may have changed."""
        claims: set[str] = set()
        for artifact in touched:
            match artifact:
                case Claim():
                    claims.add(artifact.id)
                case Page():
                    claims.update(artifact.claims)
                case Entity():
                    claims.update(self._declaring.get(artifact.id, ()))
                    for ordinals in self._counting.get(artifact.id, _NO_GATES).values():
                        claims.update(claim.id for claim in self.claims_at(ordinals))
                    claims.update(self._naming(artifact))
                    for page_id in self._pages_about.get(artifact.id, ()):
                        page = self.page(page_id)
                        claims.update(page.claims if page else ())
                case _:
                    pass
        return claims

    def _naming(self, entity: Entity) -> Iterator[str]:
        """Ids of the claims that may name an entity: those that hold all words of a name."""
        for stems in required(entity):
            if not stems:
                yield from (i for k, i in self._artifacts if k == Kind.CLAIM)
            words = [Needle(stem, ((stem,),)) for stem in stems]
            for ordinal in self.search.holding_all(words, Kind.CLAIM, frozenset(self._gates)):
                yield self._refs[ordinal].key[1]

    def _relink(self, claim_id: str) -> None:
        claim = self.claim(claim_id)
        if claim is None:
            return
        (document,) = self._documents[Kind.CLAIM, claim_id]
        self._unlink(document)
        links = self._links[document.ordinal] = self._linked(claim)
        for entity_id in links.entity_ids:
            self._counting[entity_id].setdefault(document.gate, set()).add(document.ordinal)
        if document.gate == OPEN and links.by == "page":
            self._link_gated(claim_id, document.ordinal, links)

    def _link_gated(self, claim_id: str, ordinal: int, links: Links) -> None:
        """Link an open claim over the pages that only some see."""
        behind: defaultdict[str, set[str]] = defaultdict(set)
        for page_id in self._pages_listing.get(claim_id, ()):
            page = self.page(page_id)
            gate = gate_of(page) if page else None
            if page and gate and gate != OPEN:
                behind[gate].update(set(page.entities).difference(links.entity_ids))
        gated = ((gate, self._known(ids)) for gate, ids in sorted(behind.items()))
        if found := tuple((gate, ids) for gate, ids in gated if ids):
            self._gated[ordinal] = found
        for gate, entity_ids in found:
            for entity_id in entity_ids:
                self._counting[entity_id].setdefault(gate, set()).add(ordinal)

    def _unlink(self, document: Document) -> None:
        for entity_id in self._links.pop(document.ordinal, NO_LINKS).entity_ids:
            self._counting[entity_id][document.gate].discard(document.ordinal)
        for gate, entity_ids in self._gated.pop(document.ordinal, ()):
            for entity_id in entity_ids:
                self._counting[entity_id][gate].discard(document.ordinal)

    def _linked(self, claim: Claim) -> Links:
        """Declared entities; if none exists, those the text names; if none, those of its pages, as
        far as all who see the claim see them.
        """
        if declared := self._known(claim.entities):
            return Links(declared, "declared")
        named = (
            m.entity_id for m in self.names.find(claim.text) if not m.nested and not m.ambiguous
        )
        if entity_ids := self._known(named):
            return Links(entity_ids, "named")
        pages = (self.page(p) for p in self._pages_listing.get(claim.id, ()))
        allowed = {OPEN, gate_of(claim)}
        listed = (e for p in pages if p and gate_of(p) in allowed for e in p.entities)
        return Links(self._known(listed), "page")

    def _known(self, entity_ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted({e for e in entity_ids if (Kind.ENTITY, e) in self._artifacts}))


def _discard(index: Mapping[str, set[str]], key: str, member: str) -> None:
    members = index.get(key)
    if members is not None:
        members.discard(member)
