"""Tasks beside a surface, and waiting for what an engine publishes."""

from __future__ import annotations

import logging
import math
import traceback
from collections.abc import Awaitable, Callable
from typing import Self

import anyio

from vouch_sidecar.engine import Engine, Pushes, SaliencePush, StatusPush
from vouch_sidecar.operations import behind

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


async def keep_told(
    engine: Engine, pushes: Pushes, tell: Callable[[SaliencePush | StatusPush], None]
) -> None:
    """Tell what differs, soon after every change, and when a session has run out: nobody says that.
    Where it fails, that is said, and made again. Does not return.
    """

    def tell_status() -> None:
        if (status := pushes.status()) is not None:
            tell(status)

    async def keep_status_told() -> None:
        with Changes(engine) as changes:
            while True:
                tell_status()
                await changes.wait(math.inf)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(keep_status_told)  # waits behind nothing
        with Changes(engine) as changes:
            while True:
                with engine.untold.contained(pushes, "What is in play could not be told"):
                    async for push in pushes.salience_behind(behind):
                        tell(push)
                tell_status()
                left = engine.sessions.seconds_left
                await changes.wait(math.inf if left is None else left)


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
