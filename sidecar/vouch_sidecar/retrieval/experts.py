"""Who or what carries the most evidence on a topic.

A claim matches when the topic names one of its entities, or when it holds the topic's words. Every
matching claim counts for every entity that it is linked to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest, nsmallest
from itertools import chain
from math import fsum, prod
from operator import itemgetter
from typing import NamedTuple, TypeVar

from pyroaring import BitMap
from vouch_sidecar.index.content import Needle
from vouch_sidecar.index.links import LinkedBy
from vouch_sidecar.kb.records import Claim, Entity
from vouch_sidecar.retrieval.closeness import closeness, focus, patterns, repeats, said_twice
from vouch_sidecar.retrieval.matching import Linking, Match, Question, Weight, matching
from vouch_sidecar.retrieval.view import View

__all__ = ["Contribution", "Expert", "Linking", "Question", "Weight", "rank"]

K = TypeVar("K")
HALF_LIFE_DAYS = 30.0
DAY = 86_400.0
CONTRIBUTIONS = 10
"""Of how many claims a row tells what they added."""
_ROUGH = 1e-6
"""More than a sum can change with the order in which it is added up."""


class Contribution(NamedTuple):
    """How one claim counted for one entity."""

    claim: Claim
    amount: float
    factors: Mapping[str, float]
    coverage: float
    matched: tuple[str, ...]
    named: bool
    linked_by: LinkedBy


@dataclass(frozen=True, slots=True)
class Expert:
    """A row of the ranking, from the claims with these ordinals; `contributions` are the largest
    ones, largest first.
    """

    view: View
    entity: Entity
    score: float
    ordinals: BitMap | list[int]
    citation_count: int
    contributions: tuple[Contribution, ...]
    weight: Weight
    named: bool
    factors: Mapping[str, float] = field(default_factory=dict)

    @property
    def claim_count(self) -> int:
        return len(self.ordinals)


def rank(views: Sequence[View], question: Question) -> list[Expert]:
    """Entities by the evidence they carry: score descending, then id, then collection."""
    matches, weights = matching(views, question)
    scored = [entry for match in matches for entry in _scored(match, question, weights)]
    scored.sort(key=lambda e: (-e.score, e.entity.id, e.match.view.collection))
    return [_row(entry, question, weights) for entry in scored[: question.limit]]


class _Scored(NamedTuple):
    """An entity with its score, before its row is worked out; `amounts` are what claims add, by
    ordinal, where that was worked out for all that match; those of `repeated` add nothing.
    """

    match: Match
    entity: Entity
    ordinals: BitMap | list[int]
    factors: Mapping[str, float]
    score: float
    amounts: Mapping[int, float] = {}
    repeated: frozenset[str] = frozenset()


def _scored(match: Match, question: Question, weights: Mapping[Needle, float]) -> list[_Scored]:
    """Every entity that could be among the rows, in no particular order."""
    entity_ids = _wanted(match, question)
    matched = BitMap(match.ordinals)
    amounts: Mapping[int, float] = {}
    if question.weighting == "count":
        first = _first(question.limit, entity_ids, lambda entity_id: entity_id)
        sums = {e: float(entity_ids[e]) for e in first}
    elif question.weighting == "evidence":
        return _scored_by_evidence(match, entity_ids, question, weights)
    else:
        claims = match.view.knowledge.claims_at(match.ordinals)
        amounts = dict(zip(match.ordinals, map(_amount_by(question), claims), strict=True))
        sums = _sums(match, entity_ids, question, amounts)
    out = []
    for entity_id, total in sums.items():
        entity = match.view.entity(entity_id)
        if entity is not None:
            ordinals = match.view.counting(entity_id) & matched
            score = round(total, 6)
            out.append(_Scored(match, entity, ordinals, {"sum": total}, score, amounts))
    return out


def _first(limit: int, values: Mapping[K, float], name: Callable[[K], str]) -> list[K]:
    """The keys with the largest values, ties by name."""
    # Sorting by two things is slow: few have a value that is large enough.
    least = min(nlargest(limit, values.values()), default=0.0)
    largest = [key for key, value in values.items() if value >= least]
    return nsmallest(limit, largest, key=lambda key: (-values[key], name(key)))


def _wanted(match: Match, question: Question) -> Mapping[str, int]:
    """The entities that may be listed, with the number of matching claims that count for them."""
    links = match.view.knowledge.links_at(match.ordinals, match.view.gates)
    counts = Counter(chain.from_iterable(map(itemgetter(0), links)))
    if question.min_claims == 1 and question.types is None:
        return counts
    return {
        entity_id: number
        for entity_id, number in counts.items()
        if number >= question.min_claims
        and (entity := match.view.entity(entity_id)) is not None
        and (question.types is None or entity.type in question.types)
    }


def _sums(
    match: Match, wanted: Mapping[str, int], question: Question, amounts: Mapping[int, float]
) -> dict[str, float]:
    """The sum of what claims add, for the entities that it brings among the first.

    Added up in any order at first, then exactly for those that can be among the rows.
    """
    rough = dict.fromkeys(wanted, 0.0)
    links = match.view.knowledge.links_at(amounts, match.view.gates)
    for value, (entity_ids, _) in zip(amounts.values(), links, strict=True):
        for entity_id in entity_ids:
            if entity_id in rough:
                rough[entity_id] += value
    least = min(nlargest(question.limit, rough.values()), default=0.0)
    least -= _ROUGH * max(1.0, least)
    matched = BitMap(amounts)
    return {
        entity_id: fsum(map(amounts.__getitem__, match.view.counting(entity_id) & matched))
        for entity_id, total in rough.items()
        if total >= least
    }


def _scored_by_evidence(
    match: Match,
    wanted: Mapping[str, int],
    question: Question,
    weights: Mapping[Needle, float],
) -> list[_Scored]:
    knowledge = match.view.knowledge
    parts = _parts(match, question, weights)
    claims = dict(zip(match.ordinals, knowledge.claims_at(match.ordinals), strict=True))
    amounts = {o: prod(parts(claim, o).values()) for o, claim in claims.items()}
    by_entity: defaultdict[str, list[int]] = defaultdict(list)
    for ordinal, links in zip(claims, knowledge.links_at(claims, match.view.gates), strict=True):
        for entity_id in links.entity_ids:
            by_entity[entity_id].append(ordinal)
    out = []
    doubles = said_twice(claims)
    for entity_id in wanted:
        entity = match.view.entity(entity_id)
        if entity is None:
            continue
        ordinals = sorted(by_entity[entity_id], key=lambda o: claims[o].id)
        said_before = repeats(claims[o] for o in ordinals if o in doubles)
        total = fsum(amounts[o] for o in ordinals if claims[o].id not in said_before)
        own, everything = match.view.claim_count(entity_id), match.view.claim_total
        focused = focus(own, everything)
        factors = {
            "sum": total,
            "focus": focused,
            "own_claims": float(own),
            "all_claims": float(everything),
        }
        score = round(total * focused, 6)
        out.append(_Scored(match, entity, ordinals, factors, score, amounts, said_before))
    return out


def _amount_by(question: Question) -> Callable[[Claim], float]:
    """What a claim adds, for the weights to which the topic does not matter."""

    def recency(claim: Claim) -> float:
        at = claim.updated_at if claim.last_confirmed_at is None else claim.last_confirmed_at
        age = max(0.0, question.now - at) / DAY if at is not None else 0.0
        return float(2.0 ** (-age / HALF_LIFE_DAYS))

    def citation(claim: Claim) -> float:
        return len(set(claim.evidence)) * claim.confidence

    return recency if question.weighting == "recency" else citation


def _parts(
    match: Match, question: Question, weights: Mapping[Needle, float]
) -> Callable[[Claim, int], dict[str, float]]:
    """Gives the factors of what a claim adds."""
    amount = _amount_by(question)

    def recency(claim: Claim, _: int) -> dict[str, float]:
        return {"freshness": amount(claim)}

    def citation(claim: Claim, _: int) -> dict[str, float]:
        return {"evidence_ids": float(len(set(claim.evidence))), "confidence": claim.confidence}

    def evidence(claim: Claim, ordinal: int) -> dict[str, float]:
        coverage = _coverage(match, ordinal, weights)
        near = closeness(claim.text, match.held.get(ordinal, ()), exact)
        return {"confidence": claim.confidence, "coverage": coverage, **near}

    def count(_: Claim, __: int) -> dict[str, float]:
        return {"claim": 1.0}

    exact = patterns(weights) if question.weighting == "evidence" else {}
    by_weight = {"recency": recency, "citation": citation, "evidence": evidence, "count": count}
    return by_weight[question.weighting]


def _coverage(match: Match, ordinal: int, weights: Mapping[Needle, float]) -> float:
    """Share of the topic's words, by rarity, that a claim holds; all where a name matched."""
    held = match.held.get(ordinal, ())
    if ordinal in match.named or len(held) == len(weights):
        return 1.0
    return fsum(weights[n] for n in held) / fsum(weights.values())


