"""Which claims match a topic: those of the entities that it names, those that hold its words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Literal

from pyroaring import BitMap
from vouch_sidecar.index.content import Needle, needles
from vouch_sidecar.index.postings import merged
from vouch_sidecar.index.search import fewest, rarity
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.view import View

__all__ = ["Linking", "Match", "Question", "Weight", "matching"]

MAX_WORDS = 256
"""Content words of a topic that are looked for; what follows them is not."""
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


@dataclass(slots=True)
class Match:
    """The claims of one view that match a topic, by their ordinals."""

    view: View
    named_entities: frozenset[str]
    named: BitMap
    held: dict[int, tuple[Needle, ...]]
    ordinals: list[int] = field(default_factory=list)


def matching(views: Sequence[View], question: Question) -> tuple[list[Match], dict[Needle, float]]:
    """The claims of each view that count for a question, and the topic's words by rarity."""
    words = needles(question.topic)[:MAX_WORDS]
    weights = _weights(views, words)
    matches = [
        Match(v, named, _claims_of(v, named), {})
        for v in views
        for named in [_named(v, question.topic)]
    ]
    _match_words(matches, words, weights)
    for match in matches:
        match.ordinals = _counted(match, question.linking)
    return matches, weights


def _named(view: View, topic: str) -> frozenset[str]:
    """Entities that a topic names: by a name in it, or by being part of a name."""
    names = view.knowledge.names
    mentioned = {m.entity_id for m in view.mentions(topic)}
    return frozenset(mentioned | set(names.containing(topic)) | set(names.exactly(topic)))


def _claims_of(view: View, entity_ids: Iterable[str]) -> BitMap:
    return merged([view.counting(entity_id) for entity_id in entity_ids])


def _counted(match: Match, linking: Linking) -> list[int]:
    """The matching claims whose links count."""
    ordinals = list(match.named | BitMap(match.held))
    if linking == "auto":
        return ordinals
    links = match.view.knowledge.links_at(ordinals, match.view.gates)
    return [o for o, linked in zip(ordinals, links, strict=True) if linked.by == "declared"]


def _weights(views: Sequence[View], words: Sequence[Needle]) -> dict[Needle, float]:
    """Rarity of each word among all claims that may be seen."""
    total = sum(v.claim_total for v in views)
    return {n: rarity(total, sum(v.frequency(n) for v in views)) for n in words}


def _match_words(
    matches: Sequence[Match], words: Sequence[Needle], weights: Mapping[Needle, float]
) -> None:
    """Claims that hold all words; where none does, those with the largest share of them."""
    for match in matches:
        match.held = dict.fromkeys(_holding(match.view, words), tuple(words))
    if len(words) < 2 or any(match.held for match in matches):
        return
    shares = [_shares(match.view, words, weights) for match in matches]
    best = max((share for found in shares for share in found), default=0.0)
    if best < PARTIAL_SHARE:
        return
    for match, found in zip(matches, shares, strict=True):
        match.held = found.get(best, {})


def _holding(view: View, words: Sequence[Needle]) -> BitMap:
    return view.knowledge.search.holding_all(words, Kind.CLAIM, view.gates)


def _shares(
    view: View, words: Sequence[Needle], weights: Mapping[Needle, float]
) -> dict[float, dict[int, tuple[Needle, ...]]]:
    """The claims that hold half of the words by rarity, or more: by the share that they hold."""
    whole = fsum(weights.values())
    at_least = fewest(weights.values(), PARTIAL_SHARE)
    candidates = view.knowledge.search.holding(words, Kind.CLAIM, view.gates, at_least)
    found: defaultdict[float, dict[int, tuple[Needle, ...]]] = defaultdict(dict)
    for held, ordinals in view.held(candidates, words).items():
        share = round(fsum(weights[n] for n in held) / whole, 9)
        found[share] |= dict.fromkeys(ordinals, held)
    return found
