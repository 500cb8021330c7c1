"""What is new in sessions to who is told of them unasked: clients, and other processes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection
from dataclasses import dataclass, field, replace
from functools import partial
from weakref import WeakKeyDictionary

from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.registry import Caller, Registry
from vouch_sidecar.engine.sessions import Session
from vouch_sidecar.engine.threads import in_turn
from vouch_sidecar.retrieval.push import PUSH_PARTS, Push, PushPart, Window, push_of


@dataclass(frozen=True, eq=False, slots=True)
class Subscriber:
    """Somebody who is told of sessions, limited to the `parts` that he wants."""

    caller: Caller
    parts: Collection[PushPart] = PUSH_PARTS
    home: Registry | None = None
    """Whose knowledge bases at the time he means; without it those of `caller`."""
    hears_all: bool = False
    """Whether every session concerns him."""
    _told: WeakKeyDictionary[Engine, dict[str, tuple[object, object]]] = field(
        default_factory=WeakKeyDictionary, init=False
    )
    """The rows that he was told last, by session id, and what these, and what was volunteered,
    depended on; None if there is more to tell.
    """

    def _concerns(self, caller: Caller, session: Session) -> bool:
        """Whether he is told of a session: where he has one himself, of those that no agent asked
        in; and of those in which agents asked about his knowledge bases.
        """
        shared = session.shared_for
        is_own = caller.session_id is not None and not shared
        return self.hears_all or is_own or not shared.isdisjoint(caller.roots or ())

    async def news(self, engine: Engine) -> AsyncGenerator[Push, None]:
        """Every session of an engine whose ranking differs from the one told last, most recently
        active first, and nothing in play for those that have ended. Each ranking waits for its turn
        behind all questions and uses the session's texts at that time; sessions that can't have
        changed are not ranked again, but where the ranking was cut short.
        """
        async with engine.telling:
            told = self._told.setdefault(engine, {})
            caller = self.caller if self.home is None else self.home.named(self.caller)
            waiting = [each for each in engine.sessions if self._concerns(caller, each)]
            for session_id in told.keys() - {session.id for session in waiting}:
                if told.pop(session_id)[0]:
                    yield Push(session_id, engine.registry.generation)
            while waiting:
                await in_turn(lambda: None)  # questions that wait go first: time limits begin now
                session = waiting.pop()
                last_rows, last_state = told.get(session.id, ((), None))
                windows, state = _windows(engine, caller, session)
                if state == last_state:
                    continue
                of = session.id, engine.registry.generation
                with engine.breath:
                    push, fresh = await in_turn(partial(push_of, *of, windows, self.parts))
                if engine.sessions.peek(session.id) is not session:
                    continue
                if _windows(engine, caller, session)[1] != state:
                    waiting.append(session)  # it is out of date, and made again
                    continue
                rows = tuple((row.shown, row.claim) for row in push.rows)
                if rows != last_rows or fresh:
                    yield push
                now = engine.sessions.clock()
                session.pushed |= dict.fromkeys([row.identity for row in fresh], now)
                told[session.id] = rows, None if push.is_cut else state


def _windows(engine: Engine, caller: Caller, session: Session) -> tuple[list[Window], object]:
    """The texts of a session that count, and what their ranking, and what it volunteers, depends
    on.
    """
    now = engine.sessions.clock()
    windows = [
        replace(kb.window(session), before=session.pushed_before(kb.view.identity, now))
        for kb in engine.registry.unpaused(replace(caller, is_unasked=True))
    ]
    state = [(each.view.stamp, each.is_throttled) for each in windows]
    return windows, (session, session.touches, state)
