"""Chooses the context that an agent is given for a text or a session's window, and records what was
heard of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from vouch_sidecar.engine.callers import Served
from vouch_sidecar.engine.given_once import given_by, was_given
from vouch_sidecar.engine.session import GivenKey, Session
from vouch_sidecar.engine.stats import Stats
from vouch_sidecar.kb.records import Claim, Page, Relation
from vouch_sidecar.retrieval.blocks.context import (
    ContextBlock,
    each_once,
    make_block,
    whom_to_ask,
)
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.probe import Probe
from vouch_sidecar.retrieval.salience import (
    Salient,
    asked_by_name,
    volunteered_by,
    volunteering_order,
)


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What to find context for, and how much of it."""

    texts: Sequence[str] | None
    """Newest first; None: the texts of the session's window."""
    session: Session | None = None
    repeat: bool = True
    """If False, what the session was given before and has not changed is left out, and the answer
    counts as given once it was heard. An entity given before then has only the line that says whom
    to ask.
    """
    task: str | None = None
    """The task to record as the session's last one."""
    probed: Probe | None = None
    """The probe of the texts: full-text hits and the knowledge base that the texts are about."""
    tied: Sequence[Line] = ()
    """Claims tied to the file that the texts come from; they come first, in this order."""
    max_chars: int | None = None
    max_lines: int | None = None


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """A block, and what is recorded of it once it was heard. Until then nothing is: the thread that
    makes it may go on after its call was cancelled.
    """

    block: ContextBlock
    served: Sequence[Served]
    request: ContextRequest
    given: Mapping[GivenKey, Hashable] = field(default_factory=dict)
    """What the block gives the session, with its state now."""

    def record(self, stats: Stats) -> None:
        """Record that the block was heard, on the event loop."""
        session, request = self.request.session, self.request
        if session is None:
            return
        if request.task is not None:
            session.last_task = request.task
        if not request.repeat:
            if request.texts is not None:
                session.context_texts = list(request.texts)
            session.given |= self.given
            stats.lines += len(self.block.hits)


def answer_context(served: Sequence[Served], request: ContextRequest) -> ContextAnswer:
    """The context for the texts of a request, or for its session's window."""
    texts, session, probed = request.texts, request.session, request.probed
    rows: list[Salient] = []
    by_name: list[Salient] = []
    for kb in served:
        if kb.view.recall.enabled:
            window = () if session is None else kb.window(session).texts
            read = window if texts is None else texts
            volunteered = volunteered_by([kb.view], read)
            ids = {row.entity.id for row in volunteered}
            asked = asked_by_name(kb.view, read[0]) if texts and read else []
            by_name += asked
            asked = asked if probed is not None else []
            rows += [*volunteered, *(row for row in asked if row.entity.id not in ids)]
    rows.sort(key=volunteering_order)
    more = _full_text_hits(probed) if probed is not None else []
    if session is not None and not request.repeat:
        # A repeated prompt asks for nothing new; who asks for all about a name gets the rest of it.
        again = texts is not None and session.context_texts == list(texts)
        names = {(row.view.identity, row.entity.id) for row in ([] if again else by_name)}
        before = [
            row
            for row in rows
            if was_given(session, row) and (row.view.identity, row.entity.id) not in names
        ]
        rows = [row for row in rows if row not in before]
        if texts is not None:
            whom = [hit for row in before for hit in whom_to_ask(row, " ".join(texts))]
            more = [] if again else [*whom, *more]
    if texts is None:
        texts = session.window() if session is not None else []
    block = make_block(
        served,
        rows,
        " ".join(texts),
        first=_allowed(request.tied),
        more=more,
        given=() if session is None or request.repeat else session.all_given(),
        leads=probed.primary if probed is not None else None,
        max_chars=request.max_chars,
        max_lines=request.max_lines,
    )
    gives = session is not None and not request.repeat
    return ContextAnswer(block, served, request, dict(given_by(block, rows)) if gives else {})


def _full_text_hits(probed: Probe) -> list[Line]:
    """Full-text answers from the knowledge bases whose settings allow `fallback_to_fts`."""
    return _allowed(hit for hit in each_once(probed.answers) if hit.view.recall.fallback_to_fts)


def _allowed(hits: Iterable[Line]) -> list[Line]:
    """Hits that the recall settings of their collection allow: claims, pages, relations, people."""
    return [
        hit
        for hit in hits
        if (isinstance(hit.artifact, Claim | Page | Relation) or hit.kind == "people")
        and hit.view.recall.enabled
    ]
