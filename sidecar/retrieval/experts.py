"""Who or what carries the most evidence on a topic.

A claim matches when the topic names one of its entities, or when it holds the topic's words. Every
matching claim counts for every entity that it is linked to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, prod
from typing import Literal, NamedTuple

from sidecar.index.knowledge import LinkedBy
from sidecar.index.search import rarity
from sidecar.index.text import Needle, needles
from sidecar.kb.records import Claim, Entity, Kind
from sidecar.retrieval.closeness import closeness, focus, patterns, repeats
from sidecar.retrieval.view import View

__all__ = ["Contribution", "Expert", "Linking", "Question", "Weight", "rank"]

HALF_LIFE_DAYS = 30.0
DAY = 86_400.0
PARTIAL_SHARE = 0.5
"""Share of a topic's words, by rarity, that a claim must hold where none holds all."""

Linking = Literal["auto", "declared"]
Weight = Literal["count", "recency", "citation", "evidence"]
_WEIGHTS: tuple[Weight, ...] = ("count", "recency", "citation", "evidence")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; `now` is in seconds since the epoch."""

    topic: str
    now: float
    weight: str = "count"
    linking: Linking = "auto"
    limit: int = 10
    min_claims: int = 1
    types: frozenset[str] | None = None

    @property
    def weighting(self) -> Weight:
        """The weight meant: count for a name that is unknown."""
        return next((w for w in _WEIGHTS if w == self.weight), "count")


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
    """A row of the ranking; `contributions` largest first."""

    view: View
    entity: Entity
    score: float
    citation_count: int
    contributions: tuple[Contribution, ...]
    weight: Weight
    named: bool
    factors: Mapping[str, float] = field(default_factory=dict)

    @property
    def claim_count(self) -> int:
        return len(self.contributions)


@dataclass(slots=True)
class _Match:
    """The claims of one view that match a topic."""

    view: View
    named_entities: frozenset[str]
    named: set[str]
    held: dict[str, tuple[Needle, ...]]

    @property
    def claim_ids(self) -> set[str]:
        return self.named | set(self.held)


def rank(views: Sequence[View], question: Question) -> list[Expert]:
    """Entities by the evidence they carry: score descending, then id, then collection."""
    words = needles(question.topic)
    weights = _weights(views, words)
    matches = [
        _Match(v, named, _claims_of(v, named, question.linking), {})
        for v in views
        for named in [_named(v, question.topic)]
    ]
    _match_words(matches, words, weights)
    scored = [entry for match in matches for entry in _scored(match, question, weights)]
    scored.sort(key=lambda e: (-e.score, e.entity.id, e.match.view.collection))
    return [_row(entry, question, weights) for entry in scored[: question.limit]]


def _named(view: View, topic: str) -> frozenset[str]:
    """Entities that a topic names: by a name in it, or by being part of a name."""
    names = view.knowledge.names
    mentioned = {m.entity_id for m in view.mentions(topic)}
    return frozenset(mentioned | set(names.containing(topic)) | set(names.exactly(topic)))


def _claims_of(view: View, entity_ids: Iterable[str], linking: Linking) -> set[str]:
    found = {c for e in entity_ids for c in view.knowledge.claims_of(e)}
    return {c for c in found if view.claim(c) is not None and _counts(view, c, linking)}


def _counts(view: View, claim_id: str, linking: Linking) -> bool:
    return linking == "auto" or view.knowledge.links(claim_id).by == "declared"


def _weights(views: Sequence[View], words: Sequence[Needle]) -> dict[Needle, float]:
    """Rarity of each word among all claims that may be seen."""
    total = sum(v.claim_total for v in views)
    return {n: rarity(total, sum(v.frequency(n) for v in views)) for n in words}


def _match_words(
    matches: Sequence[_Match], words: Sequence[Needle], weights: Mapping[Needle, float]
) -> None:
    """Claims that hold all words; where none does, those with the largest share of them."""
    for match in matches:
        match.held = dict.fromkeys(_holding(match.view, words), tuple(words))
    if len(words) < 2 or any(match.held for match in matches):
        return
    shares = [_shares(match.view, words, weights) for match in matches]
    best = max((share for found in shares for share, _ in found.values()), default=0.0)
    if best < PARTIAL_SHARE:
        return
    for match, found in zip(matches, shares, strict=True):
        match.held = {c: held for c, (share, held) in found.items() if share == best}


def _holding(view: View, words: Sequence[Needle]) -> list[str]:
    search = view.knowledge.search
    ordinals = search.holding_all(words, Kind.CLAIM, view.gates)
    return [view.knowledge.document(o)[0].key[1] for o in ordinals]


def _shares(
    view: View, words: Sequence[Needle], weights: Mapping[Needle, float]
) -> dict[str, tuple[float, tuple[Needle, ...]]]:
    """Share of the words, by rarity, for every claim that may hold half of it or more."""
    whole = fsum(weights.values())
    rarest_first = sorted(words, key=lambda n: -weights[n])
    candidates: set[str] = set()
    left = whole
    for needle in rarest_first:
        if left < PARTIAL_SHARE * whole:
            break  # what holds none of those before holds less than half
        candidates.update(_holding(view, [needle]))
        left -= weights[needle]
    out = {}
    for claim_id in candidates:
        stems = view.knowledge.stems_of((Kind.CLAIM, claim_id))
        held = tuple(n for n in words if n.held_by(stems))
        out[claim_id] = (round(fsum(weights[n] for n in held) / whole, 9), held)
    return out


class _Scored(NamedTuple):
    """An entity with its score, before its row is worked out."""

    match: _Match
    entity: Entity
    claim_ids: Sequence[str]
    factors: Mapping[str, float]
    score: float


def _scored(
    match: _Match, question: Question, weights: Mapping[Needle, float]
) -> Iterator[_Scored]:
    """Every entity that claims count for, in no particular order."""
    links = match.view.knowledge.links
    declared_only = question.linking == "declared"
    by_entity: defaultdict[str, list[str]] = defaultdict(list)
    for claim_id in match.claim_ids:
        linked = links(claim_id)
        if declared_only and linked.by != "declared":
            continue
        for entity_id in linked.entity_ids:
            by_entity[entity_id].append(claim_id)
    amounts = _amounts(match, question, weights)
    for entity_id, claim_ids in by_entity.items():
        entity = match.view.entity(entity_id)
        if entity is None or len(claim_ids) < question.min_claims:
            continue
        if question.types is None or entity.type in question.types:
            factors = _factors(match.view, entity, claim_ids, amounts, question.weighting)
            yield _Scored(match, entity, claim_ids, factors, round(prod(factors.values()), 6))


def _amounts(
    match: _Match, question: Question, weights: Mapping[Needle, float]
) -> Mapping[str, float]:
    """What each matching claim adds."""
    if question.weighting == "count":
        return dict.fromkeys(match.claim_ids, 1.0)
    parts = _parts(match, question, weights)
    return {claim.id: prod(parts(claim).values()) for claim in match.view.claims(match.claim_ids)}


def _parts(
    match: _Match, question: Question, weights: Mapping[Needle, float]
) -> Callable[[Claim], dict[str, float]]:
    """Gives the factors of what a claim adds."""

    def recency(claim: Claim) -> dict[str, float]:
        at = claim.updated_at if claim.last_confirmed_at is None else claim.last_confirmed_at
        age = max(0.0, question.now - at) / DAY if at is not None else 0.0
        return {"freshness": float(2.0 ** (-age / HALF_LIFE_DAYS))}

    def citation(claim: Claim) -> dict[str, float]:
        return {"evidence_ids": float(len(set(claim.evidence))), "confidence": claim.confidence}

    def evidence(claim: Claim) -> dict[str, float]:
        coverage = _coverage(match, claim.id, weights)
        near = closeness(claim.text, match.held.get(claim.id, ()), exact)
        return {"confidence": claim.confidence, "coverage": coverage, **near}

    def count(_: Claim) -> dict[str, float]:
        return {"claim": 1.0}

    exact = patterns(weights)
    by_weight = {"recency": recency, "citation": citation, "evidence": evidence, "count": count}
    return by_weight[question.weighting]


def _coverage(match: _Match, claim_id: str, weights: Mapping[Needle, float]) -> float:
    """Share of the topic's words, by rarity, that a claim holds; all where a name matched."""
    held = match.held.get(claim_id, ())
    if claim_id in match.named or len(held) == len(weights):
        return 1.0
    return fsum(weights[n] for n in held) / fsum(weights.values())


