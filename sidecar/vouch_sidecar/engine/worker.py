"""Work off the event loop that leaves the loop its turns."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

import anyio.to_thread

__all__ = ["in_worker"]

SWITCH_SECONDS = 0.001
"""How long the worker keeps the interpreter while the loop wants it; 5 ms where nobody says so."""
T = TypeVar("T")
Ts = TypeVarTuple("Ts")


async def in_worker(work: Callable[[*Ts], T], *args: *Ts, keeps: bool = False) -> T:
    """The result of a blocking call, made in a worker thread.

    No cyclic garbage is looked for meanwhile: a look at a million objects stalls every thread for
    a second. What a call `keeps` for good is never looked through later either.
    """
    return await anyio.to_thread.run_sync(_quietly, work, args, keeps)


def _quietly(work: Callable[[*Ts], T], args: tuple[*Ts], keeps: bool) -> T:
    interval = sys.getswitchinterval()
    was_enabled = gc.isenabled()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.disable()
    try:
        return work(*args)
    finally:
        if keeps:
            gc.freeze()
        sys.setswitchinterval(interval)
        if was_enabled:
            gc.enable()
