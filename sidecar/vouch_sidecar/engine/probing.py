"""Probing with a session's memory: what was looked for lately is not looked for again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vouch_sidecar.engine.served import Speaker
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


def never() -> bool:
    """There is time enough."""
    return False


def probe(
    served: Sequence[Speaker],
    text: str,
    session: Session | None,
    late: Callable[[], bool] = never,
) -> Probed:
    """Probe the knowledge bases, as many as the settings allow, until `late`. A probe of the same
    text in the same session is not made again while nothing changed, unless it came too late.
    """
    asked = allowed(served)
    stamp = tuple((one.view.stamp, one.settings) for one in asked)
    if session is None:
        return _probe(asked, text, lambda _, look: look(), late)
    session.turn += 1
    hits_before = 0

    def lookup(phrase: Phrase, look: Callable[[], list[Hit]]) -> list[Hit]:
        nonlocal hits_before
        hits, known = session.recall((phrase.text.casefold(), phrase.kind, stamp), look)
        hits_before += known
        return hits

    probed, known = session.recall((text, stamp), lambda: _probe(asked, text, lookup, late))
    if probed.probe.timed_out:
        del session.probed[text, stamp]
    remembered = len(probed.probe.phrases) if known else hits_before
    return Probed(probed.probe, remembered, probed.persona)


def _probe(
    asked: Sequence[Speaker],
    text: str,
    lookup: Callable[[Phrase, Callable[[], list[Hit]]], list[Hit]],
    late: Callable[[], bool],
) -> Probed:
    recalls = [one.settings.recall for one in asked]
    threshold = min((recall.similarity_threshold for recall in recalls), default=1.0)
    shortest = min((recall.min_prompt_len for recall in recalls), default=1)
    full_text = any(r.fallback_to_fts for r in recalls) and len(text.strip()) >= shortest
    found = run([one.view for one in asked], text, threshold, lookup, full_text, late)
    persona = next(
        (one.settings.general.persona for one in asked if one.view.collection == found.primary),
        None,
    )
    return Probed(found, 0, persona)


def allowed(served: Sequence[Speaker]) -> Sequence[Speaker]:
    """Those that are probed: as many as the strictest setting says, in the order of their names."""
    limits = [n for one in served if (n := one.settings.probe.max_collections) is not None]
    if not limits:
        return served
    return sorted(served, key=lambda one: one.view.collection)[: min(limits)]
