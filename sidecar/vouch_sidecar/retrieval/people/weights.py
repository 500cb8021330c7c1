"""The weights of `experts`: one class for each way to compute what a matching claim adds for an
entity. docs/how-it-decides.md says what they are for.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from math import fsum, prod, sqrt
from typing import ClassVar, NamedTuple

from tantivy import Document, FieldType, Query

from vouch_sidecar.index.claim_weights import (
    CITED_UNIT,
    DAY,
    FRESH_FROM,
    HALF_LIFE_DAYS,
    MICROSECONDS,
    confirmed_at,
)
from vouch_sidecar.index.document_schema import SCHEMA
from vouch_sidecar.index.query import all_of
from vouch_sidecar.retrieval.constants import LEADS, OTHER_FORM, PROLIFIC
from vouch_sidecar.retrieval.people.topic_matches import Match, Matched
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.content_words import Term

WEIGHTS: dict[str, type[Weight]] = {}
"""The weights by the name that a question gives for one."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The score of one entity: the sum over its matching claims, and the parts of it."""

    claim_count: int
    score: float
    factors: Mapping[str, float]


class Weight(ABC):
    """Computes the scores of entities from the claims that match a topic in one knowledge base.
    `now` is in seconds since 1970. Each subclass is a choice of `experts`, offered in the order of
    definition.
    """

    name: ClassVar[str]
    formula: ClassVar[str]
    """The weight in words, for people."""
    title: ClassVar[str]
    """The weight in a heading; “by NAME” unless a class says otherwise."""
    column: ClassVar[str | None] = None
    """The column of the index with what a claim adds; None where every claim adds the same."""

    def __init_subclass__(cls) -> None:
        cls.title = vars(cls).get("title", f"by {cls.name}")
        WEIGHTS[cls.name] = cls

    def __init__(self, match: Match, now: float) -> None:
        self.match = match
        self.now = now

    @abstractmethod
    def tallies(self) -> dict[str, Tally]:
        """The score of each entity, over all matching claims."""

    def largest(self, entity_id: str, limit: int) -> list[Document]:
        """The claims that add most for an entity, ties by id. `tallies` must be called first."""
        return self._first(self._claims_of(entity_id), limit, self.column)

    @abstractmethod
    def factors(self, matched: Matched) -> dict[str, float]:
        """The factors whose product a claim adds, by name."""

    def repeats(self, entity_id: str, claim_id: str) -> bool:  # noqa: ARG002
        """Whether a claim adds nothing, because another one of the entity says the same."""
        return False

    def _claims_of(self, entity_id: str) -> Query:
        return all_of([self.match.query, self.match.view.search.claims_of([entity_id])])

    def _first(self, query: Query, limit: int, by: str | None = None) -> list[Document]:
        """The first claims by a column of the index, ties by id; without a column, by id."""
        snapshot = self.match.view.knowledge.snapshot
        return list(map(snapshot.document, snapshot.search(query, limit, by)))


class ByCount(Weight):
    name = "count"
    title = "by number of claims"
    formula = "sum, where every matching claim adds 1"

    def tallies(self) -> dict[str, Tally]:
        sums = self.match.view.search.sums_by_entity(self.match.query)
        return {e: _tally(total.number, float(total.number)) for e, total in sums.items()}

    def factors(self, matched: Matched) -> dict[str, float]:  # noqa: ARG002
        return {"claim": 1.0}


class ByRecency(Weight):
    """The age of a claim is never below 0: one from the future, or without a date, adds 1."""

    name = "recency"
    title = "by how recent they are"
    formula = "sum, where a claim adds 2^(-age in days / 30)"

    def tallies(self) -> dict[str, Tally]:
        search, query = self.match.view.search, self.match.query
        unit = 2.0 ** ((FRESH_FROM - self.now) / DAY / HALF_LIFE_DAYS)
        aged = search.sums_by_entity(all_of([query, self._aged()]), "fresh")
        out = {e: _tally(total.number, total.total * unit) for e, total in aged.items()}
        for entity_id, sums in search.sums_by_entity(all_of([query, self._ageless()])).items():
            older = out.get(entity_id, _tally(0, 0.0))
            count, total = older.claim_count + sums.number, older.factors["sum"] + sums.number
            out[entity_id] = _tally(count, total)
        return out

    def largest(self, entity_id: str, limit: int) -> list[Document]:
        claims = self._claims_of(entity_id)
        largest = self._first(all_of([claims, self._ageless()]), limit)
        if len(largest) < limit:
            largest += self._first(all_of([claims, self._aged()]), limit - len(largest), "at")
        return largest

    def factors(self, matched: Matched) -> dict[str, float]:
        at = confirmed_at(matched.claim)
        age = max(0.0, self.now - at) / DAY if at is not None else 0.0
        return {"freshness": float(2.0 ** (-age / HALF_LIFE_DAYS))}

    def _aged(self) -> Query:
        return _at(None, int(self.now * MICROSECONDS))

    def _ageless(self) -> Query:
        return _at(int(self.now * MICROSECONDS) + 1, None)


