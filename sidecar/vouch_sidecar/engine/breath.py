"""Lets background work give way to answers: it would hold the interpreter's lock, for which an
answer waits after each query of the index.
"""

from __future__ import annotations

import time
from threading import Event

GIVE_WAY_SECONDS = 0.5
"""How long work gives way at most before it takes a step, where questions never end."""
WORK_SECONDS, REST_SECONDS = 0.01, 0.005
"""Work and rest by turns, while somebody asks now and then…"""
ASKED_SECONDS = 2.0
"""…which he does for so long after an answer."""


class Breath:
    """A context manager around each answer and each read of changed files, on the event loop;
    background work calls it between small steps, in any thread.
    """

    def __init__(self) -> None:
        self._answers = 0
        self._free = Event()
        self._free.set()
        self._answered_at = self._since = 0.0

    def __enter__(self) -> None:
        self._answers += 1
        self._free.clear()

    def __exit__(self, *_: object) -> None:
        self._answers -= 1
        self._answered_at = time.monotonic()
        if not self._answers:
            self._free.set()

    def __call__(self) -> None:
        """Pause while an answer is computed."""
        now = time.monotonic()
        if now - self._since > WORK_SECONDS:
            if now - self._answered_at < ASKED_SECONDS:
                time.sleep(REST_SECONDS)
            self._since = time.monotonic()
        self._free.wait(GIVE_WAY_SECONDS)
