"""Brings the worlds around knowledge bases up to date: in one background thread of low priority,
where a process stays, else at once.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import get_native_id
from typing import TYPE_CHECKING

import anyio

from vouch_sidecar.engine.collection import WORKSPACE, Collection
from vouch_sidecar.engine.due import AROUND_SECONDS
from vouch_sidecar.engine.world_building import build
from vouch_sidecar.retrieval.view import own_names
from vouch_sidecar.workspace.cancellation import Checkpoint, never_cancelled
from vouch_sidecar.workspace.git import origin_of
from vouch_sidecar.workspace.world import World

if TYPE_CHECKING:
    from vouch_sidecar.engine.engine import Engine


NO_TIES = "Claims are not tied to files"
NICE = 10


class Worlds:
    """Keeps the worlds of an engine up to date. Call its methods on the event loop only."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._wake = anyio.Event()

    def wake(self) -> None:
        """Check at once whether a new generation was published."""
        self._wake.set()

    async def run(self) -> None:
        """Follow published generations and the files around until cancelled."""
        worker = ThreadPoolExecutor(1, "world", _lower_priority)
        try:
            while True:
                self._wake = anyio.Event()
                with self._engine.faults.contained(WORKSPACE, NO_TIES):
                    for collection in list(self._engine.collections.values()):
                        with collection.faults.contained(WORKSPACE, NO_TIES):
                            await self._follow(worker, collection)
                with anyio.move_on_after(AROUND_SECONDS):
                    await self._wake.wait()
        finally:
            self._engine.breath.end()
            worker.shutdown(wait=False, cancel_futures=True)

    async def _follow(self, worker: ThreadPoolExecutor, collection: Collection) -> None:
        if not collection.complete:
            return
        reports = collection.due.around
        reports.begin()
        worlds = brought_up(collection, self._engine.breath)
        loop = asyncio.get_running_loop()
        while (world := await loop.run_in_executor(worker, next, worlds, None)) is not None:
            self._engine.publish_world(collection, world)
        if reports.end():
            self._engine.notify()  # questions wait for this


def _lower_priority() -> None:
    """Give this thread a lower priority than other threads and processes."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), NICE)


def settle(collections: Iterable[Collection], with_commits: bool = True) -> None:
    """Bring the worlds of some knowledge bases up to date, for a process without an event loop.
    Blocks. `with_commits` also reads the history, which takes longest.
    """
    for collection in collections:
        with collection.faults.contained(WORKSPACE, NO_TIES):
            for world in brought_up(collection, never_cancelled, with_commits=with_commits):
                collection.publish_world(world)


def brought_up(
    collection: Collection, breathe: Checkpoint, *, with_commits: bool = True
) -> Iterator[World]:
    """The worlds to publish, one after the other, so that the last one is that of the published
    generation and of the files as they are; none if it is the published one. What takes longest,
    the definitions in files and the history, comes after the first one. Blocks; calls `breathe`
    between small steps.
    """
    memo, knowledge, settings = collection.memo, collection.knowledge, collection.settings
    world, viewers = collection.world, collection.viewers()
    memo.is_log_needed |= with_commits
    differs = memo.look(settings, world, collection.due.around.in_look, breathe)
    if (
        not differs
        and world.is_whole
        and world.knowledge is knowledge
        and memo.is_log_read(settings)
        and world.topics.by_gates.keys() == set(viewers)
    ):
        return
    origin = origin_of(collection.tree)
    own = own_names(collection.name, collection.tree, origin)
    memo.read_claims(knowledge, own, breathe)
    memo.is_log_needed |= bool(memo.lost(knowledge))
    if not memo.has_scanned:
        yield build(knowledge, memo, origin, own, is_whole=False)
        memo.scan(None, breathe)
    memo.derive_topics(knowledge, viewers, own, breathe)
    memo.read_log(settings)
    yield build(knowledge, memo, origin, own, is_whole=True).in_place_of(collection.world)
    memo.keep()
