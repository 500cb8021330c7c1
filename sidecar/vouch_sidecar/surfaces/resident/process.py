"""Serves knowledge bases to hooks over their sockets, without a client of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.surfaces.agent_requests import answer_agent
from vouch_sidecar.surfaces.background import in_background
from vouch_sidecar.surfaces.local.ownership import Ownership
from vouch_sidecar.surfaces.local.server import LocalServer
from vouch_sidecar.surfaces.stdio import leave

RESIDENT_IDLE_SECONDS = 2 * 3600.0
IDLE_CHECK_SECONDS = 1.0
NICENESS = 10


def serve(roots: Sequence[Path], owned: Mapping[Path, Ownership], env: Mapping[str, str]) -> None:
    """Serve knowledge bases, on those of their sockets that are `owned`.

    The process ends after `RESIDENT_IDLE_SECONDS` without a question, when a knowledge base is
    removed, or when an editor serves them instead.
    """
    signal.signal(signal.SIGTERM, lambda *_: leave(0))
    engine = Engine(env=env)
    for root in roots:
        engine.registry.add_root(root)
    anyio.run(_serve, engine, owned)
    leave(0)


async def _serve(engine: Engine, owned: Mapping[Path, Ownership]) -> None:
    follower = DiskFollower(engine)
    is_nice = False

    async def answer(*asked: Any) -> dict[str, Any]:
        """As `answer_agent`. Who waits for the first answer has little time; nobody is in a hurry
        for what comes after it.
        """
        nonlocal is_nice
        answered = await answer_agent(*asked)
        if not is_nice:
            is_nice = True
            _give_way()
        return answered

    local = LocalServer(engine, answer, stop=partial(leave, 0))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(in_background, follower.run)
        tasks.start_soon(_end_idle, local, list(engine.collections))
        async with anyio.create_task_group() as sockets:
            for root, ownership in owned.items():
                sockets.start_soon(local.own, root, ownership)
        tasks.cancel_scope.cancel()


def _give_way() -> None:
    """Lower the priority of every thread; on Linux each has its own."""
    try:
        threads = [int(path.name) for path in Path("/proc/self/task").iterdir()]
    except OSError:
        threads = [0]
    for thread in threads:
        with suppress(OSError):  # it ended meanwhile
            os.setpriority(os.PRIO_PROCESS, thread, NICENESS)


async def _end_idle(local: LocalServer, roots: Sequence[Path]) -> None:
    """End the process when it has been idle for long, or a knowledge base is gone."""
    await anyio.sleep(IDLE_CHECK_SECONDS)
    while local.idle < RESIDENT_IDLE_SECONDS and all(
        (root / KB_DIRNAME).is_dir() for root in roots
    ):
        await anyio.sleep(IDLE_CHECK_SECONDS)
    leave(0)