class ByCitation(Weight):
    name = "citation"
    title = "by what they cite"
    formula = "sum, where a claim adds its distinct evidence ids × its confidence"
    column = "cited"

    def tallies(self) -> dict[str, Tally]:
        sums = self.match.view.search.sums_by_entity(self.match.query, self.column)
        return {e: _tally(total.number, total.total / CITED_UNIT) for e, total in sums.items()}

    def factors(self, matched: Matched) -> dict[str, float]:
        claim = matched.claim
        return {"evidence_ids": float(len(set(claim.evidence))), "confidence": claim.confidence}


class _Added(NamedTuple):
    """What a claim added for one entity; 0 where it repeats another claim."""

    amount: float
    claim_id: str
    claim: Document


class ByEvidence(Weight):
    """Weighs by the words that a claim holds, and so reads every matching claim."""

    name = "evidence"
    title = "by weight of evidence"
    formula = (
        "sum × focus, where a claim adds confidence × coverage × form × frequency × lead, "
        "and one that repeats another nothing; focus is 1/√(1 + 30 × own_claims / all_claims)"
    )

    def __init__(self, match: Match, now: float) -> None:
        super().__init__(match, now)
        self._added: defaultdict[str, list[_Added]] = defaultdict(list)

    def tallies(self) -> dict[str, Tally]:
        heard: defaultdict[str, set[str]] = defaultdict(set)
        for matched, document in self.match.matched_claims():
            if self.match.view.deadline.has_passed():
                break
            claim, says = matched.claim, " ".join(matched.claim.text.lower().split())
            amount = prod(self.factors(matched).values())
            for entity_id in matched.entity_ids:
                adds = 0.0 if says in heard[entity_id] else amount
                heard[entity_id].add(says)
                self._added[entity_id].append(_Added(adds, claim.id, document))
        return {entity_id: self._tally(entity_id) for entity_id in self._added}

    def _tally(self, entity_id: str) -> Tally:
        view, rows = self.match.view, self._added[entity_id]
        own, everything = view.counts.claims_of(entity_id), view.counts.claims
        total = fsum(row.amount for row in rows)
        # An entity that many claims are about counts less for the same evidence.
        focused = 1 / sqrt(1 + PROLIFIC * own / everything) if everything else 1.0
        factors = {
            "sum": total,
            "focus": focused,
            "own_claims": float(own),
            "all_claims": float(everything),
        }
        return Tally(len(rows), round(total * focused, 6), factors)

    def largest(self, entity_id: str, limit: int) -> list[Document]:
        first = nsmallest(
            limit, self._added[entity_id], key=lambda added: (-added.amount, added.claim_id)
        )
        return [added.claim for added in first]

    def repeats(self, entity_id: str, claim_id: str) -> bool:
        return any(row.claim_id == claim_id and not row.amount for row in self._added[entity_id])

    def factors(self, matched: Matched) -> dict[str, float]:
        near = closeness(matched.claim.text, matched.words)
        return {"confidence": matched.claim.confidence, "coverage": matched.coverage, **near}


@lru_cache(maxsize=1 << 6)
def _patterns(words: tuple[Term, ...]) -> dict[Term, re.Pattern[str]]:
    """For every word of a topic, a pattern that finds its exact form in a folded text."""
    return {w: re.compile(rf"(?<![a-z]){re.escape(fold(w.word))}(?![a-z])") for w in words}


def closeness(text: str, held: tuple[Term, ...]) -> dict[str, float]:
    """Three factors: the form in which a text holds words of a topic, how often it does (2t/(t+1),
    BM25's saturation with k1 = 1, for t times), and whether it begins with one of them.
    """
    folded, exact = fold(text), _patterns(held)
    t, form, lead = 0, 1.0, 1.0
    for word in held:
        places = [match.start() for match in exact[word].finditer(folded)]
        if not places and len(word.alternatives) == 1:
            form = OTHER_FORM
        if places and not any(map(str.isalnum, folded[: places[0]])):
            lead = LEADS
        t = min(t, len(places)) if t else len(places)
    t = max(1, t)
    return {"form": form, "frequency": 2 * t / (t + 1), "lead": lead}


def _tally(count: int, total: float) -> Tally:
    return Tally(count, round(total, 6) + 0.0, {"sum": total})  # never -0.0


def _at(first: int | None, last: int | None) -> Query:
    query = Query.range_query(SCHEMA, "at", FieldType.Integer, first, last)
    return Query.const_score_query(query, 0.0)
