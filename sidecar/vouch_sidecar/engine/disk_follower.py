"""Keeps what an engine publishes equal to the files on disk, in a process that stays.

Each knowledge base has three tasks: one watches its files; one reads what events, clients and a
sweep say has changed, in the thread that reads; one has the world around it built, in the thread
that builds. All publish on the event loop. A round that fails is reported and made again.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial
from math import inf
from pathlib import Path

import anyio
from anyio.to_thread import run_sync

from vouch_sidecar.engine.collection import Collection, looked_at
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.faults import (
    BASE,
    LOOK,
    NO_TIES,
    NOT_TAKEN_IN,
    UNWRITTEN,
    WATCH,
    WORKSPACE,
    Faults,
)
from vouch_sidecar.engine.threads import WORLDS, in_turn
from vouch_sidecar.kb.watch import changes, sweep_interval

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.02
"""Events with shorter pauses between them count as one change."""
RETRY_SECONDS = 2.0
"""Shortest pause before a failed step is made again."""
AROUND_SECONDS = 2.0
"""Pause between looks at what git has checked out: a few stats."""
FINISH_SECONDS = 2.0
"""A base is kept so long after a change."""
SEARCH_SHARE = 0.005
"""Share of the time that may be spent searching folders without a knowledge base for one."""
WRITE_SECONDS = 30.0
"""Pause before a base that could not be written is tried again."""
UNFOLLOWED = "Changes on disk are not all followed"
WATCH_LOST = "Changes on disk are noticed late: the watcher was lost"
Step = Callable[[], Awaitable[None]]


async def repeated(
    engine: Engine, faults: Faults, step: str, sentence: str, due: Step, work: Step
) -> None:
    """Wait until something is due and do it, until cancelled. What fails is a fault until it
    succeeds.
    """
    while True:
        began, is_done = engine.clock(), False
        with faults.contained(step, sentence):
            await due()
            began = engine.clock()
            await work()
            is_done = True
        pause = sweep_interval(engine.clock() - began, least=RETRY_SECONDS)
        rests_until = engine.clock() + (0.0 if is_done else pause)
        while (left := rests_until - engine.clock()) > 0:
            await engine.due.since(engine.due.count, left)


async def run_engine(engine: Engine) -> None:
    """Follow the disk for an engine, and tell its subscribers, until cancelled."""
    async with anyio.create_task_group() as group:
        group.start_soon(DiskFollower(engine).run)
        group.start_soon(engine.pushes.run)


class DiskFollower:
    """Reads and publishes for one engine, whose callers need not know of it. Call its methods on
    the event loop only.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._bases: dict[Path, BaseFollower] = {}
        self._disk = anyio.CapacityLimiter(1)
        """One thread reads and writes files of knowledge bases."""
        self._search_at = 0.0

    async def finish_bases(self) -> None:
        """Keep bases for the next process."""
        for base in list(self._bases.values()):
            await base.finish()

    async def run(self) -> None:
        """Read and publish changes until cancelled."""
        engine = self._engine
        async with anyio.create_task_group() as group:
            group.start_soon(engine.embeddings.run)
            follow = partial(self._follow_served, group.start_soon)
            await repeated(engine, engine.faults, "bases", UNFOLLOWED, self._until_others, follow)

    async def _until_others(self) -> None:
        """Wait until other knowledge bases are served than followed, or it is time to search."""
        engine, registry = self._engine, self._engine.registry
        while registry.collections == {tree: b.collection for tree, b in self._bases.items()}:
            pause = self._search_at - engine.clock() if registry.lacking else inf
            if pause <= 0:
                break
            await engine.due.since(engine.due.count, pause)

    async def _follow_served(self, start: Callable[..., object]) -> None:
        """Follow the knowledge bases that are served, and no others. Now and then, search folders
        that have none for a new one.
        """
        engine, registry = self._engine, self._engine.registry
        for tree, base in list(self._bases.items()):
            if registry.collections.get(tree) is not base.collection:
                self._bases.pop(tree).scope.cancel()
        for tree, collection in registry.collections.items():
            if tree not in self._bases:
                base = self._bases[tree] = BaseFollower(engine, collection, self._disk)
                start(base.run)
        if registry.lacking and (began := engine.clock()) >= self._search_at:
            if await run_sync(registry.has_found_one, limiter=self._disk):
                registry.search_again()
            cost = engine.clock() - began
            self._search_at = began + cost + sweep_interval(cost, share=SEARCH_SHARE)


