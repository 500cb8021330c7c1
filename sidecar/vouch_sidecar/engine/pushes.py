"""Tells clients, and processes that follow this one, what is in play in sessions, unasked."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from vouch_sidecar.engine.changed import Changed
from vouch_sidecar.engine.faults import Faults, Step
from vouch_sidecar.engine.registry import Caller, Registry
from vouch_sidecar.engine.sessions import Session, Sessions
from vouch_sidecar.engine.threads import in_turn
from vouch_sidecar.retrieval.push import PUSH_PARTS, Push, PushPart, Window, is_cut, push_of
from vouch_sidecar.workspace.breath import Breath

log = logging.getLogger(__name__)

PAUSE_SECONDS = 5.0
"""Time between looks whether a knowledge base is paused: the shell, or another editor, says so with
a file.
"""
UNTOLD = "What is in play could not be told"


@dataclass(frozen=True, eq=False, slots=True)
class Subscriber:
    """Somebody who is told of sessions, limited to the `parts` that he wants."""

    tell: Callable[[Push], None]
    caller: Callable[[], Caller]
    """Who he is, with the knowledge bases that he means now (`Registry.named`)."""
    parts: Collection[PushPart] = PUSH_PARTS
    hears_all: bool = False
    """Whether every session concerns him."""

    def concerns(self, session: Session) -> bool:
        """Whether he is told of a session: where he has one himself, of those that no agent asked
        in; and of those in which agents asked about his knowledge bases.
        """
        caller, shared = self.caller(), session.shared_for
        is_own = caller.session_id is not None and not shared
        return self.hears_all or is_own or not shared.isdisjoint(caller.names or ())


class _Told(NamedTuple):
    """What a subscriber was told last of a session."""

    state: tuple[object, ...]
    """What the ranking, and what it volunteers, depended on."""
    rows: tuple[object, ...]


class Pushes:
    """Compares what is in play in an engine's sessions with what its subscribers were told last."""

    def __init__(
        self,
        registry: Registry,
        sessions: Sessions,
        tellable: Changed,
        faults: Faults,
        breath: Breath,
    ) -> None:
        self._registry, self._sessions = registry, sessions
        self._tellable, self._faults, self._breath = tellable, faults, breath
        self._subscribers: dict[Subscriber, dict[str, _Told]] = {}
        """What each was told, by session id."""

    def subscribe(self, subscriber: Subscriber) -> None:
        """Tell somebody from now on, first of all that is in play."""
        self._subscribers[subscriber] = {}
        self._tellable.bump()

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Tell somebody no longer."""
        del self._subscribers[subscriber]
        self._faults.remove(Step(UNTOLD, subscriber))

    async def run(self) -> None:
        """Tell all subscribers now and after every change, and look now and then whether a pause or
        a session ended. Never returns.
        """
        async for _ in self._tellable.rounds(PAUSE_SECONDS):
            await self.tell()

    async def tell(self) -> None:
        """Tell all subscribers what is new to them. Failures are recorded as faults, and it is told
        the next time.
        """
        for subscriber in [*self._subscribers]:
            step = Step(UNTOLD, subscriber)
            with self._faults.contained(step):
                await self._tell(subscriber)
            if subscriber not in self._subscribers:  # he left meanwhile
                self._faults.remove(step)

    async def _tell(self, subscriber: Subscriber) -> None:
        """Tell of every session whose ranking differs from the one last told, most recently active
        first, and nothing in play for those that have ended. Each ranking waits for its turn behind
        all questions and uses the session's texts at that time; sessions that can't have changed
        are not ranked again, but where the ranking was cut short.
        """
        parts = subscriber.parts
        told = self._subscribers.get(subscriber, {})  # he may have left meanwhile
        waiting = [session for session in self._sessions if subscriber.concerns(session)]
        for session_id in told.keys() - {session.id for session in waiting}:
            if told.pop(session_id).rows:
                subscriber.tell(Push(session_id, self._registry.generation))
        while waiting and parts:
            session = waiting.pop()
            last = told.get(session.id, _Told((), ()))
            if self._windows(subscriber, session)[1] == last.state:
                continue
            await in_turn(lambda: None)  # a question that waits goes first
            windows, state = self._windows(subscriber, session)  # their time limit begins now
            with self._breath:
                rank = partial(push_of, session.id, self._registry.generation, windows, parts)
                push, fresh = await in_turn(rank)
            if self._sessions.peek(session.id) is not session:
                continue
            if self._windows(subscriber, session)[1] != state:
                waiting.append(session)  # it is out of date, and made again
                continue
            if is_cut(windows):
                state = ()  # the rest comes later
            rows = tuple((row.shown, row.claim) for row in push.rows)
            if rows != last.rows or fresh:
                log.debug("push: %d in play, %d fresh", len(rows), len(fresh))
                subscriber.tell(push)
            session.pushed |= dict.fromkeys([row.identity for row in fresh], self._sessions.clock())
            told[session.id] = _Told(state, rows)

    def _windows(
        self, subscriber: Subscriber, session: Session
    ) -> tuple[list[Window], tuple[object, ...]]:
        """The texts of a session that count, and what their ranking, and what it volunteers,
        depends on.
        """
        now, caller = self._sessions.clock(), replace(subscriber.caller(), is_unasked=True)
        windows = [
            replace(kb.window(session), before=session.pushed_before(kb.view.identity, now))
            for kb in self._registry.unpaused(caller)
        ]
        state = [(each.view.stamp, each.is_throttled) for each in windows]
        return windows, (session, session.touches, state)
