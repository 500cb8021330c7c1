"""Ranks entities by the evidence that they carry on a topic. A matching claim counts for every
entity that it is linked to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from math import fsum, prod
from typing import NamedTuple

from vouch_sidecar.index.topic_table import TOPIC
from vouch_sidecar.kb.records import Entity
from vouch_sidecar.retrieval.people.topic_matches import Match, Matched, TopicMatches
from vouch_sidecar.retrieval.people.weights import WEIGHTS, Factors, Weight
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.topic_names import is_ticket


class Contribution(NamedTuple):
    """What one claim adds to the score of one entity: `amount`, the product of the factors."""

    matched: Matched
    factors: Factors
    amount: float


@dataclass(frozen=True, slots=True)
class Expert:
    """A row of the ranking, with what each of its claims adds."""

    view: View
    entity: Entity
    score: float
    claim_count: int
    citation_count: int
    contributions: Sequence[Contribution]

    def largest(self, limit: int) -> list[Contribution]:
        """The claims that add most, ties by id, without those that mean nothing by themselves."""
        shown = self.view.texts.shown
        order = sorted(self.contributions, key=lambda adds: (-adds.amount, adds.matched.claim.id))
        saying = (adds for adds in order if not shown(adds.matched.claim).lacks_context)
        return list(islice(saying, limit))


def rank(
    matches: TopicMatches,
    weight: str = "count",
    limit: int = 10,
    min_claims: int = 1,
    types: Container[str] | None = None,
) -> list[Expert]:
    """The entities with evidence on a topic: by score, then id, then collection. Topics come last,
    in the same order; those that are tickets are left out. An unknown weight counts as `count`.
    """
    listed, applied = [], WEIGHTS.get(weight, WEIGHTS["count"])
    for match in matches.in_views:
        view = match.view
        for entity_id, adds in _contributions(match, applied).items():
            entity = view.visible.entity(entity_id)
            if entity is None or len(adds) < min_claims:
                continue
            if types is not None and entity.type not in types:
                continue
            if entity.type == TOPIC and is_ticket(entity.name):
                continue
            score = round(fsum(each.amount for each in adds), 6)
            order = (view.names.is_topic(entity_id), -score, entity_id, view.collection)
            cited = {reference for each in adds for reference in each.matched.claim.evidence}
            listed.append((order, Expert(view, entity, score, len(adds), len(cited), adds)))
    return [row for _, row in nsmallest(limit, listed, key=lambda row: row[0])]


def _contributions(match: Match, weight: Weight) -> dict[str, list[Contribution]]:
    """What the claims that match a topic add for each entity."""
    out = defaultdict[str, list[Contribution]](list)
    heard: set[tuple[str, str]] = set()
    for matched in match.claims:
        factors, claim = weight.factors(matched, match.view.now), matched.claim
        adds = Contribution(matched, factors, prod(factors.values()))
        again = Contribution(matched, factors | {"repeat": 0.0}, 0.0)
        says = " ".join(claim.text.lower().split()) if weight.hears_once else claim.id
        for entity_id in match.view.names.entities_of(claim.id):
            out[entity_id].append(again if (entity_id, says) in heard else adds)
            heard.add((entity_id, says))
    return out
