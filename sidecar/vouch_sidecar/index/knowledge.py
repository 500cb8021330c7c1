"""One consistent view of what a knowledge base says: artifacts, names, links and full text.

It holds live artifacts only; who may see them is asked at the time of a question. A change is
applied in one step between two questions, and can be taken back in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from vouch_sidecar.index.documents import Prepared
from vouch_sidecar.index.links import Linked
from vouch_sidecar.index.memo import Memo
from vouch_sidecar.index.packed import NO_LINKS, Packed, Unpacked
from vouch_sidecar.index.search import Document, Search
from vouch_sidecar.index.trie import Node
from vouch_sidecar.kb.access import gate_of, is_live
from vouch_sidecar.kb.large import let_go
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Key, Kind, Page, key_of

__all__ = ["Knowledge", "PreparedChange"]


class PreparedChange(NamedTuple):
    """A change, analysed for full text.

    What has to be made of what is packed before the change can be taken in, made off the event
    loop: `unpacked` are the artifacts that it changes, `names` where names begin that it may hold.
    """

    upserts: tuple[Prepared, ...]
    removals: frozenset[Key]
    unpacked: Mapping[Key, Unpacked] = {}
    names: Mapping[str, Node] = {}


class _Undo(NamedTuple):
    """How to take a change back: what stood there, with its documents, and what did not."""

    restore: tuple[tuple[Prepared, tuple[Document, ...]], ...]
    remove: tuple[Key, ...]


class Knowledge(Linked):
    """The contents of one knowledge base, in memory. One thread asks and changes it."""

    def __init__(self, search: Search | None = None, packed: Packed | None = None) -> None:
        super().__init__(search or Search(), packed or Packed())
        self.generation = 0
        self.overlaid = 0
        self.memo = Memo()
        self.changes = 0
        """How often anything was changed, overlays included."""

    def apply(self, change: PreparedChange) -> _Undo:
        """Take a change in, in one step. Retired artifacts are removed, not kept."""
        for key, unpacked in change.unpacked.items():
            self._hold(key, unpacked)
        self.names.hold(change.names)
        upserts = {key_of(p.artifact): p for p in change.upserts}
        keep = [p for p in upserts.values() if is_live(p.artifact) and gate_of(p.artifact)]
        gone = change.removals | upserts.keys()
        undo = _Undo(
            tuple((self.by_key[k], self.documents[k]) for k in gone if k in self.by_key),
            tuple(key_of(p.artifact) for p in keep),
        )
        self._replace(gone, [(p, self._next_documents(p)) for p in keep])
        return undo

    def _hold(self, key: Key, unpacked: Unpacked) -> None:
        prepared, documents, links = unpacked
        self.by_key.hold(key, prepared)
        self.documents.hold(key, documents)
        if isinstance(prepared.artifact, Claim):
            self.linked.hold(documents[0].ordinal, links)

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
        claims = []
        for prepared in artifacts:
            if isinstance(prepared.artifact, Claim):
                claims.append(prepared)
            else:
                built.learn(prepared)
        for prepared in claims:
            built.learn(prepared)
        let_go(claims)
        return built

    def learn(self, prepared: Prepared) -> None:
        """Take in what never was known, before anything is changed: claims after what they are
        linked to.
        """
        artifact = prepared.artifact
        if not is_live(artifact) or not gate_of(artifact):
            return
        documents = self._new_documents(prepared)
        self._pack(prepared, documents)
        self._make_findable(artifact, documents)
        if isinstance(artifact, Claim):
            self._link_packed(artifact, documents[0])

    def let_go(self) -> None:
        """Empty it bit by bit (blocking), when another one has taken its place."""
        names, postings = self.names, self.search.postings
        parts = (*vars(self).values(), *vars(names).values(), *postings.held.values())
        for part in (names.root.children, *parts):
            if isinstance(part, dict):
                let_go(part)
        self.packed.let_go()

    def _replace(
        self, gone: Iterable[Key], new: Iterable[tuple[Prepared, tuple[Document, ...]]]
    ) -> None:
        self.changes += 1
        touched: list[Artifact] = []
        learned = []
        revised: set[Key] = set()
        for prepared, documents in new:
            if self._holds_claim(key := key_of(prepared.artifact), documents):
                if not self._links_alike(key, prepared.artifact):
                    touched.append(prepared.artifact)
                self.search.revise(self.documents[key][0], documents[0])
                self._revise(key, prepared, documents)
                revised.add(key)
            else:
                learned.append((prepared, documents))
        for key in gone:
            if key in self.by_key and key not in revised:
                touched.append(self._forget(key))
        for prepared, documents in learned:
            self._learn(prepared, documents)
            touched.append(prepared.artifact)
        for claim_id in self._affected(touched):
            self._relink(claim_id)

    def _holds_claim(self, key: Key, documents: tuple[Document, ...]) -> bool:
        """Whether a claim is held under this very ordinal."""
        held = self.documents.get(key) if key[0] is Kind.CLAIM else None
        return held is not None and held[0].ordinal == documents[0].ordinal

    def _learn(self, prepared: Prepared, documents: tuple[Document, ...]) -> None:
        self._put(prepared, documents)
        self._make_findable(prepared.artifact, documents)
        if isinstance(prepared.artifact, Claim):
            self.linked[documents[0].ordinal] = NO_LINKS

    def _make_findable(self, artifact: Artifact, documents: tuple[Document, ...]) -> None:
        for document in documents:
            self.search.add(document)
            self.gates.add(document.gate)
        if isinstance(artifact, Entity):
            self.names.add(artifact)
        if isinstance(artifact, Page):
            self.search.add_title(documents[0], artifact.title)

    def _forget(self, key: Key) -> Artifact:
        artifact, documents = self._take_out(key)
        if isinstance(artifact, Claim):
            self._unlink(documents[0].ordinal, documents[0].gate)
        for document in documents:
            self.search.remove(document)
        if isinstance(artifact, Entity):
            self.names.remove(artifact.id)
        if isinstance(artifact, Page):
            self.search.remove_title(documents[0])
        return artifact
