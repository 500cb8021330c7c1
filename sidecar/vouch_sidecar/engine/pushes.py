"""What one connection is told without asking, and only when it differs from what it was told."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Collection, Container, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeVar

from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.served import Caller, Served
from vouch_sidecar.engine.sessions import Session, Slot
from vouch_sidecar.engine.speech import count_as_pushed, held_back, volunteering
from vouch_sidecar.kb.records import Severity
from vouch_sidecar.retrieval.context import Speech
from vouch_sidecar.retrieval.salience import Salient
from vouch_sidecar.retrieval.turn import PUSH_PARTS, PushPart, Turn, Window, turn

log = logging.getLogger(__name__)

Health = Literal["ok", "warning", "error"]


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


T = TypeVar("T")
_Work = Callable[[], tuple["_SessionState", Turn]]


class Behind(Protocol):
    """Waits until nothing else is to be done; then what `begin` returns is run beside the loop."""

    async def __call__(self, begin: Callable[[], Callable[[], T] | None]) -> T | None: ...


class _Stamp(NamedTuple):
    """What the ranking of a session, and what of it is fresh, follow from."""

    session: Session
    touches: int
    is_held_back: bool
    known: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _SessionState:
    """A session as it stands at one moment. Any thread may work out what that amounts to."""

    stamp: _Stamp
    pushed: int
    """How much was ever fresh in it."""
    slot: Slot | None
    windows: Sequence[Window]
    parts: Collection[PushPart]

    def turn(self) -> tuple[_SessionState, Turn]:
        return self, turn(self.windows, self.parts)


class Pushes:
    """Compares what is with what a connection was told last: of all sessions, or of those `only`,
    which may become others. Of a session only the `parts` that the connection wants are told.
    """

    def __init__(
        self,
        engine: Engine,
        caller: Caller,
        only: Container[str] | None = None,
        parts: Collection[PushPart] = PUSH_PARTS,
    ) -> None:
        self._engine = engine
        self._caller = caller
        self._only = only
        self._parts = parts
        self._shown: dict[str, tuple[object, ...]] = {}
        self._looked_at: dict[str, _Stamp] = {}
        self._status: StatusPush | None = None

    def salience(self) -> list[SaliencePush]:
        """One push for every session whose ranking differs from the one told last, the most active
        ones first. Only what may have changed is looked at.
        """
        pushes = self._ended()
        while (begun := self._begin()) is not None:
            pushes += self._told(*begun())
        return pushes

    async def salience_behind(self, behind: Behind) -> AsyncIterator[SaliencePush]:
        """The same, each worked out `behind` all else. What a session says meanwhile is looked at
        instead of what it said before.
        """
        while True:
            differs = self._begin() is not None
            for push in self._ended():
                yield push
            worked = await behind(self._begin) if differs else None
            for push in self._told(*worked) if worked is not None else []:
                yield push
            if not differs:
                return

    def _sessions(self) -> list[Session]:
        """Those that are told of, the most active ones first."""
        only = self._only if self._parts else ()
        found = [one for one in self._engine.sessions if only is None or one.id in only]
        return found[::-1]

    def _ended(self) -> list[SaliencePush]:
        """A push without rows for every session that was told of and is no more."""
        there = {session.id for session in self._sessions()}
        for gone in self._looked_at.keys() - there:
            del self._looked_at[gone]
        ended = [session_id for session_id in self._shown if session_id not in there]
        for session_id in ended:
            del self._shown[session_id]
        generation = self._engine.generation
        return [SaliencePush(gone, (), (), Speech(), generation, False) for gone in ended]

    def _begin(self) -> _Work | None:
        """The first session that may stand otherwise than when it was looked at."""
        served, now = self._engine.serving(self._caller), self._engine.clock()
        known = _known(served)
        for session in self._sessions():
            stamp = _Stamp(session, session.touches, held_back(served, session, now), known)
            if self._looked_at.get(session.id) != stamp:
                windows = volunteering(served, session, now)
                pushed, slot = len(session.pushed), session.newest()
                return _SessionState(stamp, pushed, slot, windows, self._parts).turn
        return None

    def _told(self, begun: _SessionState, found: Turn) -> list[SaliencePush]:
        """The push for what a session amounts to, if it is to be told. What was published or told
        to somebody else meanwhile, and the end of the session, make that void.
        """
        engine, session = self._engine, begun.stamp.session
        served = engine.serving(self._caller)
        is_there = engine.sessions.peek(session.id) is session
        as_begun = (begun.stamp.known, begun.pushed) == (_known(served), len(session.pushed))
        if not (is_there and as_begun):
            return []
        self._looked_at[session.id] = begun.stamp
        count_as_pushed(session, found, begun.slot, engine.clock())
        if not self._differs(session.id, found.rows) and not found.fresh:
            return []
        if found.fresh:
            engine.stats.spoke(found.speech.hits)
        log.debug("push: %d in play, %d fresh", len(found.rows), len(found.fresh))
        many = len(served) > 1
        new = found.fresh if "fresh" in self._parts else ()
        said = (found.rows, new, found.speech, engine.generation, many)
        return [SaliencePush(session.id, *said)]

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


def _known(served: Sequence[Served]) -> tuple[object, ...]:
    """What every ranking follows from."""
    return tuple((one.view.stamp, one.settings) for one in served)


def _with_more(message: str, found: Sequence[object]) -> str:
    """The first of several messages, and how many others there are."""
    return f"{message} (and {len(found) - 1} more)" if len(found) > 1 else message
