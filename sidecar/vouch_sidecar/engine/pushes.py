"""Who is told unasked of what is new in sessions: clients, and other processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from vouch_sidecar.engine.changed import PAUSE_LOOK_SECONDS
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.faults import Step
from vouch_sidecar.engine.registry import Caller, Served
from vouch_sidecar.engine.sessions import Session, Sessions
from vouch_sidecar.engine.threads import in_turn
from vouch_sidecar.retrieval.push import PUSH_PARTS, Push, PushPart, Window, push_of


@dataclass(frozen=True, eq=False, slots=True)
class Subscriber:
    """Somebody who is told of sessions, limited to the `parts` that he wants."""

    caller: Callable[[], Caller]
    """Who he is at the time, as his knowledge bases may be others then."""
    tell: Callable[[Push], None]
    parts: Set[PushPart] = PUSH_PARTS
    hears_all: bool = False
    """Whether every session concerns him."""
    _roots: set[Path] = field(default_factory=set, init=False)
    """The folders of all knowledge bases that are or were his."""
    _told: dict[str, tuple[object, object, object]] = field(default_factory=dict, init=False)
    """By session id, what the rows that he was told last say, what the push that they came with
    depended on (None if it was cut), and the stamps of the views then.
    """

    def _concerns(self, caller: Caller, session: Session) -> bool:
        """Whether he is told of a session: a client of those into which clients put texts, and
        everybody of those in which another process asked about his knowledge bases.
        """
        return (
            self.hears_all
            or (caller.is_client and session.is_clients)
            or not session.shared_for.isdisjoint(caller.places or ())
        )

    async def keep_told(self, engines: Callable[[], Sequence[Engine]], sessions: Sessions) -> None:
        """Tell what is new to him in sessions, which these engines of the process share, until
        cancelled: now and after every change, and now and then, as a pause or a session may have
        ended. A failure is recorded as a fault, and it is told the next time.
        """
        step = Step("What is in play could not be told", self)
        try:
            async for _ in sessions.tellable.rounds(PAUSE_LOOK_SECONDS):
                try:
                    failed = await self.tell_news(engines, sessions)
                except Exception as error:
                    failed = dict.fromkeys(engines()[:1], error)
                for engine in engines():
                    with engine.faults.contained(step):
                        if engine in failed:
                            raise failed[engine]
        finally:
            for engine in engines():
                engine.faults.remove(step)

    async def tell_news(
        self, engines: Callable[[], Sequence[Engine]], sessions: Sessions
    ) -> dict[Engine, Exception]:
        """Tell of every session whose ranking differs from the one told last, or for which
        something is volunteered, most recently active first; and an empty ranking of those that
        have ended. What could not be told is told the next time, beside what could. Returns why, by
        the engines that serve it.
        """
        failed = dict[Engine, Exception]()
        async with sessions.telling:
            told, caller = self._told, replace(self.caller(), is_unasked=True)
            self._roots.update(kb.root for e in engines() for kb in e.registry.asked(caller))
            concern = [each for each in sessions if self._concerns(caller, each)]
            for session_id in told.keys() - {session.id for session in concern}:
                if told.pop(session_id)[0]:
                    self.tell(Push(session_id, sessions.generation(self._roots)))
            served = _served(engines(), caller) if concern else []
            for engine, kb in served:
                engine.have_topics_derived([kb], displaces=False)
            for session in reversed(concern):
                windows, state, stamps = _windows(served, session, sessions.clock())
                said, before, stamps_before = told.get(session.id, ([], None, stamps))
                if state == before:
                    continue
                broken = dict[Path | None, Exception]()
                make = partial(
                    push_of, session.id, sessions.generation(self._roots), parts=self.parts
                )
                try:
                    with Engine.breath:
                        push = await in_turn(partial(_made, make, windows, broken))
                    failed |= {e: broken[at] for e, kb in served if (at := kb.view.root) in broken}
                    # It waited behind questions. What has changed since has this called anew.
                    served = _served(engines(), caller)
                    now = sessions.peek(session.id), _windows(served, session, sessions.clock())[1]
                    says = [{**row, "score": None} for row in push.salience]  # it fades with texts
                    if now != (session, state) or (broken and not (says or push.volunteered)):
                        continue
                    if says != said or push.volunteered:
                        self.tell(replace(push, of_text=stamps == stamps_before))
                        stamps_before = stamps
                    session.volunteered |= dict.fromkeys(push.volunteered, sessions.clock())
                    told[session.id] = says, None if push.is_cut or broken else state, stamps_before
                except Exception as error:
                    failed |= dict.fromkeys(engines()[:1], error)
        return failed


def _served(engines: Sequence[Engine], caller: Caller) -> list[tuple[Engine, Served]]:
    """The knowledge bases of which a caller may be told, each of the first engine that has read it,
    or else of the first that serves it.
    """
    every = [(engine, kb) for engine in engines for kb in engine.registry.unpaused(caller)]
    every.sort(key=lambda each: not each[1].collection.complete)
    by_root = {kb.collection.root: (engine, kb) for engine, kb in reversed(every)}
    return [*reversed(by_root.values())]


def _made(
    make: Callable[[Sequence[Window]], Push],
    windows: Sequence[Window],
    broken: dict[Path | None, Exception],
) -> Push:
    """The push of the windows, without those of which none can be made: `broken` takes in why, by
    folder of the knowledge base.
    """
    try:
        return make(windows)
    except Exception as error:
        if len(windows) == 1:
            broken[windows[0].view.root] = error
        else:
            for window in windows:
                _made(make, [window], broken)
    return make([window for window in windows if window.view.root not in broken])


def _windows(
    served: Sequence[tuple[Engine, Served]], session: Session, now: float
) -> tuple[list[Window], object, object]:
    """The texts of a session for each knowledge base, all that a push made of them depends on: as
    long as that is the same, so is the push; and of that the stamps of the views.
    """
    windows = [
        replace(
            kb.window(session),
            volunteered_before={
                entity_id: now - at
                for (identity, entity_id), at in session.volunteered.items()
                if identity == kb.view.identity
            },
        )
        for _, kb in served
    ]
    stamps = [(each.view.stamp, each.view.identity) for each in windows]
    return windows, (session, session.newest, stamps, [each.room for each in windows]), stamps
