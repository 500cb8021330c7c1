"""Lets background work give way to answers: it would hold the interpreter's lock, for which an
answer waits after each query of the index.
"""

from __future__ import annotations

from concurrent.futures import CancelledError
from threading import Event

GIVE_WAY_SECONDS = 0.5
"""How long work gives way at most before it takes a step, where questions never end."""


class Breath:
    """A block around each answer, ranking and read of changed files, on the event loop."""

    def __init__(self) -> None:
        self._answers = 0
        self.free = Event()
        self.free.set()

    def __enter__(self) -> None:
        self._answers += 1
        self.free.clear()

    def __exit__(self, *_: object) -> None:
        self._answers -= 1
        if not self._answers:
            self.free.set()


class Breathe:
    """Called between the small steps of one piece of background work, in any thread: it pauses
    while an answer is computed. Once the block around the work is left, nobody waits for it, and
    the next call ends it by a `CancelledError`.
    """

    def __init__(self, answers: Breath) -> None:
        self._answers, self._is_over = answers, False

    def __enter__(self) -> Breathe:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True

    def __call__(self) -> None:
        self._answers.free.wait(GIVE_WAY_SECONDS)
        if self._is_over:
            raise CancelledError
