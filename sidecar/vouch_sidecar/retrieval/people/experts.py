"""Ranks entities by the evidence that they carry on a topic. A matching claim counts for every
entity that it is linked to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import islice

from vouch_sidecar.index.topic_table import TOPIC
from vouch_sidecar.kb.records import Entity
from vouch_sidecar.retrieval.people.topic_matches import Linking as Linking
from vouch_sidecar.retrieval.people.topic_matches import Question as Question
from vouch_sidecar.retrieval.people.topic_matches import TopicMatches
from vouch_sidecar.retrieval.people.weights import WEIGHTS, Contribution, Factors, Weight
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.topic_names import is_ticket

TOP_CLAIMS = 3
EXPLAINED_CLAIMS = 10
"""The number of claims of a row for which `explain` shows what they added."""


@dataclass(frozen=True, slots=True)
class Expert:
    """A row of the ranking. `factors` are what the score follows from; `contributions` are
    the claims that add most, largest first.
    """

    view: View
    entity: Entity
    weight: Weight
    score: float
    factors: Factors
    claim_count: int
    citation_count: int
    contributions: Sequence[Contribution]

    @property
    def top_claim_ids(self) -> list[str]:
        return [adds.matched.claim.id for adds in self.contributions[:TOP_CLAIMS]]


def rank(matches: TopicMatches) -> list[Expert]:
    """The entities with evidence on a topic: by score, then id, then collection. Topics come last,
    in the same order; those that are tickets are left out. An unknown weight counts as `count`.
    """
    question = matches.question
    weight = WEIGHTS.get(question.weight, WEIGHTS["count"])
    listed = []
    for match in matches.in_views:
        view = match.view
        for entity_id, adds in weight.contributions(match, question.now).items():
            entity = view.visible.entity(entity_id)
            if entity is None or len(adds) < question.min_claims:
                continue
            if question.types is not None and entity.type not in question.types:
                continue
            if entity.type == TOPIC and is_ticket(entity.name):
                continue
            score, factors = weight.score(view, entity_id, adds)
            order = (view.names.is_topic(entity_id), -score, entity_id, view.collection)
            cited = {reference for each in adds for reference in each.matched.claim.evidence}
            counts = len(adds), len(cited)
            row = Expert(view, entity, weight, score, factors, *counts, adds)
            listed.append((order, row))
    shown = EXPLAINED_CLAIMS if question.explain else TOP_CLAIMS
    rows = nsmallest(question.limit, listed, key=lambda row: row[0])
    return [replace(row, contributions=_largest(row, shown)) for _, row in rows]


def _largest(row: Expert, limit: int) -> list[Contribution]:
    """The claims that add most, ties by id, without those that mean nothing by themselves."""
    texts = row.view.texts
    order = sorted(row.contributions, key=lambda adds: (-adds.amount, adds.matched.claim.id))
    saying = (adds for adds in order if not texts.lacks_context(adds.matched.claim))
    return list(islice(saying, limit))
