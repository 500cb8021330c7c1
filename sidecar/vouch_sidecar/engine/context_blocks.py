"""Chooses the context that an agent is given for a text or a session's window, and records what was
heard of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from vouch_sidecar.engine.callers import Served
from vouch_sidecar.engine.session import GivenKey, Session
from vouch_sidecar.engine.stats import Stats
from vouch_sidecar.kb.records import Claim, Kind, Page, Relation
from vouch_sidecar.retrieval.blocks.context import (
    ContextBlock,
    each_line_once,
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
    again: bool = False
    """Whether the turn before had the same task, so that nothing new is asked."""
    probed: Probe | None = None
    """The probe of the texts: full-text hits and the knowledge base that the texts are about."""
    tied: Sequence[Line] = ()
    """Claims tied to the file that the texts come from; they come first, in this order."""
    max_chars: int | None = None
    max_lines: int | None = None

    @property
    def once(self) -> Session | None:
        """The session that is given everything once; None where it may be given again."""
        return None if self.repeat else self.session


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """A block, and what is recorded of it once it was heard. Until then nothing is: the thread that
    makes it may go on after its call was cancelled.
    """

    block: ContextBlock
    request: ContextRequest
    given: Mapping[GivenKey, Hashable]
    """What the block gives the session, with its state now."""

    def record(self, stats: Stats) -> None:
        """Record that the block was heard, on the event loop."""
        session, task = self.request.once, self.request.task
        if session is not None:
            session.last_task = session.last_task if task is None else task
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
            asked = asked_by_name(kb.view, read[0]) if texts and read else []
            by_name += asked
            ids = {row.entity.id for row in volunteered}
            more_rows = asked if probed is not None else []
            rows += [*volunteered, *(row for row in more_rows if row.entity.id not in ids)]
    rows.sort(key=volunteering_order)
    more = [] if probed is None else _full_text_hits(probed)
    if (once := request.once) is not None:
        # A repeated prompt asks for nothing new; who asks for all about a name gets the rest of it.
        names = set() if request.again else {_identity(row) for row in by_name}
        before = [r for r in rows if _was_given(once, r) and _identity(r) not in names]
        rows = [row for row in rows if row not in before]
        if texts is not None:
            whom = [hit for row in before for hit in whom_to_ask(row, " ".join(texts))]
            more = [] if request.again else [*whom, *more]
    if texts is None:
        texts = [] if session is None else session.window()
    block = make_block(
        served,
        rows,
        " ".join(texts),
        first=_allowed(request.tied),
        more=more,
        given=() if once is None else once.all_given(),
        leads=None if probed is None else probed.primary,
        max_chars=request.max_chars,
        max_lines=request.max_lines,
    )
    return ContextAnswer(block, request, {} if once is None else dict(_given_by(block, rows)))


def _full_text_hits(probed: Probe) -> list[Line]:
    """Full-text answers from the knowledge bases whose settings allow `fallback_to_fts`."""
    return _allowed(
        hit for hit in each_line_once(probed.answers) if hit.view.recall.fallback_to_fts
    )


def _allowed(hits: Iterable[Line]) -> list[Line]:
    """Hits that the recall settings of their collection allow: claims, pages, relations, people."""
    return [
        hit
        for hit in hits
        if (isinstance(hit.artifact, Claim | Page | Relation) or hit.kind == "people")
        and hit.view.recall.enabled
    ]


# What is given once, and again only when it changed


def given_entities(
    served: Sequence[Served], session: Session, text: str
) -> frozenset[tuple[Hashable, str]]:
    """The entities named by a text that the session was already given and that have not changed
    since: pairs of `View.identity` and entity id.
    """
    rows = (row for kb in served for row in volunteered_by([kb.view], [text]))
    return frozenset(_identity(row) for row in rows if _was_given(session, row))


def _identity(row: Salient) -> tuple[Hashable, str]:
    return row.view.identity, row.entity.id


def _was_given(session: Session, row: Salient) -> bool:
    """Whether the session was given an entity, and neither it nor its claims and pages changed."""
    given = session.given.get((row.view.identity, Kind.ENTITY, row.entity.id))
    return given == _entity_state(row)


def _given_by(block: ContextBlock, rows: Sequence[Salient]) -> Iterator[tuple[GivenKey, Hashable]]:
    """What a block gives, each with its state: its entities among `rows`, and what its lines
    cite.
    """
    given_now = {(hit.view.identity, hit.entity_id) for hit in block.hits}
    for row in rows:
        if _identity(row) in given_now:
            yield (row.view.identity, Kind.ENTITY, row.entity.id), _entity_state(row)
    for hit in block.hits:
        for cited in hit.cited:
            yield hit.identity_of(cited), hit.state_of(cited)


def _entity_state(row: Salient) -> int:
    """A hash that changes with the entity, its claims or its pages."""
    view, entity_id = row.view, row.entity.id
    ids = sorted(view.search.ids(view.search.claims_of([entity_id])))
    pages = view.visible.pages_about((Kind.ENTITY, entity_id))
    return hash((row.entity, *map(view.knowledge.claim, ids), *pages))
