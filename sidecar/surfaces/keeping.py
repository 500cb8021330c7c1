"""Keeping what is served up to date, beside the answers."""

from __future__ import annotations

import logging
import traceback

from sidecar.engine import Keeper

__all__ = ["keep"]

log = logging.getLogger(__name__)


async def keep(keeper: Keeper) -> None:
    """Follow the disk until cancelled; should that fail, what was read so far is still served."""
    try:
        await keeper.run()
    except Exception as error:
        where = "".join(traceback.format_tb(error.__traceback__))  # its text may quote a file
        log.error("changes on disk are no longer followed: %s\n%s", type(error).__name__, where)
