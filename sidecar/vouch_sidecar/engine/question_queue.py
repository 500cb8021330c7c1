"""Runs long questions one at a time, by turns between sessions: a session with many questions does
not delay the others. A second thread answers late calls and, once no question waits, ranks for
pushes.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")


class QuestionQueue:
    """Runs functions one after another in one thread.

    With anyio's threads, cancelled questions would pile up: their threads run on until the
    deadline.
    """

    def __init__(self, name: str) -> None:
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._lock = Lock()
        self._waiting: OrderedDict[Hashable, deque[tuple[Future[Any], Callable[[], Any]]]] = (
            OrderedDict()
        )
        self._when_idle: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, who: Hashable, run: Callable[[], T]) -> Future[T]:
        """Run a function in the order of turns between askers (`who`). The future can be cancelled
        until it runs.
        """
        future: Future[T] = Future()
        with self._lock:
            self._waiting.setdefault(who, deque()).append((future, run))
        self._worker.submit(self._run_next)
        return future

    def when_idle(self, run: Callable[[], T]) -> Future[T]:
        """Run a function when no submitted one waits."""
        future: Future[T] = Future()
        with self._lock:
            self._when_idle.append((future, run))
        self._worker.submit(self._run_next)
        return future

    def _run_next(self) -> None:
        """Run the next function. The worker calls this once for each one submitted."""
        with self._lock:
            future, run = self._next() if self._waiting else self._when_idle.popleft()
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(run())
        except BaseException as error:  # as an executor does
            future.set_exception(error)

    def _next(self) -> tuple[Future[Any], Callable[[], Any]]:
        who, questions = self._waiting.popitem(last=False)
        first = questions.popleft()
        if questions:
            self._waiting[who] = questions
        return first


QUESTIONS = QuestionQueue("question")
LATE = QuestionQueue("late")
"""Answers calls whose deadline passed before their turn, with little work each, and then ranks for
pushes.
"""


async def in_turn(who: Hashable, run: Callable[[], T]) -> T:
    """Run a function in the questions' thread when it is the turn of `who`."""
    import asyncio  # the shell asks without an event loop

    waiting = QUESTIONS.submit(who, run)
    try:
        return await asyncio.wrap_future(waiting)
    finally:
        waiting.cancel()


async def behind_questions(begin: Callable[[], Callable[[], T] | None]) -> T | None:
    """Wait until no question waits, call `begin`, and run the function that it returns in the
    thread of `LATE`, once no call waits there. Returns that function's result; None if `begin`
    returned None.
    """
    import asyncio  # the shell asks without an event loop

    for queue in (QUESTIONS, LATE):
        await asyncio.wrap_future(queue.when_idle(lambda: None))
    run = begin()
    return None if run is None else await asyncio.wrap_future(LATE.when_idle(run))