def _row(scored: _Scored, question: Question, weights: Mapping[Needle, float]) -> Expert:
    match = scored.match
    parts = _parts(match, question, weights)
    claims = match.view.claims(scored.claim_ids)
    repeated = repeats(claims) if question.weighting == "evidence" else frozenset()
    contributions = []
    for claim in claims:
        factors = parts(claim) | ({"repeat": 0.0} if claim.id in repeated else {})
        contributions.append(
            Contribution(
                claim=claim,
                amount=prod(factors.values()),
                factors=factors,
                coverage=_coverage(match, claim.id, weights),
                matched=tuple(n.word for n in match.held.get(claim.id, ())),
                named=claim.id in match.named,
                linked_by=match.view.knowledge.links(claim.id).by,
            )
        )
    contributions.sort(key=lambda c: (-c.amount, c.claim.id))
    return Expert(
        view=match.view,
        entity=scored.entity,
        score=scored.score,
        citation_count=len({e for c in contributions for e in c.claim.evidence}),
        contributions=tuple(contributions),
        weight=question.weighting,
        named=scored.entity.id in match.named_entities,
        factors=scored.factors,
    )


def _factors(
    view: View,
    entity: Entity,
    claim_ids: Sequence[str],
    amounts: Mapping[str, float],
    weight: Weight,
) -> dict[str, float]:
    """What a score is the product of."""
    if weight == "count":
        return {"sum": float(len(claim_ids))}
    if weight != "evidence":
        return {"sum": fsum(amounts[c] for c in claim_ids)}
    said_before = repeats(view.claims(claim_ids))
    return {
        "sum": fsum(amounts[c] for c in claim_ids if c not in said_before),
        "focus": focus(view.claim_count(entity.id), view.claim_total),
    }
