"""Probing with a session's memory: what was looked for lately is not looked for again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vouch_sidecar.engine.served import Served
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.retrieval.asking import holds_exact
from vouch_sidecar.retrieval.context import persona_of
from vouch_sidecar.retrieval.meant import Meant
from vouch_sidecar.retrieval.probe import Probe, Spoken, run


@dataclass(frozen=True, slots=True)
class Probed:
    """A probe, how many of its phrases the session remembered, and the persona to take on."""

    probe: Probe
    from_cache: int
    persona: str | None


def probe(
    served: Sequence[Served],
    text: str,
    session: Session | None,
    *,
    again: bool = False,
    spoken: Spoken = frozenset(),
    meant: Meant | None = None,
) -> Probed:
    """Probe the knowledge bases, as many as the settings allow. A probe of the same text in the
    same session is not made again while nothing changed, unless time ran out. Full text is not
    searched `again` for the turn before. The names of what was `spoken` of before say nothing.
    """
    asked = allowed(served)
    if session is None:
        return _probe(asked, text, again, spoken, meant)
    stamp = tuple((one.view.stamp, one.settings) for one in asked)
    session.turn += 1
    probed, known = session.recall(
        (text, again, frozenset(spoken), meant is not None, stamp),
        lambda: _probe(asked, text, again, spoken, meant),
    )
    if any(one.view.deadline.cut for one in asked):
        session.probed.clear()
        session.turns.clear()
    return replace(probed, from_cache=len(probed.probe.phrases) if known else 0)


def _probe(
    asked: Sequence[Served], text: str, again: bool, spoken: Spoken, meant: Meant | None
) -> Probed:
    recalls = [one.settings.recall for one in asked]
    threshold = min((recall.similarity_threshold for recall in recalls), default=1.0)
    shortest = min((recall.min_prompt_len for recall in recalls), default=1)
    asks = (len(text.strip()) >= shortest or holds_exact(text)) and not again
    full_text = asks and any(r.fallback_to_fts for r in recalls)
    found = run([one.view for one in asked], text, threshold, full_text, spoken, meant)
    return Probed(found, 0, persona_of(asked, found.primary))


def allowed(served: Sequence[Served]) -> Sequence[Served]:
    """Those that are probed: as many as the strictest setting says, in the order of their names."""
    limits = [n for one in served if (n := one.settings.probe.max_collections) is not None]
    if not limits:
        return served
    return sorted(served, key=lambda one: one.view.collection)[: min(limits)]
