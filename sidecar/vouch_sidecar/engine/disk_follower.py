"""Keeps what an engine publishes equal to the files on disk, in a process that stays.

Each knowledge base has three tasks: one watches its files; one reads what events, clients and a
sweep say has changed, in the thread that reads; one has the world around it built, in the thread
that builds. All publish on the event loop. A round that fails is reported and made again.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from math import inf
from pathlib import Path

import anyio
from anyio.to_thread import run_sync

from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.faults import (
    BASE,
    FOLLOW,
    LOOK,
    NO_TIES,
    NOT_TAKEN_IN,
    UNWRITTEN,
    WATCH,
    WORKSPACE,
    Faults,
)
from vouch_sidecar.engine.threads import WORLDS, in_turn
from vouch_sidecar.kb.watch import Watch, sweep_interval
from vouch_sidecar.workspace.build import UnwantedError

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.02
"""Events with shorter pauses between them count as one change."""
BURST_FILES = 8
"""From this many changed files on, all files are read: others may have changed with them."""
RETRY_SECONDS = 2.0
"""Shortest pause before a failed step is made again."""
AROUND_SECONDS = 2.0
"""Pause between looks around a knowledge base: a few stats, unless more is due."""
FINISH_SECONDS = 2.0
"""A base is kept so long after a change."""
SEARCH_SHARE = 0.005
"""Share of the time that may be spent searching folders without a knowledge base for one."""
WRITE_SECONDS = 30.0
"""Pause before a base that could not be written is tried again."""
UNFOLLOWED = "Changes on disk are not all followed"
WATCH_LOST = "Changes on disk are noticed late: the watcher was lost"


async def repeated(
    faults: Faults, step: str, sentence: str, work: Callable[[], Awaitable[None]]
) -> None:
    """Work again and again until cancelled. What fails is a fault until it succeeds."""
    while True:
        done = False
        with faults.contained(step, sentence):
            await work()
            done = True
        if not done:
            await anyio.sleep(RETRY_SECONDS)


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
        self._count = 0
        """What was seen of `Engine.due`."""

    async def finish_bases(self) -> None:
        """Keep bases for the next process."""
        for base in list(self._bases.values()):
            await base.finish()

    async def run(self) -> None:
        """Read and publish changes until cancelled."""
        engine = self._engine
        async with anyio.create_task_group() as group:
            group.start_soon(engine.embeddings.run)
            follow = partial(self._follow_all, group.start_soon)
            await repeated(engine.faults, "bases", UNFOLLOWED, follow)

    async def _follow_all(self, start: Callable[..., object]) -> None:
        """Follow the knowledge bases that are served, and no others, until something changes. Now
        and then, search folders that have none for a new one.
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
        pause = self._search_at - engine.clock() if registry.lacking else inf
        self._count = await engine.due.since(self._count, pause)


