"""Tasks beside a surface, and waiting for what an engine publishes."""

from __future__ import annotations

import logging
import math
import traceback
from collections.abc import Awaitable, Callable
from typing import Self

import anyio

from vouch_sidecar.engine import Engine

GATHER_SECONDS = 0.05
"""How long after a change more changes are gathered."""

log = logging.getLogger(__name__)


async def beside(run: Callable[[], Awaitable[None]]) -> None:
    """Run a task. When it fails, log that; nothing else ends with it."""
    try:
        await run()
    except Exception as error:
        where = "".join(traceback.format_tb(error.__traceback__))  # its text may quote a file
        log.error("ended early: %s\n%s", type(error).__name__, where)


class Changes:
    """Waits for changes of an engine and of its sessions. Open it with `with`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._event = anyio.Event()

    def __enter__(self) -> Self:
        self._engine.listeners.add(self._came)
        self._engine.session_listeners.add(self._came)
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dismiss(self._came)

    def _came(self) -> None:
        self._event.set()

    async def wait(self, seconds: float) -> None:
        """Wait until something was published since the last call, for at most so many seconds.

        What follows soon after counts as the same.
        """
        with anyio.move_on_after(seconds):
            await self._event.wait()
            await anyio.sleep(GATHER_SECONDS)
        self._event = anyio.Event()


async def indexed(engine: Engine, seconds: float = math.inf) -> None:
    """Wait until the first index of all that is served is built, or could not be; for so long at
    most.
    """
    if engine.looked:
        return
    built = anyio.Event()

    def look() -> None:
        if engine.looked:
            built.set()

    engine.listeners.add(look)
    try:
        with anyio.move_on_after(seconds):
            await built.wait()
    finally:
        engine.dismiss(look)
