"""Notifies one connection of what differs from the last push."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple

import anyio

from vouch_sidecar.engine.changed import GATHER_SECONDS
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.registry import Caller, Served
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.engine.threads import in_turn
from vouch_sidecar.kb.records import Severity
from vouch_sidecar.retrieval.session_update import (
    PUSH_PARTS,
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


class _Told(NamedTuple):
    """What a connection was told last of a session."""

    state: tuple[object, ...]
    """What the ranking, and what it volunteers, depended on."""
    rows: tuple[object, ...]


class Pushes:
    """Compares the present state with what was last sent to a connection: about the sessions
    that `is_told` chooses, limited to the `parts` that the connection wants.
    """

    def __init__(
        self,
        engine: Engine,
        caller: Caller,
        is_told: Callable[[Session], bool] = lambda _: True,
        parts: Collection[PushPart] = PUSH_PARTS,
    ) -> None:
        self._engine = engine
        self._caller = replace(caller, is_unasked=True)
        self._is_told = is_told
        self._parts = parts
        self._told: dict[str, _Told] = {}
        """By session id."""
        self._status: StatusPush | None = None

    async def run(self, tell: Callable[[SaliencePush | StatusPush], None]) -> None:
        """Call `tell` with each push, after every change. Failures are recorded as faults and
        retried. Never returns.
        """
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._run_status, tell)  # waits for no ranking
            engine, count = self._engine, 0
            while True:
                with engine.faults.contained(self, "What is in play could not be told"):
                    async for push in self.salience_in_turn():
                        tell(push)
                await anyio.sleep(GATHER_SECONDS)
                count = await engine.changed.since(count, PAUSE_SECONDS)

    async def _run_status(self, tell: Callable[[StatusPush], None]) -> None:
        engine, count = self._engine, 0
        while True:
            with engine.faults.contained((self, "status"), "How it is could not be told"):
                if (status := self.status()) is not None:
                    tell(status)
            await anyio.sleep(GATHER_SECONDS)
            count = await engine.changed.since(count, PAUSE_SECONDS)

    async def salience_in_turn(self) -> AsyncIterator[SaliencePush]:
        """A push for every session whose ranking differs from the one last sent, most recently
        active first, and an empty one for those that have ended. Each ranking waits for its turn
        behind all questions and uses the session's texts at that time; sessions that can't have
        changed are not ranked again, but where the ranking was cut short.
        """
        engine = self._engine
        waiting = [session for session in engine.sessions if self._is_told(session)]
        for session_id in self._told.keys() - {session.id for session in waiting}:
            if self._told.pop(session_id).rows:
                yield SaliencePush(session_id, SessionUpdate(), engine.generation)
        while waiting and self._parts:
            session = waiting.pop()
            told = self._told.get(session.id, _Told((), ()))
            if self._windows(session)[1] == told.state:
                continue
            await in_turn(lambda: None)  # a question that waits goes first
            windows, state = self._windows(session)  # their time limit begins now
            pushed = len(session.pushed)
            with engine.breath:
                update = await in_turn(partial(session_update, windows, self._parts))
            if engine.sessions.peek(session.id) is not session:
                continue
            is_other = _stamps(engine.unpaused(self._caller)) != state[-1]
            if is_other or len(session.pushed) != pushed:
                waiting.append(session)  # it is out of date, and made again
                continue
            if any(window.view.deadline.cuts for window in windows):  # the rest comes later
                said = {hit.entity_id for hit in update.block.hits}
                fresh_rows = tuple(each for each in update.fresh if each[0].entity.id in said)
                update, state = replace(update, fresh=fresh_rows), ()
            fresh = [(row.view.identity, row.entity.id) for row, _ in update.fresh]
            session.pushed |= dict.fromkeys(fresh, engine.clock())
            rows = tuple(
                (r.view.collection, r.entity, r.claim_count, r.top_claim_id, claim, r.matched)
                for r, claim in update.rows
            )
            self._told[session.id] = _Told(state, rows)
            if rows != told.rows or fresh:
                log.debug("push: %d in play, %d fresh", len(rows), len(fresh))
                shown = update if "fresh" in self._parts else replace(update, fresh=())
                yield SaliencePush(session.id, shown, engine.generation)

    def _windows(self, session: Session) -> tuple[list[Window], tuple[object, ...]]:
        """The texts of a session that count, and what their ranking, and what it volunteers,
        depends on.
        """
        served, now = self._engine.unpaused(self._caller), self._engine.clock()
        windows = [
            replace(kb.window(session), before=session.pushed_before(kb.view.identity, now))
            for kb in served
        ]
        is_throttled = [window.is_throttled for window in windows]
        return windows, (session, session.touches, is_throttled, _stamps(served))

    def status(self) -> StatusPush | None:
        """The state of the process, if it or the generation differs from the last push."""
        status = StatusPush(*self._state(), self._engine.generation)
        if status == self._status:
            return None
        self._status = status
        return status

    def _state(self) -> tuple[Health, bool, str | None]:
        engine = self._engine
        faulty = engine.health.faulty()
        is_error = bool(faulty) and faulty[0].severity is Severity.ERROR
        if not is_error and not engine.registry.has_looked:
            return "ok", False, "Indexing"
        if faulty:
            return "error" if is_error else "warning", True, _with_more(faulty[0].message, faulty)
        if errors := engine.health.errors():
            problem = errors[0]
            where = f"{problem.path}:{problem.line}: " if problem.path else ""
            return "warning", True, _with_more(f"{where}{problem.message}", errors)
        if not engine.collections:
            return "ok", True, "No knowledge base here"
        return "ok", True, None if engine.unpaused(self._caller) else "Paused"


def _stamps(served: Sequence[Served]) -> list[object]:
    return [(kb.view.stamp, kb.settings) for kb in served]


def _with_more(message: str, things: Sequence[object]) -> str:
    """The first message, with the number of others."""
    return f"{message} (and {len(things) - 1} more)" if len(things) > 1 else message
