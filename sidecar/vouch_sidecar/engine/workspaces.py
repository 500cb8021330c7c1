"""Analyses the workspaces around knowledge bases in one background thread of low priority, and
publishes the results.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event, get_native_id
from typing import TYPE_CHECKING

import anyio

from vouch_sidecar.engine.collection import WORKSPACE, Collection
from vouch_sidecar.engine.due import AROUND_SECONDS
from vouch_sidecar.engine.foreground import Foreground
from vouch_sidecar.engine.workspace_analysis import analyse
from vouch_sidecar.engine.workspace_state import WorkspaceState
from vouch_sidecar.workspace.cancellation import AnalysisCancelledError, never_cancelled

if TYPE_CHECKING:
    from vouch_sidecar.engine.engine import Engine


NO_TIES = "Claims are not tied to files"
WORK_SECONDS, REST_SECONDS = 0.01, 0.005
"""The thread works and rests by turns, to release the interpreter's lock to other threads."""
GIVE_WAY_SECONDS = 0.5
"""How long the thread gives way at most before it takes a step, where questions never end."""
NICE = 10


class Workspaces:
    """Analyses the workspaces of an engine. Call its methods on the event loop only."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._states: dict[Path, WorkspaceState] = {}
        self._wake = anyio.Event()
        self._ended = Event()

    def wake(self) -> None:
        """Check at once whether a new generation was published."""
        self._wake.set()

    async def run(self) -> None:
        """Follow published generations and git's list of files until cancelled."""
        worker = ThreadPoolExecutor(1, "workspace", _lower_priority)
        try:
            while True:
                self._wake = anyio.Event()
                with self._engine.faults.contained(WORKSPACE, NO_TIES):
                    for root in self._states.keys() - self._engine.collections.keys():
                        del self._states[root]
                    for collection in list(self._engine.collections.values()):
                        with collection.faults.contained(WORKSPACE, NO_TIES):
                            await self._follow(worker, collection)
                with anyio.move_on_after(AROUND_SECONDS):
                    await self._wake.wait()
        finally:
            self._ended.set()
            worker.shutdown(wait=False, cancel_futures=True)

    async def _follow(self, worker: ThreadPoolExecutor, collection: Collection) -> None:
        if not collection.complete:
            return
        state = self._states.setdefault(collection.tree, WorkspaceState())
        throttle = _Throttle(self._ended, self._engine.foreground)
        reports = collection.due.around
        reports.begin()
        stages = analyse(collection, state, self._engine.env, throttle, whole=True)
        loop = asyncio.get_running_loop()
        while (stage := await loop.run_in_executor(worker, next, stages, None)) is not None:
            self._engine.publish_workspace(collection, stage)
        if reports.end():
            self._engine.notify()  # questions wait for this


def _lower_priority() -> None:
    """Give this thread a lower priority than other threads and processes."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), NICE)


class _Throttle:
    """Pauses the background thread regularly, and while an answer is being computed. Is called
    between small steps.
    """

    def __init__(self, ended: Event, foreground: Foreground) -> None:
        self._ended = ended
        self._foreground = foreground
        self._since = time.monotonic()

    def __call__(self) -> None:
        """Pauses if it is time to. Raises `AnalysisCancelledError` once the engine has ended."""
        if time.monotonic() - self._since > WORK_SECONDS:
            time.sleep(REST_SECONDS)
            self._since = time.monotonic()
        self._foreground.wait_until_free(GIVE_WAY_SECONDS)
        if self._ended.is_set():
            raise AnalysisCancelledError


def settle(
    collections: Iterable[Collection],
    env: Mapping[str, str],
    states: dict[Path, WorkspaceState] | None = None,
    with_commits: bool = True,
) -> None:
    """Analyse all workspaces, for a process without an event loop. Blocks. Pass the same `states`
    each time, so that nothing is done twice. `with_commits` also reads the history, which takes
    longest.
    """
    states = {} if states is None else states
    for collection in collections:
        state = states.setdefault(collection.tree, WorkspaceState())
        state.need_history(with_commits)
        with collection.faults.contained(WORKSPACE, NO_TIES):
            for stage in analyse(collection, state, env, never_cancelled, whole=False):
                collection.publish_workspace(stage)
