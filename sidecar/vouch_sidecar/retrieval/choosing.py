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
from vouch_sidecar.retrieval.constants import OF_THE_FAMILY, QUESTION_WEIGHT
from vouch_sidecar.retrieval.families import relatives
from vouch_sidecar.retrieval.view import View, claim_in

__all__ = ["Choice", "asks_for_all", "best_claim_id", "choose", "spans_of"]


class Choice(NamedTuple):
    """A claim, and the share that it holds of what a text asks beside the entity's name."""

    claim: Claim
    share: float


def choose(view: View, entity: Entity, text: str, limit: int) -> list[Choice]:
    """The claims of an entity that hold most of a text; of equals the best by worth."""
    wanted = _wanted(view, entity, text)
    whole, found = fsum(wanted.values()), []
    for document in _documents(view, entity, wanted, limit):
        stems = frozenset(stems_in(document))
        held = fsum(weight for word, weight in wanted.items() if word.held_by(stems))
        found.append(Choice(claim_in(document), round(held / whole, 3) if whole else 0.0))
    return found


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
    """The words of a text that choose among an entity's claims, with their weights. A part of the
    weight of a word is also held by what holds another word of its family.
    """

    def weigh() -> Mapping[Needle, float]:
        asked = asked_about(view, text, spans_of(view, text, [entity.id]))
        weights: dict[Needle, float] = {}
        for word, weight in asked.weights.items():
            family = relatives(word.only_stem) if word.only_stem else frozenset()
            if family:
                either = (*word.alternatives, *((stem,) for stem in sorted(family)))
                weights[Needle(word.word, either)] = weight * OF_THE_FAMILY
            weights[word] = weight * (1 - OF_THE_FAMILY if family else 1)
        return weights

    return view.once(f"wanted {entity.id}", text, weigh)


def spans_of(view: View, text: str, entity_ids: Iterable[str]) -> tuple[Span, ...]:
    """Where a text names some entities."""
    wanted = frozenset(entity_ids)
    found = {(m.start, m.end) for m in view.mentions(text) if m.entity_id in wanted}
    return tuple(sorted(found))


def _documents(
    view: View, entity: Entity, wanted: Mapping[Needle, float], limit: int
) -> Iterator[Document]:
    """Those that hold most of the words, ties by worth; then the others by worth alone."""
    snapshot = view.knowledge.snapshot
    query = view.search.near(entity.id, wanted)
    hits = [hit for hit in snapshot.search(query, limit) if hit.value]
    if len(hits) == limit:
        hits = snapshot.down_to(query, hits[-1].value)  # with all that hold as much
    worths = dict(zip(map(_key, hits), snapshot.numbers(hits, "worth"), strict=True))
    hits.sort(key=lambda hit: (-hit.value, -worths[_key(hit)]))
    if len(hits) < limit:
        best = snapshot.search(view.search.about([entity.id]), limit, by="worth")
        hits += [hit for hit in best if _key(hit) not in worths]
    return map(snapshot.document, hits[:limit])


def _key(hit: Hit) -> tuple[int, int]:
    return id(hit.layer), hit.number
