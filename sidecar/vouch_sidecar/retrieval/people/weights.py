"""The weights of `experts`: what a matching claim adds for an entity. docs/how-it-decides.md says
what they are for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import fsum, prod, sqrt
from typing import NamedTuple

from vouch_sidecar.index.claim_weights import DAY, HALF_LIFE_DAYS, confirmed_at
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.constants import LEADS, OTHER_FORM, PROLIFIC
from vouch_sidecar.retrieval.people.topic_matches import Match, Matched
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.content_words import Term

Factors = dict[str, float]


class Contribution(NamedTuple):
    """What one claim adds to the score of one entity: `amount`, the product of the factors."""

    matched: Matched
    factors: Factors
    amount: float


class Weight(NamedTuple):
    """A choice of `experts`. `formula` says in words how a score follows from what claims add."""

    name: str
    formula: str
    factors: Callable[[Matched, float], Factors]
    """The factors whose product a claim adds, at a time in seconds since 1970."""
    is_focused: bool = False
    """Whether a claim that repeats another one of the entity adds nothing, and an entity that many
    claims are about counts less for the same evidence.
    """

    def contributions(self, match: Match, now: float) -> dict[str, list[Contribution]]:
        """What the claims that match a topic add for each entity: all of them, unless they are
        weighed by their words and time is up.
        """
        out = defaultdict[str, list[Contribution]](list)
        heard = defaultdict[str, set[str]](set)
        for matched in match.claims:
            if self.is_focused and match.view.deadline.has_passed():
                break
            factors = self.factors(matched, now)
            adds = Contribution(matched, factors, prod(factors.values()))
            claim = matched.claim
            says = " ".join(claim.text.lower().split()) if self.is_focused else claim.id
            for entity_id in matched.entity_ids:
                out[entity_id].append(_repeated(adds) if says in heard[entity_id] else adds)
                heard[entity_id].add(says)
        return out

    def score(
        self, view: View, entity_id: str, adds: Sequence[Contribution]
    ) -> tuple[float, Factors]:
        """The score of an entity, and the figures that it follows from."""
        figures = {"sum": fsum(each.amount for each in adds)}
        if self.is_focused:
            own, everything = view.search.claim_count(entity_id), view.search.total(Kind.CLAIM)
            share = own / everything if everything else 0.0
            figures["focus"] = 1 / sqrt(1 + PROLIFIC * share)
            figures |= {"own_claims": float(own), "all_claims": float(everything)}
        return round(figures["sum"] * figures.get("focus", 1.0), 6), figures


def _repeated(adds: Contribution) -> Contribution:
    return adds._replace(factors=adds.factors | {"repeat": 0.0}, amount=0.0)


def _by_count(_: Matched, __: float) -> Factors:
    return {"claim": 1.0}


def _by_recency(matched: Matched, now: float) -> Factors:
    """A claim from the future, or without a date, adds 1."""
    at = confirmed_at(matched.claim)
    age = max(0.0, now - at) / DAY if at is not None else 0.0
    return {"freshness": float(2.0 ** (-age / HALF_LIFE_DAYS))}


def _by_citation(matched: Matched, _: float) -> Factors:
    claim = matched.claim
    return {"evidence_ids": float(len(set(claim.evidence))), "confidence": claim.confidence}


def _by_evidence(matched: Matched, _: float) -> Factors:
    claim = matched.claim
    near = closeness(claim.text, matched.words)
    return {"confidence": claim.confidence, "coverage": matched.coverage, **near}


_EVIDENCE = (
    "sum × focus, where a claim adds confidence × coverage × form × frequency × lead, "
    "and one that repeats another nothing; focus is 1/√(1 + 30 × own_claims / all_claims)"
)
WEIGHTS = {
    weight.name: weight
    for weight in (
        Weight("count", "sum, where every matching claim adds 1", _by_count),
        Weight("recency", "sum, where a claim adds 2^(-age in days / 30)", _by_recency),
        Weight(
            "citation",
            "sum, where a claim adds its distinct evidence ids × its confidence",
            _by_citation,
        ),
        Weight("evidence", _EVIDENCE, _by_evidence, is_focused=True),
    )
}
"""The weights by the name that a question gives for one."""


@lru_cache(maxsize=1 << 6)
def _patterns(words: tuple[Term, ...]) -> dict[Term, re.Pattern[str]]:
    """For every word of a topic, a pattern that finds its exact form in a folded text."""
    return {w: re.compile(rf"(?<![a-z]){re.escape(fold(w.word))}(?![a-z])") for w in words}


def closeness(text: str, held: tuple[Term, ...]) -> Factors:
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
