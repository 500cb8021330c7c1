"""The keeper beside a surface, which outlives its failure, and waiting for what it brings."""

from __future__ import annotations

import logging
import math
import traceback

import anyio

from vouch_sidecar.engine import Engine, Keeper

__all__ = ["indexed", "keep"]

log = logging.getLogger(__name__)


async def keep(keeper: Keeper) -> None:
    """Follow the disk until cancelled; should that fail, what was read so far is still served."""
    try:
        await keeper.run()
    except Exception as error:
        where = "".join(traceback.format_tb(error.__traceback__))  # its text may quote a file
        log.error("changes on disk are no longer followed: %s\n%s", type(error).__name__, where)


async def indexed(engine: Engine, seconds: float = math.inf) -> None:
    """Wait until the first index of all that is served is built, for so long at most."""
    if engine.complete:
        return
    built = anyio.Event()

    def look() -> None:
        if engine.complete:
            built.set()

    engine.listeners.add(look)
    try:
        with anyio.move_on_after(seconds):
            await built.wait()
    finally:
        engine.listeners.discard(look)
