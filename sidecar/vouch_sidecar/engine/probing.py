"""Probes texts, and remembers the results of a session's recent probes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vouch_sidecar.engine.callers import Served
from vouch_sidecar.engine.session import Session
from vouch_sidecar.retrieval.blocks.context import persona_of
from vouch_sidecar.retrieval.evidence.text_kinds import holds_exact
from vouch_sidecar.retrieval.probe import GivenEntities, Probe, names_document, run
from vouch_sidecar.retrieval.statements.text_vector import TextVector


@dataclass(frozen=True, slots=True)
class Probed:
    """A probe, with the number of its phrases that the session had probed before, and the persona
    to adopt.
    """

    probe: Probe
    from_cache: int
    persona: str | None


def probe(
    served: Sequence[Served],
    text: str,
    session: Session | None,
    *,
    again: bool = False,
    spoken: GivenEntities = frozenset(),
    vector: TextVector | None = None,
) -> Probed:
    """Probe a text in as many knowledge bases as the settings allow.

    The session remembers its phrases, and the result for the same text, until something changes; a
    result cut short by the time limit is not remembered. `again`: the previous turn had the same
    text, so full text is not searched. The names of entities in `spoken`, which the session was
    given before, yield no hits.
    """
    asked = allowed(served)
    if session is None:
        return _probe(asked, text, again, spoken, vector)
    stamp = tuple((kb.view.stamp, kb.settings) for kb in asked)
    session.begin_turn()
    probed = session.probed(
        (text, again, frozenset(spoken), vector is not None, stamp),
        lambda: _probe(asked, text, again, spoken, vector),
    )
    if any(kb.view.deadline.cut for kb in asked):
        session.forget_probes()
    from_cache = session.count_known((phrase.casefold(), stamp) for phrase in probed.probe.phrases)
    return replace(probed, from_cache=from_cache)


def _probe(
    asked: Sequence[Served],
    text: str,
    again: bool,
    spoken: GivenEntities,
    vector: TextVector | None,
) -> Probed:
    recalls = [kb.settings.recall for kb in asked]
    shortest = min((recall.min_prompt_len for recall in recalls), default=1)
    views = [kb.view for kb in asked]
    is_long = len(text.strip()) >= shortest
    asks = not again and (is_long or holds_exact(text) or names_document(views, text))
    full_text = asks and any(r.fallback_to_fts for r in recalls)
    result = run(views, text, full_text, spoken, vector)
    return Probed(result, 0, persona_of(asked, result.primary))


def allowed(served: Sequence[Served]) -> Sequence[Served]:
    """The knowledge bases to probe: the first by name, as many as the strictest setting allows."""
    limits = [n for kb in served if (n := kb.settings.probe.max_collections) is not None]
    if not limits:
        return served
    return sorted(served, key=lambda kb: kb.view.collection)[: min(limits)]
