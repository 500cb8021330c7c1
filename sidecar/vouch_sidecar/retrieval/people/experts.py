"""Ranks entities by the evidence that they carry on a topic.

A claim matches if the topic names one of its entities, or if it holds the topic's words. A matching
claim counts for every entity that it is linked to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from math import prod
from typing import NamedTuple

from tantivy import Document

from vouch_sidecar.index.query import all_of
from vouch_sidecar.index.stored_artifacts import key_in
from vouch_sidecar.index.topic_table import TOPIC
from vouch_sidecar.kb.records import Entity
from vouch_sidecar.retrieval.people.topic_matches import Linking as Linking
from vouch_sidecar.retrieval.people.topic_matches import Matched, TopicMatches
from vouch_sidecar.retrieval.people.topic_matches import Question as Question
from vouch_sidecar.retrieval.people.weights import WEIGHTS, Tally, Weight
from vouch_sidecar.retrieval.view import View, claim_in
from vouch_sidecar.retrieval.view.claim_texts import CLAIMS_OF_A_SENTENCE
from vouch_sidecar.workspace.topic_names import is_ticket

TOP_CLAIMS = 3
EXPLAINED_CLAIMS = 10
"""The number of claims of a row for which `explain` shows what they added."""


class Contribution(NamedTuple):
    """What one claim added to the score of one entity."""

    matched: Matched
    amount: float
    factors: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Expert:
    """A row of the ranking. `claims` are the documents of the claims that add most, largest first;
    `named` tells whether the topic names the entity.
    """

    view: View
    entity: Entity
    score: float
    claim_count: int
    citation_count: int
    claims: Sequence[Document]
    weight: Weight
    named: bool
    factors: Mapping[str, float]

    @property
    def top_claim_ids(self) -> list[str]:
        return [key_in(claim)[1] for claim in self.claims[:TOP_CLAIMS]]

    @property
    def is_topic(self) -> bool:
        return self.view.names.is_topic(self.entity.id)

    def contributions(self) -> Iterator[Contribution]:
        """What the claims added, largest first."""
        for claim in self.claims:
            matched = self.weight.match.read_claim(claim)
            factors = self.weight.factors(matched)
            if self.weight.repeats(self.entity.id, matched.claim.id):
                factors["repeat"] = 0.0
            yield Contribution(matched, prod(factors.values()), factors)


def rank(matches: TopicMatches) -> list[Expert]:
    """The entities with evidence on a topic: by score, then id, then collection. Topics come last,
    in the same order; those that are tickets are left out. An unknown weight counts as `count`.
    """
    question = matches.question
    weight_type = WEIGHTS.get(question.weight, WEIGHTS["count"])
    weights = [weight_type(match, question.now) for match in matches.in_views]
    listed = (
        (
            weight.match.view.names.is_topic(entity_id),
            -tally.score,
            entity_id,
            weight.match.view.collection,
            weight,
            entity,
            tally,
        )
        for weight in weights
        for entity_id, tally in weight.tallies().items()
        if tally.claim_count >= question.min_claims
        and (entity := weight.match.view.visible.entity(entity_id)) is not None
        and (question.types is None or entity.type in question.types)
        and not (entity.type == TOPIC and is_ticket(entity.name))
    )
    first = nsmallest(question.limit, listed, key=lambda row: row[:4])
    return [_row(*row[4:], question.explain) for row in first]


def _row(weight: Weight, entity: Entity, tally: Tally, explain: bool) -> Expert:
    match = weight.match
    theirs = all_of([match.query, match.view.search.claims_of([entity.id])])
    return Expert(
        view=match.view,
        entity=entity,
        score=tally.score,
        claim_count=tally.claim_count,
        citation_count=len(match.view.knowledge.snapshot.sums(theirs, "evidence")),
        claims=_largest(weight, entity.id, EXPLAINED_CLAIMS if explain else TOP_CLAIMS),
        weight=weight,
        named=entity.id in match.entity_ids,
        factors=tally.factors,
    )


def _largest(weight: Weight, entity_id: str, limit: int) -> list[Document]:
    """The claims that add most for an entity, without those that mean nothing by themselves."""
    view = weight.match.view
    largest = weight.largest(entity_id, limit * CLAIMS_OF_A_SENTENCE)
    saying = (d for d in largest if not view.texts.lacks_context(claim_in(view, d)))
    return list(islice(saying, limit))
