"""What one connection is told without asking, and only when it differs from what it was told."""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from time import perf_counter
from typing import Literal

from vouch_sidecar.engine.caller import Caller
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.served import Served
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.engine.speech import Speech, fresh, held_back, say
from vouch_sidecar.kb.records import Severity
from vouch_sidecar.retrieval.salience import Salient

log = logging.getLogger(__name__)

Health = Literal["ok", "warning", "error"]

DELAY = 0.05
"""Seconds from a change to the look at it: what else changes meanwhile is told with it."""
SLICE = 0.005
"""Seconds that one look may take. A change of the knowledge concerns every session."""
BREATH = 0.001
"""Seconds until the next look at the sessions that are left: requests are answered meanwhile."""


@dataclass(frozen=True, slots=True)
class SaliencePush:
    """The ranking of a session changed. `many` tells whether rows name their collection."""

    session_id: str
    rows: tuple[Salient, ...]
    fresh: tuple[Salient, ...]
    speech: Speech
    generation: int
    many: bool


@dataclass(frozen=True, slots=True)
class StatusPush:
    """The state of the process, or what is known, changed."""

    health: Health
    quiescent: bool
    message: str | None
    generation: int


Tell = Callable[[SaliencePush | StatusPush], None]
Later = Callable[[float, Callable[[], None]], object]
"""Calls something in so many seconds."""


class Pushes:
    """Compares what is with what a connection was told last: of all sessions, or of those `only`,
    which may become others.
    """

    def __init__(self, engine: Engine, caller: Caller, only: Container[str] | None = None) -> None:
        self._engine = engine
        self._caller = caller
        self._only = only
        self._shown: dict[str, tuple[object, ...]] = {}
        self._looked_at: dict[str, tuple[object, ...]] = {}
        self._status: StatusPush | None = None
        self.behind = False
        """Whether the last look ran out of time, with sessions left."""
        self._start: tuple[Tell, Later] | None = None
        self._waiting = False
        self._waits_for_end = False
        """Whether it will look when a session may have run out."""

    def start(self, tell: Tell, later: Later) -> None:
        """From now on, look soon after every change, and `tell` what differs."""
        self._start = tell, later
        self._engine.listeners.add(self._look_soon)
        self._engine.session_listeners.add(self._look_soon)
        self._look_soon()

    def _look_soon(self) -> None:
        self._look_in(DELAY)

    def _look_in(self, seconds: float) -> None:
        if self._start is not None and not self._waiting:
            tell, later = self._start
            self._waiting = True
            later(seconds, partial(self._look, tell))

    def _look(self, tell: Tell) -> None:
        self._waiting = False
        with self._engine.untold.contained(self._look, "What is in play could not be told"):
            for push in self.salience(SLICE):
                tell(push)
            if self.behind:
                self._look_in(BREATH)
        self._look_at_end()
        if (status := self.status()) is not None:
            tell(status)

    def _look_at_end(self) -> None:
        """Look again once the session that is idle longest has run out: nobody tells of that."""
        left = self._engine.sessions.seconds_left
        if self._start is not None and left is not None and not self._waits_for_end:
            _, later = self._start
            self._waits_for_end = True
            later(left, self._end)

    def _end(self) -> None:
        self._waits_for_end = False
        if self._look_soon in self._engine.listeners:  # the connection may be gone by now
            self._look_soon()

    def salience(self, seconds: float = inf) -> list[SaliencePush]:
        """One push for every session whose ranking differs from the one told last, the most active
        ones first. Only what may have changed is looked at, for about so many seconds: at one of
        them at least.
        """
        engine = self._engine
        sessions = {
            session.id: session
            for session in engine.sessions
            if self._only is None or session.id in self._only
        }
        pushes = [
            SaliencePush(gone, (), (), Speech(), engine.generation, False)
            for gone in [s for s in self._shown if s not in sessions]
        ]
        for gone in self._looked_at.keys() - sessions.keys():
            del self._looked_at[gone]
            self._shown.pop(gone, None)
        self.behind = False
        served = engine.serving(self._caller)
        until = perf_counter() + seconds
        changed = self._changed(served, reversed(sessions.values()))
        for number, (session, state) in enumerate(changed):
            if number and perf_counter() > until:
                self.behind = True
                break
            self._looked_at[session.id] = state
            if (push := self._push_for(served, session)) is not None:
                pushes.append(push)
        for push in pushes:
            log.debug("push: %d in play, %d fresh", len(push.rows), len(push.fresh))
        return pushes

    def _changed(
        self, served: Sequence[Served], sessions: Iterable[Session]
    ) -> Iterator[tuple[Session, tuple[object, ...]]]:
        """The sessions that may stand differently than when they were looked at, each with what its
        ranking, and what of it is fresh, follow from.
        """
        known, now = tuple((one.view.stamp, one.settings) for one in served), self._engine.clock()
        for session in sessions:
            state = (session, session.touches, held_back(served, session, now), known)
            if self._looked_at.get(session.id) != state:
                yield session, state

    def _push_for(self, served: Sequence[Served], session: Session) -> SaliencePush | None:
        engine = self._engine
        rows = tuple(engine.salience(served, session.id))
        new = tuple(fresh(served, session, engine.clock()))
        if not self._differs(session.id, rows) and not new:
            return None
        speech = say(served, new, next(iter(session.newest_first()), ""))
        if new:
            engine.stats.spoke(speech.hits)
        return SaliencePush(session.id, rows, new, speech, engine.generation, len(served) > 1)

    def _differs(self, session_id: str, rows: tuple[Salient, ...]) -> bool:
        told = tuple(
            (r.view.collection, r.entity, r.claim_count, r.top_claim_id, r.matched) for r in rows
        )
        if self._shown.get(session_id, ()) == told:
            return False
        if told:
            self._shown[session_id] = told
        else:
            self._shown.pop(session_id, None)
        return True

    def status(self) -> StatusPush | None:
        """The state of the process, if it, or what is known, is not what was told last."""
        status = StatusPush(*self._state(), self._engine.generation)
        if status == self._status:
            return None
        self._status = status
        return status

    def _state(self) -> tuple[Health, bool, str | None]:
        engine = self._engine
        faulty = engine.faulty()
        if faulty and faulty[0].severity is Severity.ERROR:
            return "error", True, _with_more(faulty[0].message, faulty)
        if not engine.looked:
            return "ok", False, "Indexing"
        if faulty:
            return "warning", True, _with_more(faulty[0].message, faulty)
        errors = engine.errors()
        if errors:
            _, problem = errors[0]
            where = f"{problem.path}:{problem.line}: " if problem.path else ""
            return "warning", True, _with_more(f"{where}{problem.message}", errors)
        if not engine.collections:
            return "ok", True, "No knowledge base here"
        return "ok", True, None


def _with_more(message: str, found: Sequence[object]) -> str:
    """The first of several messages, and how many others there are."""
    return f"{message} (and {len(found) - 1} more)" if len(found) > 1 else message
