"""Notifies one connection of what differs from the last push."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Collection, Container, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Literal, NamedTuple

import anyio

from vouch_sidecar.engine.callers import Caller, Served
from vouch_sidecar.engine.changed import GATHER_SECONDS
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.question_queue import in_turn
from vouch_sidecar.engine.session import Session
from vouch_sidecar.kb.records import Severity
from vouch_sidecar.retrieval.session_update import (
    PUSH_PARTS,
    PushedRow,
    PushPart,
    SessionUpdate,
    Window,
    session_update,
)

log = logging.getLogger(__name__)

Health = Literal["ok", "warning", "error"]
PAUSE_SECONDS = 5.0
"""Time between looks whether a knowledge base is paused: the shell, or another editor, says so with
a file.
"""


@dataclass(frozen=True, slots=True)
class SaliencePush:
    """What is new in a session."""

    session_id: str
    update: SessionUpdate
    generation: int


@dataclass(frozen=True, slots=True)
class StatusPush:
    """The new state of the process."""

    health: Health
    quiescent: bool
    message: str | None
    generation: int


class _State(NamedTuple):
    """What the ranking of a session, and what it volunteers, depend on."""

    session: Session
    touches: int
    pushed: int
    """The number of entities that were ever fresh in the session."""
    is_throttled: bool
    knowledge: tuple[object, ...]


class Pushes:
    """Compares the present state with what was last sent to a connection: about all sessions or
    those in `only` (which may change), limited to the `parts` that the connection wants.
    """

    def __init__(
        self,
        engine: Engine,
        caller: Caller,
        only: Container[str] | None = None,
        parts: Collection[PushPart] = PUSH_PARTS,
    ) -> None:
        self._engine = engine
        self._caller = replace(caller, is_unasked=True)
        self._only = only
        self._parts = parts
        self._last_rows: dict[str, tuple[object, ...]] = {}
        self._last_states: dict[str, _State] = {}
        self._status: StatusPush | None = None

    async def run(self, tell: Callable[[SaliencePush | StatusPush], None]) -> None:
        """Call `tell` with each push, soon after every change and when a session expires, which is
        none. Failures are recorded as faults and retried. Never returns.
        """
        changed = self._engine.changed

        def tell_status() -> None:
            if (status := self.status()) is not None:
                tell(status)

        async def keep_status_told() -> None:
            while True:
                count = changed.count
                tell_status()
                await changed.since(count, PAUSE_SECONDS, GATHER_SECONDS)

        faults, what = self._engine.telling_faults, "What is in play could not be told"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(keep_status_told)  # does not wait for rankings
            while True:
                count = changed.count
                with faults.contained(self, what):
                    async for push in self.salience_in_turn():
                        tell(push)
                tell_status()
                left = self._engine.sessions.seconds_left
                seconds = min(PAUSE_SECONDS, inf if left is None else left)
                await changed.since(count, seconds, GATHER_SECONDS)

    async def salience_in_turn(self) -> AsyncIterator[SaliencePush]:
        """A push for every session whose ranking differs from the one last sent, most recently
        active first. Each ranking waits for its turn behind all questions and uses the session's
        texts at that time; sessions that can't have changed are not ranked again.
        """
        while True:
            for push in self._ended():
                yield push
            await in_turn(lambda: None)  # a question that waits goes first
            if (changed := self._first_changed()) is None:
                return
            state, windows = changed
            update = await in_turn(partial(session_update, windows, self._parts))
            if (told := self._push_if_changed(state, update)) is not None:
                yield told

    def _sessions(self) -> list[Session]:
        """The sessions to push, most recently active first."""
        sessions = [
            session
            for session in self._engine.sessions
            if self._only is None or session.id in self._only
        ]
        return sessions[::-1]

    def _ended(self) -> list[SaliencePush]:
        """An empty push for every session that was pushed with rows and has ended."""
        there = {session.id for session in self._sessions()}
        for gone in self._last_states.keys() - there:
            del self._last_states[gone]
        ended = [session_id for session_id in self._last_rows if session_id not in there]
        for session_id in ended:
            del self._last_rows[session_id]
        generation = self._engine.generation
        return [SaliencePush(gone, SessionUpdate(), generation) for gone in ended]

    def _first_changed(self) -> tuple[_State, list[Window]] | None:
        """The first session that may have changed, and its windows."""
        served, now = self._engine.unpaused(self._caller), self._engine.clock()
        for session in self._sessions() if self._parts else ():
            state = self._state_of(session, served)
            if self._last_states.get(session.id) != state:
                return state, [
                    replace(kb.window(session), before=session.pushed_before(kb.view.identity, now))
                    for kb in served
                ]
        return None

    def _state_of(self, session: Session, served: Sequence[Served]) -> _State:
        now = self._engine.clock()
        is_throttled = any(
            kb.settings.volunteer.is_throttled(session.seconds_since_push(kb.view.identity, now))
            for kb in served
        )
        knowledge = tuple((kb.view.stamp, kb.settings) for kb in served)
        return _State(session, session.touches, session.pushed_count, is_throttled, knowledge)

    def _push_if_changed(self, state: _State, update: SessionUpdate) -> SaliencePush | None:
        """The push for a new ranking, if it differs. The ranking is dropped if its session ended,
        or if anything was published or pushed meanwhile.
        """
        engine, session = self._engine, state.session
        now = self._state_of(session, engine.unpaused(self._caller))
        is_there = engine.sessions.peek(session.id) is session
        if not is_there or (now.knowledge, now.pushed) != (state.knowledge, state.pushed):
            return None
        fresh = [(row.view.identity, row.entity.id) for row, _ in update.fresh]
        session.count_as_pushed(fresh, engine.clock())
        self._last_states[session.id] = state._replace(pushed=session.pushed_count)
        if not self._differs(session.id, update.rows) and not update.fresh:
            return None
        log.debug("push: %d in play, %d fresh", len(update.rows), len(update.fresh))
        shown = update if "fresh" in self._parts else replace(update, fresh=())
        return SaliencePush(session.id, shown, engine.generation)

    def _differs(self, session_id: str, rows: tuple[PushedRow, ...]) -> bool:
        shown = tuple(
            (r.view.collection, r.entity, r.claim_count, r.top_claim_id, claim, r.matched)
            for r, claim in rows
        )
        if self._last_rows.get(session_id, ()) == shown:
            return False
        if shown:
            self._last_rows[session_id] = shown
        else:
            self._last_rows.pop(session_id, None)
        return True

    def status(self) -> StatusPush | None:
        """The state of the process, if it or the generation differs from the last push."""
        status = StatusPush(*self._state(), self._engine.generation)
        if status == self._status:
            return None
        self._status = status
        return status

    def _state(self) -> tuple[Health, bool, str | None]:
        engine = self._engine
        faulty = engine.problems.faulty()
        if faulty and faulty[0].severity is Severity.ERROR:
            return "error", True, _with_more(faulty[0].message, faulty)
        if not engine.registry.has_looked:
            return "ok", False, "Indexing"
        if faulty:
            return "warning", True, _with_more(faulty[0].message, faulty)
        errors = engine.problems.errors()
        if errors:
            _, problem = errors[0]
            where = f"{problem.path}:{problem.line}: " if problem.path else ""
            return "warning", True, _with_more(f"{where}{problem.message}", errors)
        if not engine.collections:
            return "ok", True, "No knowledge base here"
        if not engine.unpaused(self._caller):
            return "ok", True, "Paused"
        return "ok", True, None


def _with_more(message: str, things: Sequence[object]) -> str:
    """The first message, with the number of others."""
    return f"{message} (and {len(things) - 1} more)" if len(things) > 1 else message
