"""The thread that answers what may take long, one after another, and ranks for pushes. With
anyio's threads cancelled questions would pile up: their threads run on until the deadline.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
ANSWERS = ThreadPoolExecutor(1, thread_name_prefix="answers")


async def in_turn(run: Callable[[], T]) -> T:
    """Run a function in the thread, once those before it are done. One that is cancelled before its
    turn does not run.
    """
    import asyncio  # the shell asks without an event loop

    waiting = ANSWERS.submit(run)
    try:
        return await asyncio.wrap_future(waiting)
    finally:
        waiting.cancel()
