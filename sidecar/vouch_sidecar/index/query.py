"""Makes queries out of words, limited to what a viewer may see: kind and visibility label stand in
front of every stem in the index, so that a query cannot match anything else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile

from tantivy import FieldType, Occur, Query

from vouch_sidecar.index.claim_weights import UNDATED
from vouch_sidecar.index.layers import Hit, Snapshot
from vouch_sidecar.index.schema import (
    QUESTION,
    SCHEMA,
    TITLE,
    DocumentKey,
    counted,
    labels_for,
    place_of,
    placed_stem,
)
from vouch_sidecar.index.topic_table import VisibleTopics
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.text.content_words import Term

FEW_VALUES = 256
"""The number of values up to which a query for each is faster than one that walks all terms."""
_EXACT = 2**24 - 1
"""The number up to which sums of whole numbers are exact in 32-bit floats, as tantivy's scores are.
"""


def rarity(total: int, frequency: int) -> float:
    """The weight of a word that `frequency` of `total` texts contain; 0 weighs like 1."""
    return math.log(1 + total / max(frequency, 1)) if total else 1.0


def term_query(field: str, value: str) -> Query:
    """Documents that hold a value, all with the same score."""
    return _unscored(Query.term_query(SCHEMA, field, value, "basic"))


def nearly_query(kind: Kind, artifact_id: str) -> Query:
    """The artifacts of a kind whose id differs from this one by two letters at most."""
    return Query.fuzzy_term_query(SCHEMA, "key", DocumentKey(kind, artifact_id).encode(), 2)


def stem_query(place: str, stem: str) -> Query:
    """Documents with a stem at a place (`place_of`)."""
    return Query.term_query(SCHEMA, "stems", placed_stem(place, stem), "freq")


def value_query(field: str, values: Sequence[str]) -> Query:
    """Documents that hold one of some values, all with the same score."""
    if len(values) <= FEW_VALUES:
        return any_of([term_query(field, value) for value in values])
    return _unscored(Query.term_set_query(SCHEMA, field, list(values)))


def all_of(queries: Sequence[Query]) -> Query:
    """Documents that match every query; without queries, no documents."""
    if len(queries) < 2:
        return queries[0] if queries else Query.empty_query()
    return Query.boolean_query([(Occur.Must, query) for query in queries])


def any_of(queries: Sequence[Query]) -> Query:
    """Documents that match at least one of the queries."""
    if len(queries) < 2:
        return queries[0] if queries else Query.empty_query()
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _unscored(query: Query) -> Query:
    return Query.const_score_query(query, 0.0)


@dataclass(frozen=True)
class Search:
    """Queries to a snapshot, within what a viewer's gates allow."""

    snapshot: Snapshot
    gates: frozenset[str]
    topics: VisibleTopics = field(default_factory=VisibleTopics)
    """The topics that the viewer may see. They have claims, as entities do."""
    since: int | None = None
    """If set, only claims that were confirmed or updated since this time count, in microseconds."""

    @cached_property
    def places(self) -> Mapping[str, list[str]]:
        """By kind, the places where the viewer finds documents."""
        labels, there = labels_for(self.gates), self.snapshot.lengths
        return {
            kind: [place for label in labels if (place := place_of(kind, label)) in there]
            for kind in (*Kind, TITLE, QUESTION)
        }

    def total(self, kind: str) -> int:
        """How many documents of a kind there are."""
        return sum(self.snapshot.lengths[place].number for place in self.places[kind])

    def length(self, kind: str) -> int:
        """How many stems all documents of a kind have."""
        return sum(int(self.snapshot.lengths[place].total) for place in self.places[kind])

    def frequency(self, term: Term, kind: str) -> int:
        """How many documents of a kind hold a word, whatever their date."""
        match term.alternatives:
            case ((stem,),):
                frequency, places = self.snapshot.frequency, self.places[kind]
                return sum(frequency("stems", placed_stem(place, stem)) for place in places)
        return self.snapshot.count(self._word(term, kind))

    # Documents of a kind

    def every(self, kind: str) -> Query:
        """All documents of a kind, sorted by id."""
        places = self.places[kind]
        return value_query("place", places) if places else Query.empty_query()

    def holding(self, terms: Sequence[Term], kind: str) -> Query:
        """The documents of a kind that hold every word, sorted by id; without words, none."""
        return _unscored(self._recent(all_of([self._word(term, kind) for term in terms]), kind))

    def holds(self, terms: Sequence[Term], kind: str) -> bool:
        """Whether any document of a kind holds every word."""
        return bool(self.snapshot.search(self.holding(terms, kind), 1))

    def weighed(self, weights: Mapping[Term, float], kind: str) -> Query:
        """The documents of a kind that hold some of the words, scored by the weight of these."""
        words = [
            Query.const_score_query(self._word(term, kind), boost)
            for term, boost in _boosts(weights).items()
        ]
        return self._recent(any_of(words), kind)

    def relevant(self, terms: Sequence[Term], kind: str) -> Query:
        """The documents of a kind that hold one of the words, scored by tantivy's BM25."""
        return self._recent(any_of([self._word(term, kind) for term in terms]), kind)

    def down_to(self, weights: Mapping[Term, float], kind: str, share: float) -> list[Hit]:
        """The documents of a kind that hold about this share of the words' weight or more, best
        first, ties by id.
        """
        least = share * sum(_boosts(weights).values()) - len(weights)
        hits = self.snapshot.hits(self.weighed(weights, kind))
        return list(takewhile(lambda hit: hit.value >= least, hits))

    def _word(self, term: Term, kind: str) -> Query:
        """Documents that hold a word in any of the ways in which it may be written."""
        return any_of(
            [
                all_of([stem_query(name, stem) for stem in option])
                for name in self.places[kind]
                for option in term.alternatives
            ]
        )

    # Claims of entities

    def claims_of(self, entity_ids: Sequence[str]) -> Query:
        """The claims linked to at least one of the entities or topics, sorted by id."""
        derived = {
            entity_id: topic
            for entity_id in entity_ids
            if (topic := self.topics.get(entity_id)) is not None
        }
        declared = [entity_id for entity_id in entity_ids if entity_id not in derived]
        queries = []
        if values := [value for entity_id in declared for value in self._counting(entity_id)]:
            queries.append(value_query("about", values))
        if claims := sorted(set().union(*(topic.claims for topic in derived.values()))):
            queries.append(self._with_ids(claims))
        return self._recent(any_of(queries), Kind.CLAIM)

    def these_claims(self, claim_ids: Sequence[str]) -> Query:
        """The claims with these ids, sorted by id."""
        return self._recent(self._with_ids(claim_ids), Kind.CLAIM)

    def _with_ids(self, claim_ids: Sequence[str]) -> Query:
        keys = [DocumentKey(Kind.CLAIM, claim_id).encode() for claim_id in claim_ids]
        return all_of([value_query("key", keys), self.every(Kind.CLAIM)])

    def _recent(self, query: Query, kind: str) -> Query:
        """A query limited to claims since `since`, if that is set; claims without a date are left
        out.
        """
        if self.since is None or kind != Kind.CLAIM:
            return query
        dated = Query.range_query(
            SCHEMA, "at", FieldType.Integer, self.since, UNDATED, include_upper=False
        )
        return all_of([query, _unscored(dated)])

    def claim_count(self, entity_id: str) -> int:
        """The number of claims linked to an entity or a topic."""
        if self.topics.get(entity_id) is not None:
            return self.snapshot.count(replace(self, since=None).claims_of([entity_id]))
        frequency = self.snapshot.frequency
        return sum(frequency("about", value) for value in self._counting(entity_id))

    def _counting(self, entity_id: str) -> list[str]:
        """The values of the field `about` for an entity, one for each label that the viewer may
        see.
        """
        return [counted(label, entity_id) for label in labels_for(self.gates)]

    def ids(self, query: Query) -> list[str]:
        """The ids of the documents that a query finds."""
        return [DocumentKey.decode(key).id for key in self.snapshot.sums(query, "key")]


def _boosts(weights: Mapping[Term, float]) -> dict[Term, float]:
    """The weights as whole numbers, whose sums are exact."""
    scale = _EXACT / max(math.fsum(weights.values()), 1e-9)
    return {term: float(int(weight * scale)) for term, weight in weights.items()}
