"""The threads beside that of the event loop: one answers what may take long, one question after
another, and ranks for pushes; one builds worlds. With anyio's threads cancelled questions would
pile up: their threads run on until the deadline.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import get_native_id
from typing import TypeVar

T = TypeVar("T")
NICE = 10


def _lower_priority() -> None:
    """Give this thread a lower priority than other threads and processes."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), NICE)


ANSWERS = ThreadPoolExecutor(1, "answers")
WORLDS = ThreadPoolExecutor(1, "worlds", _lower_priority)


async def in_turn(run: Callable[[], T], thread: ThreadPoolExecutor = ANSWERS) -> T:
    """Run a function in a thread, once those before it are done. One that is cancelled before its
    turn does not run.
    """
    waiting = thread.submit(run)
    try:
        return await asyncio.wrap_future(waiting)
    finally:
        waiting.cancel()
