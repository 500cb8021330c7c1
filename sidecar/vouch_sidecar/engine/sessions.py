"""The table of sessions of a process, in memory only."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from threading import RLock

from vouch_sidecar.engine.session import Session

MAX_SESSIONS = 256
SESSION_SECONDS = 30 * 60.0


class Sessions:
    """All sessions of a process, at most 256; the longest idle goes first. Thread-safe."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = RLock()
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Session]:
        with self._lock:
            self._expire()
            return iter(list(self._sessions.values()))

    def get(self, session_id: str) -> Session | None:
        """The session, if it has not expired; this counts as activity."""
        with self._lock:
            session = self.peek(session_id)
            if session is not None:
                session.last_active = self._clock()
                self._sessions.move_to_end(session.id)
            return session

    def peek(self, session_id: str) -> Session | None:
        """The session, if it has not expired; this does not count as activity."""
        with self._lock:
            self._expire()
            return self._sessions.get(session_id)

    def open(self, session_id: str) -> Session:
        """The session, created if there is none."""
        with self._lock:
            session = self.get(session_id)
            if session is None:
                session = Session(session_id, self._clock())
                self._sessions[session_id] = session
                while len(self._sessions) > MAX_SESSIONS:
                    self._sessions.popitem(last=False)
            return session

    def end(self, session_id: str) -> bool:
        """Drop a session; False when there was none."""
        with self._lock:
            return self._sessions.pop(session_id, None) is not None

    def clear(self) -> None:
        """Drop all sessions."""
        with self._lock:
            self._sessions.clear()

    def _expire(self) -> None:
        limit = self._clock() - SESSION_SECONDS
        while self._sessions:
            oldest = next(iter(self._sessions.values()))
            if oldest.last_active >= limit:
                return
            del self._sessions[oldest.id]
