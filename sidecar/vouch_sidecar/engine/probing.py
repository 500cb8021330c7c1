"""Probes texts, and remembers the results of a session's recent probes."""

from __future__ import annotations

from collections.abc import Sequence

from vouch_sidecar.engine.callers import Served
from vouch_sidecar.engine.session import Session
from vouch_sidecar.retrieval.evidence.text_kinds import holds_exact
from vouch_sidecar.retrieval.probe import GivenEntities, Probe, names_file, run
from vouch_sidecar.retrieval.statements.text_vector import TextVector


def probe(
    served: Sequence[Served],
    text: str,
    session: Session | None,
    *,
    again: bool = False,
    spoken: GivenEntities = frozenset(),
    vector: TextVector | None = None,
) -> tuple[Probe, int]:
    """Probe a text in as many knowledge bases as the settings allow. Returns the probe, and how
    many of its phrases the session had probed before.

    The session remembers its phrases until something changes. `again`: the previous turn had the
    same text, so full text is not searched. The names of entities in `spoken`, which the session
    was given before, yield no hits.
    """
    asked = allowed(served)
    views, recalls = [kb.view for kb in asked], [kb.view.recall for kb in asked]
    shortest = min((recall.min_prompt_len for recall in recalls), default=1)
    is_long = len(text.strip()) >= shortest
    asks = not again and (is_long or holds_exact(text) or names_file(views, text))
    full_text = asks and any(recall.fallback_to_fts for recall in recalls)
    probed = run(views, text, full_text, spoken, vector)
    if session is None:
        return probed, 0
    stamp = tuple((kb.view.stamp, kb.settings) for kb in asked)
    return probed, session.count_known((phrase.casefold(), stamp) for phrase in probed.phrases)


def allowed(served: Sequence[Served]) -> Sequence[Served]:
    """The knowledge bases to probe: the first by name, as many as the strictest setting allows."""
    limits = [n for kb in served if (n := kb.settings.probe.max_collections) is not None]
    if not limits:
        return served
    return sorted(served, key=lambda kb: kb.view.collection)[: min(limits)]
