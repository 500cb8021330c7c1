"""Keeps what an engine publishes equal to the files on disk, in a process that stays.

Each knowledge base has three tasks: one watches its files; one has read what events, clients and a
sweep say has changed, and now and then a base kept for the next process; one has the world around
it built. All publish on the event loop. A step that fails is reported and made again. Who follows
no longer keeps what was read for the next process.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Set
from contextlib import aclosing, asynccontextmanager
from functools import partial
from math import inf
from typing import TypeVar

import anyio
from anyio.abc import TaskGroup
from anyio.to_thread import run_sync

from vouch_sidecar.engine.collection import Collection, Seen
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.faults import (
    CACHE,
    FOLLOWING,
    LOOK,
    RETRY_SECONDS,
    WATCH,
    WORKSPACE,
)
from vouch_sidecar.engine.threads import WORLDS, in_turn
from vouch_sidecar.kb.watch import changes, sweep_interval
from vouch_sidecar.workspace.breath import Breathe
from vouch_sidecar.workspace.git import LOCK_SECONDS, Checkout
from vouch_sidecar.workspace.world import World

T = TypeVar("T")
log = logging.getLogger(__name__)

GIT_LOOK_SECONDS = 2.0
"""Pause between looks at what git has checked out: a few stats."""
LOCK_LOOK_SECONDS = 0.02
FINISH_SECONDS = 2.0
"""A base is kept so long after a change."""


@asynccontextmanager
async def running(engine: Engine) -> AsyncIterator[None]:
    """Follow the disk for an engine, and bring up its vectors, until the block ends."""
    async with anyio.create_task_group() as group:
        group.start_soon(DiskFollower(engine, group).run)
        group.start_soon(engine.embeddings.run)
        yield
        group.cancel_scope.cancel()


class DiskFollower:
    """Follows the knowledge bases of one engine, each with tasks in a group."""

    def __init__(self, engine: Engine, group: TaskGroup) -> None:
        self._engine, self._registry, self._group = engine, engine.registry, group
        self._followed: Set[Collection] = frozenset()
        self._disk = anyio.CapacityLimiter(1)
        """One thread reads and writes files of knowledge bases."""
        self._search_pause = 0.0
        """Seconds until folders without a knowledge base are searched for one."""

    async def run(self) -> None:
        """Read and publish changes until cancelled."""
        await self._engine.faults.repeat(FOLLOWING, self._until_others, self._follow_served)

    async def _until_others(self) -> None:
        """Wait until other knowledge bases are served than followed, or it is time to search."""
        registry, until = self._registry, self._engine.changed.until
        await until(lambda: {*registry.collections.values()} != self._followed, self._search_pause)

    async def _follow_served(self) -> None:
        """Follow the knowledge bases that are served, then search from folders that have none."""
        before, self._followed = self._followed, {*self._registry.collections.values()}
        for collection in self._followed - before:
            self._group.start_soon(CollectionFollower(self._engine, collection, self._disk).run)
        began = self._engine.clock()
        for folder in self._registry.lacking:
            found = await run_sync(self._registry.found_from, folder)  # a slow disk stops nobody
            if folder in self._registry.lacking:
                self._registry.serve_from(folder, found)
        self._search_pause = sweep_interval(self._engine.clock() - began)


class CollectionFollower:
    """Follows one knowledge base. `disk` lets one thread at a time read and write files."""

    def __init__(self, engine: Engine, collection: Collection, disk: anyio.CapacityLimiter) -> None:
        self._engine = engine
        self._collection = collection
        self._disk = disk
        self._keep_at = inf
        """When to keep a base for the next process."""
        self._ended = anyio.Event()

    async def run(self) -> None:
        """Follow as long as it is served, or until cancelled."""
        engine, collection, until = self._engine, self._collection, self._engine.changed.until
        try:
            async with anyio.create_task_group() as group:
                for task in (
                    (LOOK, partial(self._until, self._look_due_at), self._look),
                    (WORKSPACE, partial(self._until, self._build_due_at), self._build),
                    # The watcher would report each file that is read first.
                    (WATCH, partial(until, lambda: collection.has_looked), self._watch),
                ):
                    group.start_soon(collection.faults.repeat, *task)
                try:
                    await until(lambda: collection not in engine.registry.collections.values())
                finally:
                    self._ended.set()
                group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await self._keep()

    async def _until(self, due_at: Callable[[], float]) -> None:
        """Wait until a step is due."""
        clock, changed = self._engine.clock, self._engine.changed
        while (left := due_at() - clock()) > 0:
            await changed.since(changed.count, min(left, GIT_LOOK_SECONDS))

    async def _in_one_checkout(
        self,
        work: Callable[[], Awaitable[tuple[T, Checkout]]],
        patience: float,
        may_begin: Callable[[], bool] = lambda: True,
    ) -> tuple[T, bool]:
        """Work on the files of one checkout, which `work` returns as it was at its start. It waits
        while git's lock is there (locked), and works again where it was there at the start, or git
        has checked out others since (torn): both for `patience` seconds. The world waits for the
        claims of its checkout (`may_begin`). Returns what was made last, and whether it is torn.
        """
        until, checkout_now = self._engine.changed.until, self._collection.checkout
        now, give_up_at = anyio.current_time, anyio.current_time() + patience
        while True:
            await until(may_begin, every=GIT_LOOK_SECONDS)
            await until(lambda: not checkout_now().is_locked, give_up_at - now(), LOCK_LOOK_SECONDS)
            began = now()
            made, checkout = await work()
            is_torn = checkout.is_locked or checkout != checkout_now()
            if not is_torn or began >= give_up_at:
                return made, is_torn

    # Files

    def _look_due_at(self) -> float:
        """When some files are to be looked at, or a base is to be kept."""
        collection = self._collection
        is_wrong = collection.is_failing or collection.is_rebuilt
        if is_wrong or not collection.is_read_of(collection.checkout()):
            return 0.0
        return min(collection.due.at, self._keep_at, collection.reader.store.due_at)

    async def _look(self) -> None:
        """Read what is due, and publish what changed. Then keep a base, if that is due."""
        engine, collection, began = self._engine, self._collection, self._engine.clock()

        async def read() -> tuple[tuple[Seen, float], Checkout]:
            checkout, began = collection.checkout(), engine.clock()
            paths = collection.due.take(sweeps=not collection.is_read_of(checkout))
            with engine.breath:
                seen = await run_sync(collection.look, checkout, paths, limiter=self._disk)
            return (seen, engine.clock() - began), checkout

        (seen, cost), is_torn = await self._in_one_checkout(read, LOCK_SECONDS)
        log.debug("looked at files of %r in %.1f ms", collection.name, cost * 1000)
        is_other = engine.publish(collection, seen._replace(is_torn=is_torn))
        if is_other and CACHE not in collection.faults:
            self._keep_at = min(self._keep_at, engine.clock() + FINISH_SECONDS)
        # The next sweep is due by what a look costs that finds nothing.
        collection.due.done(0.0 if is_other else cost)
        if self._keep_at <= began:
            await self._keep()

    async def _keep(self) -> None:
        """Keep a base for the next process, or try again later."""
        engine, collection, kept = self._engine, self._collection, None
        with collection.faults.contained(CACHE):
            kept = await run_sync(collection.reader.keep, limiter=self._disk)
        if kept is None:
            self._keep_at = engine.clock() + RETRY_SECONDS
        else:
            self._keep_at = inf
            engine.publish(collection, collection.published.seen._replace(knowledge=kept))

    # The world around

    def _build_due_at(self) -> float:
        """When another world is to be built: none before the claims were read once."""
        collection = self._collection
        if not collection.complete:
            return inf
        return 0.0 if collection.is_world_due else collection.due_around.at

    async def _build(self) -> None:
        """Build a world of the checkout that the claims are of, and publish it. After a torn one
        the claims are read of another checkout, and then another world is due.
        """
        engine, collection = self._engine, self._collection

        async def build() -> tuple[tuple[World, float], Checkout]:
            of = collection.knowledge, collection.inputs, collection.viewers()
            paths = collection.due_around.take()

            def timed() -> tuple[World, float]:
                began = engine.clock()  # worlds of other knowledge bases may be built before
                return collection.build(*of, paths, breathe), engine.clock() - began

            with Breathe(engine.breath) as breathe:
                built = await in_turn(timed, WORLDS)
            # The claims' is the one at the start: `may_begin` waited for it, unless they are torn.
            return built, built[0].inputs.checkout

        (world, cost), _ = await self._in_one_checkout(
            build,
            0.0 if collection.published.seen.is_torn else LOCK_SECONDS,  # that had it already
            may_begin=lambda: (
                collection.published.seen.is_torn or collection.is_read_of(collection.checkout())
            ),
        )
        engine.publish_world(collection, world)
        collection.due_around.done(cost)

    # Events

    async def _watch(self) -> None:
        async with aclosing(changes(self._collection.kb_dir, self._ended)) as events:
            async for paths in events:
                self._collection.faults.remove(WATCH)
                self._collection.due.add(paths)
                self._engine.changed.bump()