class BaseFollower:
    """Follows one knowledge base. `disk` lets one thread at a time read and write files."""

    def __init__(self, engine: Engine, collection: Collection, disk: anyio.CapacityLimiter) -> None:
        self.collection = collection
        self.scope = anyio.CancelScope()
        self._engine = engine
        self._disk = disk
        self._changed: set[str] = set()
        """Files that events name, to be read at once. They are apart from those that were reported,
        for which questions wait.
        """
        self._sweep_at = 0.0
        """When to look at all files."""
        self._keep_at = inf
        """When to keep a base for the next process."""

    async def run(self) -> None:
        """Follow until cancelled."""
        with self.scope:
            async with anyio.create_task_group() as group:
                for task in (
                    (LOOK, NOT_TAKEN_IN, self._until_due, self._look),
                    (WORKSPACE, NO_TIES, self._until_world_due, self._build),
                    (WATCH, WATCH_LOST, self._until_looked, self._watch),
                ):
                    group.start_soon(repeated, self._engine, self.collection.faults, *task)

    async def finish(self) -> None:
        """Keep a base for the next process now."""
        await self._until_looked()
        await self._keep()

    # Files

    async def _until_due(self) -> None:
        """Wait until a look at some files is due."""
        engine, due = self._engine, self._engine.due
        while (left := self._due_at() - engine.clock()) > 0:
            await due.since(due.count, min(left, AROUND_SECONDS))
        if self.collection.has_looked:
            await anyio.sleep(SETTLE_SECONDS)

    def _due_at(self) -> float:
        collection, expiry = self.collection, self.collection.reader.store.deadline
        is_reported = bool(self._changed or collection.reported)
        if is_reported or collection.is_checked_out_anew or collection.reader.is_damaged:
            return 0.0
        return min(self._sweep_at, self._keep_at, inf if expiry is None else expiry)

    async def _look(self) -> None:
        """Read what is due, publish what changed, and keep a base if it is time."""
        patience = await run_sync(self.collection.wait_for_git)  # others are read meanwhile
        engine, collection, began = self._engine, self.collection, self._engine.clock()
        changed, self._changed = self._changed, set()
        sweep_at, self._sweep_at = self._sweep_at, 0.0  # where this fails, all are read again
        with engine.breath, looked_at(collection.reported) as reported:
            paths = None if sweep_at <= began else changed | reported
            seen = await run_sync(collection.read, paths, patience, limiter=self._disk)
            cost = engine.clock() - began
            log.debug("looked at files of %r in %.1f ms", collection.name, cost * 1000)
        if engine.publish(collection, seen):
            self._keep_at = min(self._keep_at, engine.clock() + FINISH_SECONDS)
            cost = 0.0
        elif reported:
            engine.changed.bump()  # questions wait for this
        is_swept = sweep_at <= began
        self._sweep_at = engine.clock() + sweep_interval(cost) if is_swept else sweep_at
        if self._keep_at <= engine.clock():
            await self._keep()

    async def _keep(self) -> None:
        """Keep a base for the next process. One that could not be written is tried again later."""
        engine, collection, kept = self._engine, self.collection, None
        with collection.faults.contained(BASE, UNWRITTEN):
            kept = await run_sync(collection.keep, limiter=self._disk)
        if kept is not None:
            engine.publish(collection, kept)
        pause = WRITE_SECONDS if BASE in collection.faults else FINISH_SECONDS
        self._keep_at = engine.clock() + pause if kept is None else inf

    # The world around

    async def _until_world_due(self) -> None:
        """Wait until a world is to be built."""
        collection, due = self.collection, self._engine.due
        while not collection.is_world_due:
            await due.since(due.count, AROUND_SECONDS)

    async def _build(self) -> None:
        engine, collection = self._engine, self.collection
        given, reported = collection.given, collection.reported_around
        with engine.breath.steps() as breathe, looked_at(reported) as paths:
            world = await in_turn(partial(collection.build, given, paths, breathe), WORLDS)
        if not engine.publish_world(collection, world):
            reported.extend(paths)
        if paths:
            engine.changed.bump()  # questions wait for this

    # Events

    async def _until_looked(self) -> None:
        """Wait until the files were read: the watcher would report each file that we read."""
        await self._engine.changed.until(lambda: self.collection.has_looked)

    async def _watch(self) -> None:
        async with aclosing(changes(self.collection.root)) as events:
            async for paths in events:
                self.collection.faults.remove(WATCH)
                self._changed |= paths
                self._engine.due.bump()
