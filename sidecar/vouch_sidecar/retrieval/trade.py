"""Whether an ordinary word stands beside words of the trade of an entity that is called so."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

from vouch_sidecar.index.content import content_stems
from vouch_sidecar.index.schema import stems_in
from vouch_sidecar.index.text import Unit
from vouch_sidecar.kb.records import Entity
from vouch_sidecar.retrieval.asking import worths_of
from vouch_sidecar.retrieval.constants import TRADE_WEIGHT, TRADE_WORDS
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


def beside_its_trade(view: View, entity: Entity, text: str, beside: Iterable[Unit]) -> bool:
    """Whether one of an entity's claims, with its description, holds several of the words that
    stand beside its name in a text.
    """
    worths = worths_of(view, text)
    by_stem = view.once("by stem", text, lambda: {word.only_stem: word for word in worths})
    words = [word for unit in beside if (word := by_stem.get(unit.stem)) is not None]
    weights = {word: worths[word] for word in words}
    described = frozenset(content_stems(entity.description or ""))
    hits = view.search.nearest(entity.id, weights, 1) if len(weights) >= TRADE_WORDS else []
    claims = [frozenset(stems_in(view.knowledge.snapshot.document(hit))) for hit in hits]
    for said in claims or [frozenset[str]()]:
        held = [word for word in weights if word.held_by(said | described)]
        if len(held) >= TRADE_WORDS and fsum(weights[word] for word in held) >= TRADE_WEIGHT:
            return True
    return False


def in_software(after: Unit | None, others: Iterable[Unit], stands: bool) -> bool:
    """Whether words are those of software: the one right after a name, or two others; one, if the
    name `stands` where names do.
    """
    if after is not None and not after.gap and after.folded in SOFTWARE:
        return True
    found = {unit.stem for unit in others if unit.folded in SOFTWARE}
    return len(found) >= (1 if stands else TRADE_WORDS)
