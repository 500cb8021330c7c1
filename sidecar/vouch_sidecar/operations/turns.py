"""Long questions wait here for their turn, fair by session: who asks much waits for those who ask
little, not the other way round.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")


class Turns:
    """Runs what it is given one after another, in a thread of its own.

    anyio's threads would add up where many are cancelled: the thread of a cancelled question works
    on until its time is up.
    """

    def __init__(self, name: str) -> None:
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._lock = Lock()
        self._waiting: OrderedDict[Hashable, deque[tuple[Future[Any], Callable[[], Any]]]] = (
            OrderedDict()
        )
        self._behind: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, who: Hashable, run: Callable[[], T]) -> Future[T]:
        """Run this when it is its turn. Its future can be cancelled until then."""
        future: Future[T] = Future()
        with self._lock:
            self._waiting.setdefault(who, deque()).append((future, run))
        self._worker.submit(self._run_next)
        return future

    def behind(self, run: Callable[[], T]) -> Future[T]:
        """Run this when no question waits."""
        future: Future[T] = Future()
        with self._lock:
            self._behind.append((future, run))
        self._worker.submit(self._run_next)
        return future

    def _run_next(self) -> None:
        """Run the question of whoever waits longest for a turn. One call for each submitted."""
        with self._lock:
            future, run = self._next() if self._waiting else self._behind.popleft()
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(run())
        except BaseException as error:  # whoever waits for it is told, as an executor does
            future.set_exception(error)

    def _next(self) -> tuple[Future[Any], Callable[[], Any]]:
        who, questions = self._waiting.popitem(last=False)
        first = questions.popleft()
        if questions:
            self._waiting[who] = questions
        return first
