"""What one connection is told without asking, and only when it differs from what it was told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sidecar.engine.caller import Caller
from sidecar.engine.engine import Engine
from sidecar.engine.speech import Speech, fresh, say
from sidecar.retrieval.salience import Salient

__all__ = ["Pushes", "SaliencePush", "StatusPush"]

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
    """The state of the process changed."""

    health: Health
    quiescent: bool
    message: str | None
    generation: int


class Pushes:
    """Compares what is with what a connection was told last."""

    def __init__(self, engine: Engine, caller: Caller) -> None:
        self._engine = engine
        self._caller = caller
        self._shown: dict[str, tuple[object, ...]] = {}
        self._status: tuple[Health, bool, str | None] | None = None

    def salience(self) -> list[SaliencePush]:
        """One push for every session whose ranking differs from the one told last."""
        engine = self._engine
        sessions = {session.id: session for session in engine.sessions}
        pushes = [
            SaliencePush(gone, (), (), Speech(), engine.generation, False)
            for gone in [s for s in self._shown if s not in sessions]
        ]
        for push in pushes:
            del self._shown[push.session_id]
        with engine.serving(self._caller) as served:
            for session in sessions.values():
                rows = tuple(engine.salience(served, session.id))
                new = tuple(fresh(served, session, engine.clock()))
                if self._differs(session.id, rows) or new:
                    text = next(iter(session.newest_first()), "")
                    speech = say(served, new, text)
                    if new:
                        engine.stats.spoke(speech.hits)
                    pushes.append(
                        SaliencePush(
                            session.id,
                            rows,
                            new,
                            speech,
                            engine.generation,
                            len(served) > 1,
                        )
                    )
        return pushes

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
        """The state of the process, if it is not the one told last."""
        state = self._state()
        if state == self._status:
            return None
        self._status = state
        return StatusPush(*state, self._engine.generation)

    def _state(self) -> tuple[Health, bool, str | None]:
        engine = self._engine
        if not engine.complete:
            return "ok", False, "Indexing"
        if engine.watch_lost:
            return "warning", True, "Changes on disk are noticed late: the watcher was lost"
        errors = engine.errors()
        if errors:
            _, problem = errors[0]
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            where = f"{problem.path}:{problem.line}: " if problem.path else ""
            return "warning", True, f"{where}{problem.message}{more}"
        if not engine.collections:
            return "ok", True, "No knowledge base here"
        return "ok", True, None
