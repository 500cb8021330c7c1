"""Probing with a session's memory: what was looked for lately is not looked for again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vouch_sidecar.engine.served import Speaker, persona_of
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.retrieval.block import Hit
from vouch_sidecar.retrieval.phrases import Phrase
from vouch_sidecar.retrieval.probe import Probe, run

__all__ = ["Probed", "allowed", "probe"]


@dataclass(frozen=True, slots=True)
class Probed:
    """A probe, how many of its phrases the session remembered, and the persona to take on."""

    probe: Probe
    from_cache: int
    persona: str | None


def probe(
    served: Sequence[Speaker],
    text: str,
    session: Session | None,
    *,
    again: bool = False,
) -> Probed:
    """Probe the knowledge bases, as many as the settings allow. A probe of the same text in the
    same session is not made again while nothing changed, unless time ran out. Full text is not
    searched `again` for the turn before.
    """
    asked = allowed(served)
    stamp = tuple((one.view.stamp, one.settings) for one in asked)
    if session is None:
        return _probe(asked, text, lambda _, look: look())
    session.turn += 1
    hits_before = 0

    def lookup(phrase: Phrase, look: Callable[[], list[Hit]]) -> list[Hit]:
        nonlocal hits_before
        hits, known = session.recall((phrase.text.casefold(), phrase.kind, stamp), look)
        hits_before += known
        return hits

    probed, known = session.recall(
        (text, again, stamp), lambda: _probe(asked, text, lookup, again=again)
    )
    if any(one.view.deadline.cut for one in asked):
        session.probed.clear()
        session.turns.clear()
    remembered = len(probed.probe.phrases) if known else hits_before
    return Probed(probed.probe, remembered, probed.persona)


def _probe(
    asked: Sequence[Speaker],
    text: str,
    lookup: Callable[[Phrase, Callable[[], list[Hit]]], list[Hit]],
    *,
    again: bool = False,
) -> Probed:
    recalls = [one.settings.recall for one in asked]
    threshold = min((recall.similarity_threshold for recall in recalls), default=1.0)
    shortest = min((recall.min_prompt_len for recall in recalls), default=1)
    asks = len(text.strip()) >= shortest and not again
    full_text = asks and any(r.fallback_to_fts for r in recalls)
    found = run([one.view for one in asked], text, threshold, lookup, full_text)
    return Probed(found, 0, persona_of(asked, found.primary))


def allowed(served: Sequence[Speaker]) -> Sequence[Speaker]:
    """Those that are probed: as many as the strictest setting says, in the order of their names."""
    limits = [n for one in served if (n := one.settings.probe.max_collections) is not None]
    if not limits:
        return served
    return sorted(served, key=lambda one: one.view.collection)[: min(limits)]
