"""What runs beside a surface, which outlives its failure, and waiting for the first index."""

from __future__ import annotations

import logging
import math
import traceback
from collections.abc import Awaitable, Callable

import anyio

from vouch_sidecar.engine import Engine

__all__ = ["beside", "indexed"]

log = logging.getLogger(__name__)


async def beside(run: Callable[[], Awaitable[None]]) -> None:
    """Run something until it is cancelled; should it fail, that ends nothing else."""
    try:
        await run()
    except Exception as error:
        where = "".join(traceback.format_tb(error.__traceback__))  # its text may quote a file
        log.error("ended early: %s\n%s", type(error).__name__, where)


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