class BaseFollower:
    """Follows one knowledge base. `disk` lets one thread at a time read and write files."""

    def __init__(self, engine: Engine, collection: Collection, disk: anyio.CapacityLimiter) -> None:
        self.collection = collection
        self.scope = anyio.CancelScope()
        self._engine = engine
        self._disk = disk
        self._changed: set[str] = set()
        """Files that events name, to be read at once; the empty path stands for all of them. They
        are apart from those that were reported, for which questions wait.
        """
        self._sweep_at = 0.0
        """When to look at all files."""
        self._rests_until = 0.0
        """No look is made before, as one failed: events don't make it fail more."""
        self._keep_at = inf
        """When to keep a base for the next process."""
        self._files_count = self._world_count = 0
        """What the tasks have seen of `Engine.due`."""

    async def run(self) -> None:
        """Follow until cancelled."""
        faults = self.collection.faults
        with self.scope:
            async with anyio.create_task_group() as group:
                group.start_soon(repeated, faults, FOLLOW, UNFOLLOWED, self._follow)
                group.start_soon(repeated, faults, WATCH, WATCH_LOST, self._watch)
                group.start_soon(repeated, faults, WORKSPACE, NO_TIES, self._build)

    async def finish(self) -> None:
        """Keep a base for the next process now."""
        await self._until_looked()
        await self._keep()

    async def _until_looked(self) -> None:
        await self._engine.changed.until(lambda: self.collection.has_looked)

    async def _follow(self) -> None:
        """Wait until something is due, and read it."""
        engine, collection = self._engine, self.collection
        pause = min(self._due_at(), self._keep_at) - engine.clock()
        self._files_count = await engine.due.since(self._files_count, min(pause, AROUND_SECONDS))
        if collection.has_looked:
            await anyio.sleep(SETTLE_SECONDS)
        if collection.is_checked_out_anew or collection.reader.is_damaged:
            self._sweep_at = 0.0  # events of a checkout may be missing
        if self._due_at() <= (began := engine.clock()):
            with collection.faults.contained(LOOK, NOT_TAKEN_IN), engine.breath:
                await self._read()
            if collection.is_failing:
                pause = sweep_interval(engine.clock() - began, least=RETRY_SECONDS)
                self._sweep_at = self._rests_until = engine.clock() + pause
        if self._keep_at <= engine.clock():
            await self._keep()

    def _due_at(self) -> float:
        """When to look at some files next."""
        expiry = self.collection.reader.store.deadline
        at = min(self._sweep_at, inf if expiry is None else expiry)
        is_any_due = self._changed or self.collection.reported
        return max(0.0 if is_any_due else at, self._rests_until)

    async def _read(self) -> None:
        """Read what is due, and publish what changed."""
        engine, collection, began = self._engine, self.collection, self._engine.clock()
        changed, self._changed = self._changed, set()
        with collection.reported.looked_at() as reported:
            paths = changed | reported
            is_all = "" in paths or len(paths) >= BURST_FILES or self._sweep_at <= began
            read = partial(collection.read, None if is_all else paths)
            seen = await run_sync(read, limiter=self._disk)
        cost = engine.clock() - began
        log.debug("looked at files of %r in %.1f ms", collection.name, cost * 1000)
        if engine.publish(collection, seen):
            self._keep_at = min(self._keep_at, engine.clock() + FINISH_SECONDS)
            cost = 0.0
        elif reported:
            engine.changed.bump()  # questions wait for this
        if is_all:
            self._sweep_at = engine.clock() + sweep_interval(cost)

    async def _keep(self) -> None:
        """Keep a base for the next process. One that could not be written is tried again later."""
        engine, collection, kept = self._engine, self.collection, None
        if not collection.is_failing:
            with collection.faults.contained(BASE, UNWRITTEN):
                kept = await run_sync(collection.keep, limiter=self._disk)
        if kept is not None:
            engine.publish(collection, kept)
        pause = WRITE_SECONDS if BASE in collection.faults else FINISH_SECONDS
        self._keep_at = engine.clock() + pause if kept is None else inf

    async def _build(self) -> None:
        """Build the world anew, once that is due and the claims of what git has checked out were
        read.
        """
        engine, collection = self._engine, self.collection
        while not (collection.complete and collection.is_world_due) or (
            collection.is_checked_out_anew
        ):
            self._world_count = await engine.due.since(self._world_count, AROUND_SECONDS)
        given, is_ended = collection.given, False

        def breathe() -> None:
            engine.breath()
            if is_ended:
                raise UnwantedError

        try:
            with collection.reported_around.looked_at() as paths:
                build = partial(collection.build, given, paths, breathe)
                world = await in_turn(build, WORLDS)
        finally:
            is_ended = True
        if collection.checkout() == given.checkout:
            engine.publish_world(collection, world)
        else:  # its files may be those of other claims
            collection.memo.sweep_at = 0.0
        if paths:
            engine.changed.bump()  # questions wait for this

    async def _watch(self) -> None:
        """Watch the files, once they were read: the watcher would report each file that we read."""
        await self._until_looked()
        await Watch(self.collection.root, self._on_change, self._on_lost).run()

    def _on_change(self, paths: Iterable[str]) -> None:
        self._changed.update(paths)
        self._engine.due.bump()

    def _on_lost(self, is_lost: bool) -> None:
        if is_lost:
            self.collection.faults.add(WATCH, WATCH_LOST)
        else:
            self.collection.faults.remove(WATCH)
