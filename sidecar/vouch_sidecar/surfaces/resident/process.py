"""Serves hooks, MCP servers and the shell over the user's socket, without a client of its own."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from vouch_sidecar.surfaces.agent_requests import answer_agent
from vouch_sidecar.surfaces.local.engines import IDLE_SECONDS
from vouch_sidecar.surfaces.local.ownership import Ownership
from vouch_sidecar.surfaces.local.server import LocalServer
from vouch_sidecar.surfaces.stdio import leave

IDLE_CHECK_SECONDS = 1.0
NICENESS = 10


def serve(owned: Ownership, env: Mapping[str, str]) -> None:
    """Serve on a socket. The process ends after `IDLE_SECONDS` without a question, or when the
    socket's file is gone: nobody finds it then.
    """
    signal.signal(signal.SIGTERM, lambda *_: leave(0))
    anyio.run(_serve, owned, env)
    leave(0)


async def _serve(owned: Ownership, env: Mapping[str, str]) -> None:
    is_nice = False

    async def answer(*asked: Any) -> dict[str, Any]:
        """As `answer_agent`. Who waits for the first answer has little time; nobody is in a hurry
        for what comes after it.
        """
        nonlocal is_nice
        answered = await answer_agent(*asked)
        if not is_nice:
            is_nice = True
            gc.enable()
            _give_way()
        return answered

    async with anyio.create_task_group() as tasks:
        local = LocalServer(env, answer, tasks, stop=partial(leave, 0))
        tasks.start_soon(_end_idle, local)
        await local.own(owned)
        tasks.cancel_scope.cancel()


async def _end_idle(local: LocalServer) -> None:
    """End the process when it has been idle for long."""
    while local.idle < IDLE_SECONDS:
        await anyio.sleep(IDLE_CHECK_SECONDS)
    leave(0)


def _give_way() -> None:
    """Lower the priority of every thread; on Linux each has its own."""
    try:
        threads = [int(path.name) for path in Path("/proc/self/task").iterdir()]
    except OSError:
        threads = [0]
    for thread in threads:
        with suppress(OSError):  # it ended meanwhile
            os.setpriority(os.PRIO_PROCESS, thread, NICENESS)
