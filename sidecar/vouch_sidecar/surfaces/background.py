"""Runs background tasks."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Awaitable, Callable

log = logging.getLogger(__name__)


async def in_background(run: Callable[[], Awaitable[None]]) -> None:
    """Run a task and log its failure, so that other tasks go on."""
    try:
        await run()
    except Exception as error:
        where = "".join(traceback.format_tb(error.__traceback__))  # its message may quote a file
        log.error("ended early: %s\n%s", type(error).__name__, where)
