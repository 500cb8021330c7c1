"""Knows whether an answer is being computed, so that background work can give way: it would hold
the interpreter's lock, for which the answer waits after each query of the index.
"""

from __future__ import annotations

from threading import Event, Lock


class Foreground:
    """A context manager around each answer. Any thread may use it."""

    def __init__(self) -> None:
        self._answers = 0
        self._lock = Lock()
        self._free = Event()
        self._free.set()

    def __enter__(self) -> None:
        with self._lock:
            self._answers += 1
            self._free.clear()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._answers -= 1
            if not self._answers:
                self._free.set()

    def wait_until_free(self, seconds: float) -> None:
        """Wait until nobody is being answered, for at most `seconds`."""
        self._free.wait(seconds)
