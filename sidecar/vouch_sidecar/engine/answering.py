"""Probes texts, and chooses the context that an agent is given for a text or a session's window."""

from __future__ import annotations

from collections.abc import Sequence

from vouch_sidecar.engine.registry import Served
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.kb.records import Claim, Page, Relation
from vouch_sidecar.retrieval.blocks.context import (
    ContextBlock,
    make_block,
    whom_to_ask,
)
from vouch_sidecar.retrieval.line import Given, Line
from vouch_sidecar.retrieval.probe import Probe, run
from vouch_sidecar.retrieval.salience import named_in, volunteered
from vouch_sidecar.semantic.vectors import TextVector


def probe(
    served: Sequence[Served],
    text: str,
    session: Session | None,
    vector: TextVector | None = None,
    *,
    repeat: bool = True,
) -> tuple[Probe, int]:
    """Probe a text. Returns the probe, and how many of its phrases the session had probed before;
    it remembers them until something changes. `repeat` as for `context_for`.
    """
    given = {} if session is None or repeat else session.given
    probed = run([kb.view for kb in served], text, vector, given)
    if session is None:
        return probed, 0
    stamp = tuple(kb.view.stamp for kb in served)
    return probed, session.count_known((phrase.casefold(), stamp) for phrase in probed.phrases)


def to_probe(served: Sequence[Served]) -> Sequence[Served]:
    """The knowledge bases to probe: the first by name, as many as the strictest setting allows."""
    limits = [n for kb in served if (n := kb.view.settings.probe.max_collections) is not None]
    if not limits:
        return served
    return sorted(served, key=lambda kb: kb.view.collection)[: min(limits)]


def context_for(
    served: Sequence[Served],
    text: str | None,
    session: Session | None = None,
    *,
    repeat: bool = True,
    probed: Probe | None = None,
    tied: Sequence[Line] = (),
    max_chars: int | None = None,
) -> tuple[ContextBlock, Given]:
    """The context for a text, or for the texts of a session's window; and what that gives, to be
    recorded once it was heard: the thread that makes it may go on after its call was cancelled.

    Without `repeat`, what the session was given before and has not changed is left out; an entity
    given before has only the line that says whom to ask. `probed` is the probe of the text; without
    one, only its names count. Claims `tied` to the file that the text comes from come first, in
    this order.
    """
    once = None if repeat else session
    read = (
        [(kb.view, [text]) for kb in served]
        if text is not None
        else [(kb.view, kb.window(session).texts) for kb in served if session is not None]
    )
    asked, answers = ((), ()) if probed is None else (probed.asked, probed.answers)
    # with a model entities and sources are found, too, and say nothing
    more = [a for a in answers if isinstance(a.artifact, Claim | Page | Relation) or a.people]
    rows = (
        volunteered(row for view, texts in read for row in named_in(view, texts))
        if probed is None
        else probed.rows
    )
    if once is not None:
        # Who asks for all about a name gets the rest of it.
        names = {row.identity for row in asked}
        before = [row for row in rows if row.identity not in names and row.was_given(once.given)]
        rows = [row for row in rows if row not in before]
        more = [*(line for row in before for line in row.gone_since(once.given)), *more]
        if text is not None:
            more = [*(hit for row in before for hit in whom_to_ask(row, text)), *more]
    block = make_block(
        [kb.view for kb in served],
        rows,
        " ".join(dict.fromkeys(said for _, texts in read for said in texts)),
        first=tied,
        more=more,
        given={} if once is None else once.given,
        max_chars=max_chars,
    )
    hits = () if once is None else block.hits
    in_block = {(hit.view.identity, hit.entity_id) for hit in hits}
    giving = [row.gives for row in rows if row.identity in in_block] + [hit.gives for hit in hits]
    return block, {key: state for gives in giving for key, state in gives.items()}
