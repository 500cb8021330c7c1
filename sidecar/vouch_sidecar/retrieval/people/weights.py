"""The weights of `experts`: what a matching claim adds for an entity. A new one is a function and a
row of `WEIGHTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from vouch_sidecar.index.claim_weights import DAY, HALF_LIFE_DAYS, confirmed_at

if TYPE_CHECKING:
    from vouch_sidecar.kb.records import Claim
    from vouch_sidecar.retrieval.view import View
    from vouch_sidecar.text.content_words import Term

Factors = dict[str, float]
MAX_FIRST_WORD = 200
"""Characters in which the first word of a claim is looked for."""


class Matched(NamedTuple):
    """A claim that matches a topic: the words that it holds, whether the topic names one of its
    entities or a file that it is tied to, and the share of the topic's words that it holds, weighed
    by rarity (1 if a name or a file matched).
    """

    claim: Claim
    words: tuple[Term, ...]
    named: bool
    coverage: float
    factors: Mapping[str, float] = {}
    """What it adds for an entity: `amount`, the product of these."""
    amount: float = 0.0


class Weight(NamedTuple):
    """A choice of `experts`: its title in a heading, what a claim adds to the score in words, and
    the factors whose product that is. The view has the time, and what the claim cites (`cited`).
    """

    title: str
    adds: str
    factors: Callable[[Matched, View], Factors]
    hears_once: bool = False
    """Whether a claim that repeats another one of the entity adds nothing."""


def _count(_: Matched, __: View) -> Factors:
    return {"claim": 1.0}


def _recency(matched: Matched, view: View) -> Factors:
    """A claim from the future, or without a date, adds 1."""
    at = confirmed_at(matched.claim)
    age = max(0.0, view.now - at) / DAY if at is not None else 0.0
    return {"freshness": float(2.0 ** (-age / HALF_LIFE_DAYS))}


def _citation(matched: Matched, _: View) -> Factors:
    claim = matched.claim
    return {"evidence_ids": float(len(set(claim.evidence))), "confidence": claim.confidence}


def _evidence(matched: Matched, _: View) -> Factors:
    # the help of a command reads the titles alone
    from vouch_sidecar.retrieval.constants import LEADS
    from vouch_sidecar.text.analysis import units

    claim = matched.claim
    pieces = claim.text[:MAX_FIRST_WORD].split()
    first = next((unit for piece in pieces for unit in units(piece).units), None)
    stems = {stem for word in matched.words for option in word.alternatives for stem in option}
    lead = LEADS if first is not None and first.stem in stems else 1.0
    return {"confidence": claim.confidence, "coverage": matched.coverage, "lead": lead}


WEIGHTS = {
    "count": Weight("by number of claims", "1", _count),
    "recency": Weight("by how recent they are", f"2^(−age in days / {HALF_LIFE_DAYS:g})", _recency),
    "citation": Weight("by what they cite", "its citations × its confidence", _citation),
    "evidence": Weight(
        "by weight of evidence",
        "its confidence × the share of the topic that it holds, doubled where it begins with "
        "the topic, nothing where it repeats another",
        _evidence,
        hears_once=True,
    ),
}
"""The weights by the name that a question gives for one."""
