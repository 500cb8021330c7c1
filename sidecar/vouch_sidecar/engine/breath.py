"""Lets background work give way to answers: it would hold the interpreter's lock, for which an
answer waits after each query of the index.
"""

from __future__ import annotations

from threading import Event

GIVE_WAY_SECONDS = 0.5
"""How long work gives way at most before it takes a step, where questions never end."""


class Breath:
    """A context manager around each answer, ranking and read of changed files, on the event loop;
    background work calls it between small steps, in any thread.
    """

    def __init__(self) -> None:
        self._answers = 0
        self._free = Event()
        self._free.set()

    def __enter__(self) -> None:
        self._answers += 1
        self._free.clear()

    def __exit__(self, *_: object) -> None:
        self._answers -= 1
        if not self._answers:
            self._free.set()

    def __call__(self) -> None:
        """Pause while an answer is computed."""
        self._free.wait(GIVE_WAY_SECONDS)
