"""What is pushed of a session: the ranking of what is in play, the entities that the newest text
brings in, and a block about these. What a push may volunteer is decided here (`Window.brought_in`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from vouch_sidecar.retrieval.blocks.context import ContextBlock, make_block
from vouch_sidecar.retrieval.salience import (
    Salient,
    named_in,
    rank,
    ranking_order,
    volunteered,
    volunteering_order,
)
from vouch_sidecar.retrieval.view import View

PushPart = Literal["salience", "fresh", "text"]
"""The parts of a push that a client may want: the ranking, the entities brought in, the block."""
PUSHED_ROWS = 10
"""Entities of a ranking that a push lists, at most."""
PUSH_PARTS: frozenset[PushPart] = frozenset(get_args(PushPart))


@dataclass(frozen=True, slots=True)
class Window:
    """The texts of a session's window that count for one knowledge base, newest first."""

    view: View
    texts: Sequence[str]
    before: Mapping[str, float] = field(default_factory=dict)
    """The ids of the entities that earlier texts brought in, each with the seconds since then."""

    @property
    def is_throttled(self) -> bool:
        """Whether the last entity was brought in too short a time ago for another one."""
        return self.view.settings.volunteer.is_throttled(self.before.values())

    def brought_in(self) -> list[Salient]:
        """The entities that the newest text brings in, strongest first. Each entity is brought in
        once a session.
        """
        settings = self.view.settings
        volunteer = settings.volunteer
        if not volunteer.enabled or self.is_throttled:
            return []
        most = settings.reflex.top_k
        if volunteer.max_per_session is not None:
            most = max(0, min(most, volunteer.max_per_session - len(self.before)))
        rows = volunteered(named_in(self.view, self.texts[:1]))
        rows = [row for row in rows if row.entity.id not in self.before]
        return [row.with_claim() for row in rows[:most]]


@dataclass(frozen=True, slots=True)
class Push:
    """What is new in a session."""

    session_id: str
    generation: int
    rows: Sequence[Salient] = ()
    """The ranking of what is in play."""
    fresh: Sequence[Salient] = ()
    """The entities that the newest text brings in, strongest first."""
    block: ContextBlock = field(default_factory=ContextBlock)
    """The block about `fresh`."""
    is_cut: bool = False
    """Whether a time limit left something out, which comes later."""


def push_of(
    session_id: str, generation: int, windows: Sequence[Window], parts: Collection[PushPart]
) -> tuple[Push, list[Salient]]:
    """The wanted `parts` for the windows of one session, and the entities that these tell of for
    the first time, in rows or in the block. All look-ups in the index happen here.
    """
    rows = in_play(windows, PUSHED_ROWS) if "salience" in parts else []
    fresh: list[Salient] = []
    if not {"fresh", "text"}.isdisjoint(parts):
        brought_in = (row for window in windows for row in window.brought_in())
        fresh = sorted(brought_in, key=volunteering_order)
    block = ContextBlock()
    if fresh and "text" in parts:
        # all were brought in by the newest text
        block = make_block([window.view for window in windows], fresh, fresh[0].text)
    is_cut = any(window.view.deadline.cuts for window in windows)
    if is_cut:
        said = {hit.entity_id for hit in block.hits}
        fresh = [row for row in fresh if row.entity.id in said]
    return (
        Push(session_id, generation, rows, fresh if "fresh" in parts else (), block, is_cut),
        fresh,
    )


def in_play(windows: Sequence[Window], top_k: int | None = None) -> list[Salient]:
    """The `top_k` entities in play in the windows of one session; without `top_k`, as many as each
    knowledge base's settings say.
    """
    rows: list[Salient] = []
    limit = 0
    for window in windows:
        most = top_k or window.view.settings.reflex.top_k
        limit = max(limit, most)
        rows += rank(window.view, window.texts, most)
    return sorted(rows, key=ranking_order)[:limit]