def _row(scored: _Scored, question: Question, weights: Mapping[Needle, float]) -> Expert:
    match = scored.match
    knowledge = match.view.knowledge
    claims = dict(zip(scored.ordinals, knowledge.claims_at(scored.ordinals), strict=True))
    contributions = [
        Contribution(
            claim=claims[ordinal],
            amount=prod(factors.values()),
            factors=factors,
            coverage=_coverage(match, ordinal, weights),
            matched=tuple(n.word for n in match.held.get(ordinal, ())),
            named=ordinal in match.named,
            linked_by=links.by,
        )
        for ordinal, factors in _largest(scored, claims, question, weights)
        for links in knowledge.links_at([ordinal], match.view.gates)
    ]
    return Expert(
        view=match.view,
        entity=scored.entity,
        score=scored.score,
        ordinals=scored.ordinals,
        citation_count=len(set(chain.from_iterable(c.evidence for c in claims.values()))),
        contributions=tuple(contributions),
        weight=question.weighting,
        named=scored.entity.id in match.named_entities,
        factors=scored.factors,
    )


def _largest(
    scored: _Scored,
    claims: Mapping[int, Claim],
    question: Question,
    weights: Mapping[Needle, float],
) -> list[tuple[int, dict[str, float]]]:
    """The claims that add most, with the factors of what they add: amount descending, then id."""
    parts = _parts(scored.match, question, weights)
    if question.weighting == "count":
        first = nsmallest(CONTRIBUTIONS, claims, key=lambda o: claims[o].id)
        return [(o, parts(claims[o], o)) for o in first]
    if question.weighting != "evidence":
        amounts = {o: scored.amounts[o] for o in claims}
        first = _first(CONTRIBUTIONS, amounts, lambda ordinal: claims[ordinal].id)
        return [(o, parts(claims[o], o)) for o in first]
    repeated = {o for o, claim in claims.items() if claim.id in scored.repeated}
    amounts = {o: 0.0 if o in repeated else scored.amounts[o] for o in claims}
    first = _first(CONTRIBUTIONS, amounts, lambda ordinal: claims[ordinal].id)
    return [(o, parts(claims[o], o) | ({"repeat": 0.0} if o in repeated else {})) for o in first]
