"""Whether an ordinary word stands beside words of the trade of an entity that is called so."""

from __future__ import annotations

from math import fsum

from vouch_sidecar.index.content import content_stems
from vouch_sidecar.index.schema import stems_in
from vouch_sidecar.index.text import Unit, fold
from vouch_sidecar.kb.records import Entity
from vouch_sidecar.retrieval.asking import asked_about
from vouch_sidecar.retrieval.clauses import Span
from vouch_sidecar.retrieval.constants import MAX_BESIDE, TRADE_WEIGHT, TRADE_WORDS
from vouch_sidecar.retrieval.view import View

__all__ = ["SOFTWARE", "beside_its_trade", "in_software"]

SOFTWARE = frozenset(
    """
    api app backend binary bug build builds cache cli client code compile compiled compiler config
    container crash crate crates database dependency deploy deployment docker endpoint error errors
    exception extension framework function functions goroutine goroutines handler image job
    language latency library lint linter log logs macro metrics migration module modules package
    packages parser plugin pod process program queries query queue release repo repository request
    requests runtime schema script sdk server servers service services socket syntax test tests
    thread threads tool toolchain traits type types upgrade version worker workers
    """.split()
)
"""What is said of any software. Some of it is too new for the list of English words."""


def beside_its_trade(view: View, entity: Entity, text: str, span: Span) -> bool:
    """Whether one of an entity's claims, with its description, holds several words of a text beside
    its name at some place.
    """
    near, place = _around(text, span)
    weights = asked_about(view, near, (place,)).weights
    described = frozenset(content_stems(entity.description or ""))
    hits = view.search.nearest(entity.id, weights, 1)
    claims = [frozenset(stems_in(view.knowledge.snapshot.document(hit))) for hit in hits]
    for stems in claims or [frozenset[str]()]:
        held = [word for word in weights if word.held_by(stems | described)]
        if len(held) >= TRADE_WORDS and fsum(weights[word] for word in held) >= TRADE_WEIGHT:
            return True
    return False


def _around(text: str, span: Span) -> tuple[str, Span]:
    """What stands beside a place in a text, cut between words, and the place in that."""
    start, end = max(0, span[0] - MAX_BESIDE), span[1] + MAX_BESIDE
    first = text.find(" ", start, span[0]) + 1 if start else 0
    last = text.rfind(" ", span[1], end) if end < len(text) else len(text)
    first, last = first or start, last if last > 0 else end
    return text[first:last], (span[0] - first, span[1] - first)


def in_software(after: Unit | None, others: list[Unit]) -> bool:
    """Whether words are those of software: the one right after a name, or two others."""
    if after is not None and not after.gap and fold(after.folded) in SOFTWARE:
        return True
    return len({unit.stem for unit in others if unit.folded in SOFTWARE}) >= TRADE_WORDS
