"""Which claims of an entity a text asks for: those that hold most of it, then the best ones.

This is the one order of an entity's claims: of the block, of `top_claim_id`, of hover and `entity`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import fsum
from typing import NamedTuple

from tantivy import Document
from vouch_sidecar.index.content import Needle
from vouch_sidecar.index.layers import Hit
from vouch_sidecar.index.schema import key_in, stems_in
from vouch_sidecar.kb.records import Claim, Entity
from vouch_sidecar.retrieval.asking import asked_about
from vouch_sidecar.retrieval.clauses import Span
from vouch_sidecar.retrieval.constants import MAX_WEIGHED, OF_THE_FAMILY, QUESTION_WEIGHT
from vouch_sidecar.retrieval.families import relatives
from vouch_sidecar.retrieval.view import View, claim_date, claim_in

__all__ = ["Choice", "asks_for_all", "best_claim_id", "by_worth", "choose", "spans_of"]


Worth = tuple[bool, float, int, float, str]


class Choice(NamedTuple):
    """A claim, and the share that it holds of what a text asks beside the entity's name."""

    claim: Claim
    share: float


def choose(view: View, entity: Entity, text: str, limit: int) -> list[Choice]:
    """The claims of an entity that hold most of a text; of equals the best by worth."""
    wanted = _wanted(view, entity, text)
    return [
        Choice(claim_in(document), _share(wanted, frozenset(stems_in(document))))
        for document in _documents(view, entity, wanted, limit)
    ]


def best_claim_id(view: View, entity: Entity, text: str) -> str | None:
    """The id of the first of them."""

    def find() -> str | None:
        documents = _documents(view, entity, _wanted(view, entity, text), 1)
        return next((key_in(document)[1] for document in documents), None)

    return view.once(f"best {entity.id}", text, find)


def asks_for_all(view: View, entity: Entity, text: str) -> bool:
    """Whether a text asks for nothing in particular beside an entity's name."""
    return fsum(_wanted(view, entity, text).values()) < QUESTION_WEIGHT


def _wanted(view: View, entity: Entity, text: str) -> Mapping[Needle, float]:
    """The words of a text that choose among an entity's claims, with their weights.

    A part of the weight of a word is also held by what holds another word of its family.
    """
    asked = asked_about(view, text, spans_of(view, text, [entity.id]))
    weights: dict[Needle, float] = {}
    for word, weight in asked.weights.items():
        family = relatives(word.only_stem) if word.only_stem else frozenset()
        if family:
            either = (*word.alternatives, *((stem,) for stem in sorted(family)))
            weights[Needle(word.word, either)] = weight * OF_THE_FAMILY
        weights[word] = weight * (1 - OF_THE_FAMILY if family else 1)
    return weights


def _share(wanted: Mapping[Needle, float], stems: frozenset[str]) -> float:
    whole = fsum(wanted.values())
    held = fsum(weight for word, weight in wanted.items() if word.held_by(stems))
    return round(held / whole, 3) if whole else 0.0


def spans_of(view: View, text: str, entity_ids: Iterable[str]) -> tuple[Span, ...]:
    """Where a text names some entities."""
    wanted = frozenset(entity_ids)
    found = {(m.start, m.end) for m in view.mentions(text) if m.entity_id in wanted}
    return tuple(sorted(found))


def _documents(
    view: View, entity: Entity, wanted: Mapping[Needle, float], limit: int
) -> Iterator[Document]:
    hits = view.search.nearest(entity.id, wanted, max(1, view.claim_count(entity.id)))
    if len(hits) > limit:
        hits = [hit for hit in hits if hit.value >= hits[limit - 1].value]
    places = _places(view, entity.id) if len({hit.value for hit in hits}) < len(hits) else {}
    hits.sort(key=lambda hit: (-hit.value, places.get(_key(hit), len(places))))
    return map(view.knowledge.snapshot.document, hits[:limit])


def _places(view: View, entity_id: str) -> Mapping[tuple[int, int], int]:
    """The place of each claim of an entity in the order of worth, by its document."""
    snapshot = view.knowledge.snapshot

    def find() -> Mapping[tuple[int, int], int]:
        hits = snapshot.every(view.search.about([entity_id]))[:MAX_WEIGHED]
        hits.sort(key=lambda hit: worth(claim_in(snapshot.document(hit))))
        return {_key(hit): place for place, hit in enumerate(hits)}

    return view.once("worth", entity_id, find)


def _key(hit: Hit) -> tuple[int, int]:
    return id(hit.layer), hit.number


def by_worth(claims: Iterable[Claim]) -> list[Claim]:
    """Claims in the order in which they are told where no text decides."""
    return sorted(claims, key=worth)


def worth(claim: Claim) -> Worth:
    """Sorts claims: what is contested last, then the surest, best cited and newest first."""
    citations = len(set(claim.evidence))
    at = claim_date(claim) or 0.0
    return (claim.status == "contested", -claim.confidence, -citations, -at, claim.id)
