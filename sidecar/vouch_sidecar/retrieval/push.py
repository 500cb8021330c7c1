"""What is pushed of a session: the ranking of what is in play, what is volunteered for its newest
text, and a block about that. What a push may volunteer is decided here (`Window.to_volunteer`).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal, get_args

from vouch_sidecar.retrieval.blocks.context import ContextBlock, make_block
from vouch_sidecar.retrieval.salience import (
    Fields,
    Salient,
    named_in,
    pages_told,
    rank,
    ranking_order,
    volunteered,
    volunteering_order,
)
from vouch_sidecar.retrieval.view import View

PushPart = Literal["salience", "fresh", "text"]
"""The parts of a push that a client may want: the ranking, what is volunteered, a block about it.
"""
PUSHED_ROWS = 10
"""Entities of a ranking that a push lists, at most."""
PUSH_PARTS: frozenset[PushPart] = frozenset(get_args(PushPart))


@dataclass(frozen=True, slots=True)
class Window:
    """The texts of a session's window that count for one knowledge base, newest first."""

    view: View
    texts: Sequence[str]
    is_newest: bool
    """Whether the first of them is the newest of the session."""
    volunteered_before: Mapping[str, float] = field(default_factory=dict)
    """The entities that were volunteered before, by id, each with the seconds since then."""

    @property
    def room(self) -> int:
        """How many entities the settings let it volunteer now."""
        volunteer, most = self.view.settings.volunteer, self.view.settings.reflex.top_k
        before = self.volunteered_before
        if not volunteer.enabled or volunteer.is_throttled(before.values()):
            return 0
        in_all = volunteer.max_per_session
        return most if in_all is None else max(0, min(most, in_all - len(before)))

    def to_volunteer(self) -> list[Salient]:
        """The entities to volunteer for the newest text alone, each once a session: the strongest,
        those of which something may be told before others.
        """
        if not (self.is_newest and self.room):
            return []
        rows = volunteered(named_in(self.view, self.texts[:1]))
        new = [row for row in rows if row.entity.id not in self.volunteered_before]
        return sorted(
            new, key=lambda row: not (row.top_claim_id or pages_told(row.view, row.entity))
        )[: self.room]


@dataclass(frozen=True, slots=True)
class Push:
    """What is new in a session; `of_text`: as texts alone changed, and not what is known."""

    session_id: str
    generation: int
    salience: Sequence[Fields] = ()
    """The ranking of what is in play."""
    fresh: Sequence[Fields] = ()
    """The entities that are volunteered for its newest text, strongest first."""
    block: ContextBlock = field(default_factory=ContextBlock)
    """A block about these."""
    volunteered: Sequence[tuple[Hashable, str]] = ()
    """Which they are among those of all knowledge bases, also if only the block is wanted."""
    is_cut: bool = False
    """Whether a time limit left something out, which comes later."""
    of_text: bool = False


def push_of(
    session_id: str, generation: int, windows: Sequence[Window], parts: Set[PushPart]
) -> Push:
    """The wanted `parts` for the windows of one session. All look-ups in the index happen here."""
    views = [window.view for window in windows]
    for view in views:
        view.deadline.begin()  # the time until its turn does not count
    ranking = in_play(windows, PUSHED_ROWS) if "salience" in parts else []
    each = (row for window in windows for row in window.to_volunteer())
    new = [] if {"fresh", "text"}.isdisjoint(parts) else sorted(each, key=volunteering_order)
    # The text is that of all: the newest one of the session.
    block = make_block(views, new, new[0].text) if new and "text" in parts else ContextBlock()
    is_cut = any(view.deadline.has_cut for view in views)
    if is_cut:
        said = {hit.entity_id for hit in block.hits}
        new = [row for row in new if row.entity.id in said]
    return Push(
        session_id,
        generation,
        salience=[row.fields for row in ranking],
        fresh=[row.fields for row in new] if "fresh" in parts else [],
        block=block,
        volunteered=[row.identity for row in new],
        is_cut=is_cut,
    )


def in_play(windows: Sequence[Window], top_k: int | None = None) -> list[Salient]:
    """The `top_k` entities in play in the windows of one session; without `top_k`, as many as each
    knowledge base's settings say.
    """
    limits = [top_k or window.view.settings.reflex.top_k for window in windows]
    rows = (
        row
        for window, most in zip(windows, limits, strict=True)
        for row in rank(window.view, window.texts, most)
    )
    return sorted(rows, key=ranking_order)[: max(limits, default=0)]
