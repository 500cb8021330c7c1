"""Helpers of surfaces: run background tasks, wait for changes of an engine, send pushes."""

from __future__ import annotations

import logging
import math
import traceback
from collections.abc import Awaitable, Callable
from typing import Self

import anyio

from vouch_sidecar.engine import Engine, Pushes, SaliencePush, StatusPush

GATHER_SECONDS = 0.05
"""Changes within this time after the first count as one."""
PAUSE_SECONDS = 5.0
"""Pause between looks whether a knowledge base is paused."""

log = logging.getLogger(__name__)


async def in_background(run: Callable[[], Awaitable[None]]) -> None:
    """Run a task and log its failure, so that other tasks go on."""
    try:
        await run()
    except Exception as error:
        where = "".join(traceback.format_tb(error.__traceback__))  # its message may quote a file
        log.error("ended early: %s\n%s", type(error).__name__, where)


class Changes:
    """Waits for changes of an engine and of its sessions. A context manager."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._event = anyio.Event()

    def __enter__(self) -> Self:
        self._engine.listeners.add(self._on_change)
        self._engine.session_listeners.add(self._on_change)
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dismiss(self._on_change)

    def _on_change(self) -> None:
        self._event.set()

    async def wait(self, seconds: float) -> None:
        """Wait for a change since the last call, and `GATHER_SECONDS` more; for at most `seconds`
        in all.
        """
        with anyio.move_on_after(seconds):
            await self._event.wait()
            await anyio.sleep(GATHER_SECONDS)
        self._event = anyio.Event()


async def push_changes(
    engine: Engine, pushes: Pushes, tell: Callable[[SaliencePush | StatusPush], None]
) -> None:
    """Call `tell` with each push, soon after every change and when a session expires, of which no
    listener is notified. Failures are recorded as faults and retried. Never returns.
    """

    def tell_status() -> None:
        if (status := pushes.status()) is not None:
            tell(status)

    async def keep_status_told() -> None:
        with Changes(engine) as changes:
            while True:
                engine.notice_pauses()  # the shell, or another editor, begins and ends them too
                tell_status()
                await changes.wait(PAUSE_SECONDS)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(keep_status_told)  # does not wait for rankings
        with Changes(engine) as changes:
            while True:
                with engine.listener_faults.contained(pushes, "What is in play could not be told"):
                    async for push in pushes.salience_in_turn():
                        tell(push)
                tell_status()
                left = engine.sessions.seconds_left
                await changes.wait(math.inf if left is None else left)
