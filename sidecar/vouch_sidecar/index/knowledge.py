"""A generation: everything known about one knowledge base at one moment. It never changes; a change
makes another generation, which shares the base and has its own layers. It holds the artifacts of
all viewers; `retrieval.view` chooses what one viewer may see.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from functools import cached_property
from itertools import chain, compress, count
from operator import is_not
from typing import NamedTuple, TypeVar

from tantivy import Document

from vouch_sidecar.index.artifact_documents import documents_of
from vouch_sidecar.index.layers import EMPTY, Layer, Snapshot, in_memory, layer_of
from vouch_sidecar.index.links import (
    GONE,
    LinkedBy,
    LinkState,
    Records,
    States,
    link_again,
    link_all,
)
from vouch_sidecar.index.memo import Memo
from vouch_sidecar.index.query import term_query
from vouch_sidecar.index.schema import NOBODY, DocumentKey
from vouch_sidecar.kb.access import OPEN, is_live, is_seen, is_shown_to_any
from vouch_sidecar.kb.records import (
    KIND_OF,
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

T = TypeVar("T", bound=Artifact)
LINKED_ENOUGH = 0.5
"""If this share of the claims that a viewer sees is linked to declared entities, no topics are
derived for him.
"""
_serials = count(1)


class Change(NamedTuple):
    """How an artifact differs from the base: the number of the last generation `before` that, its
    documents now, and the numbers of those in the base that these replace.
    """

    before: int
    documents: tuple[Document, ...]
    replaced: tuple[int, ...]


class Knowledge:
    """One generation of a knowledge base; any thread may use it.

    `records` are those of all files; of an artifact that nobody may see they have no text.
    `changed` are the artifacts that differ from the base, by key.
    """

    def __init__(
        self,
        base: Layer = EMPTY,
        records: Records | None = None,
        states: States | None = None,
        names: Names | None = None,
        changed: Mapping[Key, Change] | None = None,
        since: int = 0,
    ) -> None:
        """`since` is the number of the first generation on this base; 0 makes it this one."""
        self.base = base
        self.records = records or {}
        self.states = states or {}
        self.names = names or Names(self._entities(self.records))
        """The names of all entities."""
        self.changed = changed or {}
        dead = [number for change in self.changed.values() for number in change.replaced]
        self.snapshot = Snapshot(
            base,
            in_memory(chain.from_iterable(c.documents for c in self.changed.values())),
            in_memory(map(base.document, dead)),
            frozenset(dead),
        )
        self.memo = Memo()
        self.serial = next(_serials)
        """A number that only the same generation has, be it on another base."""
        self._since = since or self.serial

    # Generations

    @classmethod
    def of(cls, records: Records) -> Knowledge:
        """A generation with all its documents in a new base."""
        names = Names(cls._entities(records))
        states = link_all(records, names)
        documents = (documents_of(record, states[key]) for key, record in records.items())
        return cls(layer_of(chain.from_iterable(documents)), records, states, names)

    def after(self, records: Records) -> Knowledge:
        """The generation of other records: the first one has a new base."""
        if self.base is EMPTY:
            return self.of(records)
        before = self.records
        are_others = map(is_not, records.values(), map(before.get, records))
        differing = {k for k in compress(records, are_others) if before.get(k) != records[k]}
        gone = before.keys() - records.keys()
        differing |= gone
        if not differing:
            return self
        names, then = self.names, self.states
        if any(key[0] is Kind.ENTITY for key in differing):
            names = Names(self._entities(records), self.names)
        relinked = link_again(
            records, names, before, then, differing, is_renamed=names is not self.names
        )
        states = {**then, **relinked}
        for key in gone:
            del states[key]
        differing |= {
            k for k, state in relinked.items() if (was := then.get(k)) is not state and was != state
        }
        changed = {**self.changed}
        for key in differing:
            documents = documents_of(records[key], states[key]) if key in records else ()
            replaced = self.changed[key].replaced if key in self.changed else self._numbers(key)
            changed[key] = Change(self.serial, documents, replaced)
        return Knowledge(self.base, records, states, names, changed, self._since)

    def on_base(self, base: Layer) -> Knowledge:
        """This generation on a new base that holds all of it."""
        moved = Knowledge(base, self.records, self.states, self.names)
        moved.serial = moved._since = self.serial
        return moved

    def changed_since(self, serial: int) -> Set[Key] | None:
        """Keys of the artifacts that changed after an earlier generation, by its number; None if
        all may differ, as that was on another base.
        """
        if not self._since <= serial <= self.serial:
            return None
        return {key for key, change in self.changed.items() if change.before >= serial}

    def documents(self) -> Iterator[Document]:
        """Every document, for writing a base."""
        kept = (number for number in range(self.base.size) if number not in self.snapshot.dead)
        return chain(map(self.base.document, kept), *(c.documents for c in self.changed.values()))

    # Artifacts

    @staticmethod
    def _entities(records: Records) -> Iterator[Entity]:
        return (record for record in records.values() if isinstance(record, Entity))

    def state(self, key: Key) -> LinkState:
        """The state of an artifact."""
        return self.states.get(key, GONE)

    def artifact(self, key: Key) -> Artifact | None:
        """Any artifact that some viewer may see, by its key."""
        record = self.records.get(key)
        if record is None or not is_shown_to_any(record):
            return None
        return self._shown(record) if isinstance(record, Evidence) else record

    def _shown(self, evidence: Evidence) -> Evidence:
        """Evidence whose text nobody may see is shown as id, source and range."""
        if not self.withholds((Kind.EVIDENCE, evidence.id)):
            return evidence
        locator = "" if " " in evidence.locator else evidence.locator
        return replace(evidence, quote=None, locator=locator)

    def withholds(self, key: Key) -> bool:
        """Whether nobody may see the text of an artifact, or it is gone."""
        return self.state(key).label == NOBODY

    def withdrawn_since(self, before: Knowledge) -> bool:
        """Whether the text of any artifact was taken from everybody since an earlier generation."""
        return any(
            self.withholds(key) and not before.withholds(key)
            for key in self.changed_since(before.serial) or ()
        )

    def document(self, key: Key) -> Document | None:
        """The first document of an artifact."""
        if key in self.changed:
            return next(iter(self.changed[key].documents), None)
        number = self._number(*key)
        return None if number is None else self.base.document(number)

    def _number(self, kind: Kind, artifact_id: str, section: int = 0) -> int | None:
        hits = self.base.search(
            term_query("key", DocumentKey(kind, artifact_id, section).encode()), 1
        )
        return hits[0][1] if hits else None

    def _numbers(self, key: Key) -> tuple[int, ...]:
        """The numbers of all documents of an artifact in the base."""
        kind, artifact_id = key
        numbers: list[int] = []
        while (number := self._number(kind, artifact_id, len(numbers))) is not None:
            numbers.append(number)
        return tuple(numbers)

    def _of_type(self, record: type[T], artifact_id: str) -> T | None:
        artifact = self.artifact((KIND_OF[record], artifact_id))
        return artifact if isinstance(artifact, record) else None

    def claim(self, claim_id: str) -> Claim | None:
        return self._of_type(Claim, claim_id)

    def entity(self, entity_id: str) -> Entity | None:
        return self.names.entity(entity_id)

    def source(self, source_id: str) -> Source | None:
        return self._of_type(Source, source_id)

    def evidence(self, evidence_id: str) -> Evidence | None:
        return self._of_type(Evidence, evidence_id)

    def all_of(self, record: type[T]) -> Iterator[T]:
        """All artifacts of a type, also those that only some viewers may see, in no particular
        order.
        """
        artifacts = map(self.artifact, self._by_kind.get(KIND_OF[record], ()))
        return (artifact for artifact in artifacts if isinstance(artifact, record))

    @cached_property
    def _by_kind(self) -> Mapping[Kind, list[Key]]:
        by_kind: defaultdict[Kind, list[Key]] = defaultdict(list)
        for key in self.records:
            by_kind[key[0]].append(key)
        return by_kind

    # References

    def pages_about(self, key: Key) -> list[str]:
        """Ids of the pages that list a claim or an entity, sorted."""
        kind, artifact_id = key
        pages = {page.id for page in self._pages[kind].get(artifact_id, ())}
        entity = self.entity(artifact_id) if kind is Kind.ENTITY else None
        if entity is not None and entity.page and self.artifact((Kind.PAGE, entity.page)):
            pages.add(entity.page)
        return sorted(pages)

    @cached_property
    def _pages(self) -> Mapping[Kind, Mapping[str, list[Page]]]:
        pages = list(filter(is_shown_to_any, self._records_of(Page)))
        return {
            Kind.CLAIM: _by_reference(pages, lambda page: page.claims),
            Kind.ENTITY: _by_reference(pages, lambda page: page.entities),
        }

    @cached_property
    def relations(self) -> Mapping[str, list[Relation]]:
        """By the id of an artifact, the relations that start or end there, by id."""
        relations = sorted(self._records_of(Relation), key=lambda one: one.id)
        return _by_reference(relations, lambda relation: (relation.source, relation.target))

    def superseding(self, claim_id: str) -> list[str]:
        """The ids of the claims that supersede a claim, by a field or in a relation, sorted. Some
        may be retired themselves.
        """
        newer = {claim.id for claim in self._newer.get(claim_id, ())}
        claim = self.records.get((Kind.CLAIM, claim_id))
        if isinstance(claim, Claim) and claim.superseded_by:
            newer.add(claim.superseded_by)
        for relation in self.relations.get(claim_id, ()):
            if relation.relation == "supersedes" and relation.target == claim_id:
                newer.add(relation.source)
        return sorted(newer)

    @cached_property
    def _newer(self) -> Mapping[str, list[Claim]]:
        return _by_reference(self._records_of(Claim), lambda claim: claim.supersedes)

    @cached_property
    def contradicting(self) -> Mapping[str, list[Claim]]:
        """By the id of a claim, the claims that contradict it, without retired ones."""
        return _by_reference(self._records_of(Claim), lambda claim: claim.contradicts)

    @cached_property
    def claims_citing(self) -> Mapping[str, list[Claim]]:
        """By the id of evidence or of a source, the claims that cite it, retired ones too."""
        return _by_reference(self._records_of(Claim), lambda claim: claim.evidence)

    @cached_property
    def evidence_in(self) -> Mapping[str, list[Evidence]]:
        """By the id of a source, the evidence that quotes it, by place."""
        shown = map(self._shown, self._records_of(Evidence))
        evidence = sorted(shown, key=lambda one: (one.byte_start or 0, one.byte_end or 0, one.id))
        return _by_reference(evidence, lambda one: (one.source_id,))

    def _records_of(self, record: type[T]) -> Iterator[T]:
        """The records of a type, also of what nobody may see."""
        records = map(self.records.__getitem__, self._by_kind.get(KIND_OF[record], ()))
        return (one for one in records if isinstance(one, record))

    def cited_by(self, ref: str) -> tuple[Evidence | None, str]:
        """The evidence that a citation leads to, if any, and the id of the source."""
        evidence = self.evidence(ref)
        return evidence, ref if evidence is None else evidence.source_id

    def concealed(
        self, source_id: str, gates: frozenset[str]
    ) -> tuple[tuple[int, int], ...] | None:
        """The ranges of bytes of a source that a viewer is not shown who may see the source: the
        receipts of claims that are retired or that he may not see. None if he is shown nothing of
        it, as a redacted claim cites it, or one that he may not see without a range.
        """
        return self.memo.once("", (source_id, gates), lambda: self._concealed(source_id, gates))

    def _concealed(
        self, source_id: str, gates: frozenset[str]
    ) -> tuple[tuple[int, int], ...] | None:
        quoting = ((each.id, each.span) for each in self.evidence_in.get(source_id, ()))
        cited: list[tuple[str, tuple[int, int] | None]] = [(source_id, None), *quoting]
        ranges = set()
        for ref, span in cited:
            for claim in self.claims_citing.get(ref, ()):
                sees = is_seen(claim, gates)
                if claim.status == "redacted" or not (sees or span):
                    return None
                if span and not (sees and is_live(claim)):
                    ranges.add(span)
        return tuple(sorted(ranges))

    # Links

    def links(self, claim_id: str) -> tuple[list[str], LinkedBy]:
        """Sorted ids of the entities that a claim is linked to, and how the links came about."""
        state = self.state((Kind.CLAIM, claim_id))
        return list(state.entity_ids), state.how

    def lacks_links(self, labels: Collection[str]) -> bool:
        """Whether who sees what has these labels sees no claim, or claims of which less than
        `LINKED_ENOUGH` are linked to an entity.
        """
        claims, linked = self._linked
        seen = sum(claims[label] for label in labels)
        return not seen or sum(linked[label] for label in labels) < LINKED_ENOUGH * seen

    @cached_property
    def _linked(self) -> tuple[Counter[str], Counter[str]]:
        """The number of claims by label, and of those that are linked to an entity."""
        states = [self.states[key] for key in self._by_kind.get(Kind.CLAIM, ())]
        linked = Counter(state.label for state in states if state.entity_ids)
        return Counter(state.label for state in states), linked

    @cached_property
    def may_lack_links(self) -> bool:
        """Whether there may be somebody who sees anything and of whom `lacks_links` holds: with the
        open label, any others.
        """
        keys = chain.from_iterable(self._by_kind.get(kind, ()) for kind in (Kind.CLAIM, Kind.PAGE))
        labels = {self.states[key].label for key in keys} - {NOBODY}
        worst = {label for label in labels if self.lacks_links([label])}
        return bool(labels) and (self.lacks_links([OPEN]) or self.lacks_links({OPEN, *worst}))


def _by_reference(
    records: Iterable[T], refs_of: Callable[[T], Iterable[str]]
) -> Mapping[str, list[T]]:
    """The records that refer to an id, in their order."""
    found: defaultdict[str, list[T]] = defaultdict(list)
    for record in records:
        for ref in dict.fromkeys(refs_of(record)):
            found[ref].append(record)
    return found
