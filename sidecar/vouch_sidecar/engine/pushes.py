"""Who is told unasked of what is new in sessions: clients, and other processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from vouch_sidecar.engine.changed import PAUSE_LOOK_SECONDS
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.faults import Step
from vouch_sidecar.engine.registry import Caller
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
    _told: dict[str, tuple[object, object]] = field(default_factory=dict, init=False)
    """By session id, what the rows that he was told last say, and what the push that they came with
    depended on; None if it was cut.
    """

    def _concerns(self, caller: Caller, session: Session) -> bool:
        """Whether he is told of a session: a client, who has one of his own, of those into which
        clients put texts; and everybody of those in which another process asked about his knowledge
        bases.
        """
        is_own = caller.session_id is not None and session.is_clients
        return self.hears_all or is_own or not session.shared_for.isdisjoint(caller.trees or ())

    async def keep_told(self, engines: Callable[[], Sequence[Engine]], sessions: Sessions) -> None:
        """Tell what is new to him in sessions, which these engines of the process share, until
        cancelled: now and after every change, and now and then, as a pause or a session may have
        ended. A failure is recorded as a fault of the first one, and it is told the next time.
        """
        step = Step("What is in play could not be told", self)
        try:
            async for _ in sessions.tellable.rounds(PAUSE_LOOK_SECONDS):
                for engine in engines()[:1]:
                    with engine.faults.contained(step):
                        await self.tell_news(engines, sessions)
        finally:
            for engine in engines():
                engine.faults.remove(step)

    async def tell_news(self, engines: Callable[[], Sequence[Engine]], sessions: Sessions) -> None:
        """Tell of every session whose ranking differs from the one told last, or for which
        something is volunteered, most recently active first; and an empty ranking of those that
        have ended. What could not be told is told the next time.
        """
        async with sessions.telling:
            told, caller = self._told, self.caller()
            concern = [each for each in sessions if self._concerns(caller, each)]
            asked = [each for each in engines() if each.registry.asked(caller)]
            for engine in asked if concern else ():
                engine.have_topics_derived(engine.registry.unpaused(caller), displaces=False)
            for session_id in told.keys() - {session.id for session in concern}:
                if told.pop(session_id)[0]:
                    self.tell(Push(session_id, sum(each.registry.generation for each in asked)))
            for session in reversed(concern):
                said, before = told.get(session.id, ([], None))
                windows, generation, state = _windows(engines(), caller, session)
                if state == before:
                    continue
                of = session.id, generation, windows, self.parts
                with Engine.breath:
                    push = await in_turn(partial(push_of, *of))
                # It waited behind questions. What has changed since then has this called anew.
                now = sessions.peek(session.id), _windows(engines(), caller, session)[2]
                if now != (session, state):
                    continue
                says = [{**row, "score": None} for row in push.salience]  # it fades with every text
                if says != said or push.volunteered:
                    self.tell(push)
                session.volunteered |= dict.fromkeys(push.volunteered, sessions.clock())
                told[session.id] = says, None if push.is_cut else state


def _windows(
    engines: Sequence[Engine], caller: Caller, session: Session
) -> tuple[list[Window], int, object]:
    """The texts of a session for each knowledge base, of the first engine that serves and has read
    it; the sum of the generations of these engines; and all that a push made of the texts depends
    on: as long as that is the same, so is the push.
    """
    windows, caller = list[Window](), replace(caller, is_unasked=True)
    each = [(c, engine) for engine in reversed(engines) for c in engine.registry.asked(caller)]
    serving = {c.root: engine for c, engine in sorted(each, key=lambda pair: pair[0].complete)}
    for engine in (asked := dict.fromkeys(serving.values())):
        now, served = engine.sessions.clock(), engine.registry.unpaused(caller)
        for kb in (kb for kb in served if serving[kb.collection.root] is engine):
            every, own = session.volunteered.items(), kb.view.identity
            before = {entity_id: now - at for (of, entity_id), at in every if of == own}
            windows.append(replace(kb.window(session), volunteered_before=before))
    depends = [(each.view.stamp, each.view.identity, each.room) for each in windows]
    state = session, session.touches, depends
    return windows, sum(engine.registry.generation for engine in asked), state
