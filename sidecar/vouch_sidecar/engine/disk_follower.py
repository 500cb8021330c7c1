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
from vouch_sidecar.engine.embedding import Embeddings
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.faults import (
    BASE,
    FOLLOW,
    GIT,
    LOOK,
    NO_TIES,
    NOT_TAKEN_IN,
    UNWRITTEN,
    WATCH,
    WORKSPACE,
    Faults,
)
from vouch_sidecar.engine.threads import WORLDS, in_turn
from vouch_sidecar.kb.safe_files import Stat
from vouch_sidecar.kb.watch import Watch, sweep_interval
from vouch_sidecar.workspace.git import Repository

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
GIT_LOCK_SECONDS = 5.0
"""How long to wait for a checkout to release git's lock before reading the files anyway."""
SEARCH_SHARE = 0.005
"""Share of the time that may be spent searching folders without a knowledge base for one."""
WRITE_SECONDS = 30.0
"""Pause before a base that could not be written is tried again."""
Indices = tuple[Stat | None, ...]
"""The stats of git's indices."""
UNFOLLOWED = "Changes on disk are not all followed"
TORN = "A checkout may be seen in parts"
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


class UnfollowedError(Exception):
    """A knowledge base is not followed any more, so that its world is not built to the end."""


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
        self._embeddings = engine.embeddings = Embeddings(
            engine.registry, engine.faults, engine.due
        )
        engine.is_followed = True

    async def finish_bases(self) -> None:
        """Keep bases for the next process."""
        for base in list(self._bases.values()):
            await base.finish()

    async def run(self) -> None:
        """Read and publish changes until cancelled."""
        engine = self._engine
        async with anyio.create_task_group() as group:
            group.start_soon(self._embeddings.run)
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
        self._was_read = anyio.Event()
        self._checked_out: Indices = ()
        """Git's indices when the files were read."""
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
        await self._was_read.wait()
        await self._keep()

    async def _build(self) -> None:
        """Have the world brought up to date, when something is due and now and then."""
        engine, collection = self._engine, self.collection
        self._world_count = await engine.due.since(self._world_count, AROUND_SECONDS)
        if not collection.complete:
            return
        if await self._settled(engine.clock() + GIT_LOCK_SECONDS) != self._checked_out:
            self._sweep_at = 0.0
            engine.due.bump()
            self._world_count = engine.due.count
            return  # built once the claims of what was checked out were read
        reported = dict(collection.reported_around)
        is_whole = has_ended = False

        def breathe() -> None:
            engine.breath()
            if has_ended:
                raise UnfollowedError

        try:
            while not is_whole:
                world = await in_turn(collection.world_build(breathe, reported.keys()), WORLDS)
                engine.publish_world(collection, world)
                is_whole = world.is_whole
        finally:
            has_ended = True
        if reported:
            collection.reported_around = dict(collection.reported_around.items() - reported.items())
            engine.changed.bump()  # questions wait for this

    async def _follow(self) -> None:
        """Wait until something is due, and read it."""
        engine, collection = self._engine, self.collection
        pause = min(self._due_at(), self._keep_at) - engine.clock()
        self._files_count = await engine.due.since(self._files_count, pause)
        if self._was_read.is_set():
            await anyio.sleep(SETTLE_SECONDS)
        give_up_at = engine.clock() + GIT_LOCK_SECONDS
        checked_out = await self._settled(give_up_at)
        if checked_out != self._checked_out or collection.reader.is_damaged:
            self._sweep_at = 0.0  # events of a checkout may be missing
        began = engine.clock()
        if self._due_at() <= began:
            with collection.faults.contained(LOOK, NOT_TAKEN_IN), engine.breath:
                await self._read(checked_out, give_up_at)
            if collection.is_failing:
                pause = sweep_interval(engine.clock() - began, least=RETRY_SECONDS)
                self._sweep_at = self._rests_until = engine.clock() + pause
            self._was_read.set()
        if self._keep_at <= engine.clock():
            await self._keep()

    def _due_at(self) -> float:
        """When to look at some files next."""
        expiry = self.collection.reader.store.deadline
        at = min(self._sweep_at, inf if expiry is None else expiry)
        is_any_due = self._changed or self.collection.reported
        return max(0.0 if is_any_due else at, self._rests_until)

    async def _settled(self, give_up_at: float) -> Indices:
        """Git's indices around the knowledge base and the working tree, once a running checkout is
        over, at the latest at a time of the clock.
        """
        collection, trusted = self.collection, self.collection.settings.trust.folders
        folders = dict.fromkeys((collection.root, collection.tree))
        around = [Repository.holding(folder, trusted) for folder in folders]
        held = [repository for repository in around if repository is not None]
        with collection.faults.contained(GIT, TORN):
            with anyio.fail_after(give_up_at - self._engine.clock()):
                while any(repository.is_changing() for repository in held):
                    await anyio.sleep(SETTLE_SECONDS)
        return tuple(repository.version() for repository in held)

    async def _read(self, checked_out: Indices, give_up_at: float) -> None:
        """Read what is due, and again all until git has stopped changing the working tree; publish
        what changed.
        """
        engine, collection, reported = self._engine, self.collection, dict(self.collection.reported)
        began = engine.clock()
        paths, self._changed = self._changed | reported.keys(), set()
        is_all = "" in paths or len(paths) >= BURST_FILES or self._sweep_at <= began
        await run_sync(collection.read, None if is_all else paths, limiter=self._disk)
        while engine.clock() < give_up_at:
            if (now := await self._settled(give_up_at)) == checked_out:
                break
            checked_out = now
            await run_sync(collection.read, limiter=self._disk)
        if checked_out != self._checked_out:
            self._checked_out = checked_out
            engine.due.bump()  # the world waits for this
        cost = engine.clock() - began
        log.debug("looked at files of %r in %.1f ms", collection.name, cost * 1000)
        collection.reported = dict(collection.reported.items() - reported.items())
        if engine.publish(collection):
            self._keep_at = min(self._keep_at, engine.clock() + FINISH_SECONDS)
            cost = 0.0
        elif reported:
            engine.changed.bump()  # questions wait for this
        if is_all:
            self._sweep_at = engine.clock() + sweep_interval(cost)

    async def _keep(self) -> None:
        """Keep a base for the next process. One that could not be written is tried again later."""
        collection, is_done = self.collection, False
        if not collection.is_failing:
            with collection.faults.contained(BASE, UNWRITTEN):
                is_done = await run_sync(collection.reader.keep, limiter=self._disk)
            self._engine.publish(collection)
        pause = WRITE_SECONDS if BASE in collection.faults else FINISH_SECONDS
        self._keep_at = inf if is_done else self._engine.clock() + pause

    async def _watch(self) -> None:
        """Watch the files, once they were read: the watcher would report each file that we read."""
        await self._was_read.wait()
        await Watch(self.collection.root, self._on_change, self._on_lost).run()

    def _on_change(self, paths: Iterable[str]) -> None:
        self._changed.update(paths)
        self._engine.due.bump()

    def _on_lost(self, is_lost: bool) -> None:
        if is_lost:
            self.collection.faults.add(WATCH, WATCH_LOST)
        else:
            self.collection.faults.remove(WATCH)
