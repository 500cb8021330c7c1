"""Lets background work give way to answers: it would hold the interpreter's lock, for which an
answer waits after each query of the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from threading import Event

GIVE_WAY_SECONDS = 0.5
"""How long work gives way at most before it takes a step, where questions never end."""
Breathe = Callable[[], None]
"""Called between small steps of work: it pauses while an answer is computed, or ends the work."""


class Breath:
    """A context manager around each answer, ranking and read of changed files, on the event loop.
    Background work, in any thread, makes its small steps with `steps`.
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

    @contextmanager
    def steps(self) -> Iterator[Breathe]:
        """Gives what work calls between its steps. Once the block is left, nobody waits for the
        work, and that ends it by a `CancelledError`.
        """
        is_ended = False

        def breathe() -> None:
            self._free.wait(GIVE_WAY_SECONDS)
            if is_ended:
                raise CancelledError

        try:
            yield breathe
        finally:
            is_ended = True
