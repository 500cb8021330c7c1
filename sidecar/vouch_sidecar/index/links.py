"""The entities that claims count for: declared ones, those a text names, those of its pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from pyroaring import BitMap
from vouch_sidecar.index.artifacts import Artifacts
from vouch_sidecar.index.content import Needle
from vouch_sidecar.index.forms import required
from vouch_sidecar.index.lazy import Lazy
from vouch_sidecar.index.names import Names
from vouch_sidecar.index.packed import NO_LINKS, LinkedBy, Links, Packed
from vouch_sidecar.index.postings import Document, merged
from vouch_sidecar.index.search import Search
from vouch_sidecar.kb.access import OPEN, gate_of
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Key, Kind, Page

__all__ = ["NO_LINKS", "Linked", "LinkedBy", "Links"]

Gated = tuple[tuple[str, tuple[str, ...]], ...]
"""The entities for which a claim counts by pages that not all who see the claim see, by gate."""
_NO_GATES: Mapping[str, BitMap] = {}


class Linked(Artifacts):
    """Artifacts, and what the claims among them count for.

    As in `Artifacts`, the attributes without underscore are what `frozen` keeps and brings back.
    """

    def __init__(self, search: Search, packed: Packed) -> None:
        super().__init__(packed)
        self.search = search
        self.names = Names()
        self.gates: set[str] = {OPEN}
        self.linked: Lazy[int, Links] = Lazy(
            packed.owners, lambda ordinal, _: packed.links(ordinal)
        )
        self.gated: dict[int, Gated] = {}
        self.counted: dict[str, dict[str, BitMap]] = defaultdict(dict)

    def links(self, claim_id: str, gates: AbstractSet[str] = frozenset()) -> Links:
        """The entities that a claim counts for, by pages behind these gates as well."""
        documents = self.documents.get((Kind.CLAIM, claim_id))
        if not documents or documents[0].ordinal not in self.linked:
            return NO_LINKS
        return self._links_behind(documents[0].ordinal, gates)

    def links_at(self, ordinals: Iterable[int], gates: AbstractSet[str]) -> Iterator[Links]:
        """What the claims count for that ordinals stand for, in their order; as `links`."""
        if not self.gated:
            return map(self.linked.__getitem__, ordinals)
        return (self._links_behind(ordinal, gates) for ordinal in ordinals)

    def _links_behind(self, ordinal: int, gates: AbstractSet[str]) -> Links:
        links = self.linked[ordinal]
        more = [ids for gate, ids in self.gated.get(ordinal, ()) if gate in gates]
        return Links(tuple(sorted({*links.entity_ids}.union(*more))), links.by) if more else links

    def counting(self, entity_id: str, gates: AbstractSet[str]) -> BitMap:
        """Ordinals of the claims behind these gates that count for an entity; not to be changed."""
        by_gate = self.counted.get(entity_id, _NO_GATES)
        found = [ordinals for gate, ordinals in by_gate.items() if gate in gates and ordinals]
        return merged(found)

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
                    claims.update(self.declared_by.get(artifact.id, ()))
                    for ordinals in self.counted.get(artifact.id, _NO_GATES).values():
                        claims.update(claim.id for claim in self.claims_at(ordinals))
                    claims.update(self._naming(artifact))
                    for page_id in self.pages_by_entity.get(artifact.id, ()):
                        page = self.page(page_id)
                        claims.update(page.claims if page else ())
                case _:
                    pass
        return claims

    def _links_alike(self, key: Key, claim: Artifact) -> bool:
        """Whether a claim that is held counts for the same entities when it says this."""
        before, by = self.by_key[key].artifact, self.linked[self.documents[key][0].ordinal].by
        return (
            isinstance(before, Claim)
            and isinstance(claim, Claim)
            and before.entities == claim.entities
            and (by == "declared" or before.text == claim.text)
        )

    def _naming(self, entity: Entity) -> Iterator[str]:
        """Ids of the claims that may name an entity: those that hold all words of a name."""
        for stems in required(entity):
            if not stems:
                yield from (i for k, i in self.by_key if k == Kind.CLAIM)
            words = [Needle(stem, ((stem,),)) for stem in stems]
            for ordinal in self.search.holding_all(words, Kind.CLAIM, frozenset(self.gates)):
                yield self.refs[ordinal].key[1]

    def _relink(self, claim_id: str) -> None:
        documents = self.documents.get((Kind.CLAIM, claim_id))
        if not documents:
            return
        ((ordinal, _, gate, _),) = documents
        if self.linked[ordinal] is not NO_LINKS:
            self._unlink(ordinal, gate)
        links = self.linked[ordinal] = self._linked(self.claims[ordinal])
        self._count(claim_id, ordinal, gate, links)

    def _link_packed(self, claim: Claim, document: Document) -> None:
        """Link the claim that was packed last."""
        links = self._linked(claim)
        self.packed.link(document.ordinal, links)
        self._count(claim.id, document.ordinal, document.gate, links)

    def _count(self, claim_id: str, ordinal: int, gate: str, links: Links) -> None:
        """Have a claim count for what it is linked to."""
        for entity_id in links.entity_ids:
            self.counted[entity_id].setdefault(gate, BitMap()).add(ordinal)
        if gate == OPEN and links.by == "page":
            self._link_gated(claim_id, ordinal, links)

    def _link_gated(self, claim_id: str, ordinal: int, links: Links) -> None:
        """Link an open claim over the pages that only some see."""
        behind: defaultdict[str, set[str]] = defaultdict(set)
        for page_id in self.pages_by_claim.get(claim_id, ()):
            page = self.page(page_id)
            gate = gate_of(page) if page else None
            if page and gate and gate != OPEN:
                behind[gate].update(set(page.entities).difference(links.entity_ids))
        gated = ((gate, self._known(ids)) for gate, ids in sorted(behind.items()))
        if found := tuple((gate, ids) for gate, ids in gated if ids):
            self.gated[ordinal] = found
        for gate, entity_ids in found:
            for entity_id in entity_ids:
                self.counted[entity_id].setdefault(gate, BitMap()).add(ordinal)

    def _unlink(self, ordinal: int, gate: str) -> None:
        for entity_id in self.linked.pop(ordinal, NO_LINKS).entity_ids:
            self.counted[entity_id][gate].discard(ordinal)
        for behind, entity_ids in self.gated.pop(ordinal, ()):
            for entity_id in entity_ids:
                self.counted[entity_id][behind].discard(ordinal)

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
        pages = (self.page(p) for p in self.pages_by_claim.get(claim.id, ()))
        allowed = {OPEN, gate_of(claim)}
        listed = (e for p in pages if p and gate_of(p) in allowed for e in p.entities)
        return Links(self._known(listed), "page")

    def _known(self, entity_ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted({e for e in entity_ids if (Kind.ENTITY, e) in self.by_key}))
