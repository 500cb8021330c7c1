"""Keeps what an engine publishes equal to the files on disk, in a process that stays.

Each knowledge base has three tasks: one watches its files; one reads what events, clients and a
sweep say has changed, in the thread that reads; one has the world around it built, in the thread
that builds. All publish on the event loop. A round that fails is reported and made again.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from pathlib import Path
from threading import get_native_id
from typing import TypeVar

import anyio
from anyio.to_thread import run_sync

from vouch_sidecar.engine.collection import BASE, GIT, WATCH, WORKSPACE, Collection
from vouch_sidecar.engine.disk_reader import Step
from vouch_sidecar.engine.due import AROUND_SECONDS, RETRY_SECONDS
from vouch_sidecar.engine.embedding import Embeddings
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.engine.worlds import NO_TIES, brought_up
from vouch_sidecar.kb.watch import sweep_interval, watch
from vouch_sidecar.workspace.git import Repository

log = logging.getLogger(__name__)
T = TypeVar("T")

SETTLE_SECONDS = 0.02
"""Events with shorter pauses between them count as one change."""
FINISH_SECONDS = 5.0
"""A base is kept after this long without changes; the first one after a fifth of it."""
GIT_LOCK_SECONDS = 5.0
"""How long to wait for a checkout to release git's lock before reading the files anyway."""
SEARCH_SHARE = 0.005
"""Share of the time that may be spent searching folders without a knowledge base for one."""
WRITE_SECONDS = 60.0
"""Pause before a base that could not be written is tried again."""
NICE = 10
UNFOLLOWED = "Changes on disk are not all followed"
TORN = "A checkout may be seen in parts"
WATCH_LOST = "Changes on disk are noticed late: the watcher was lost"


def _lower_priority() -> None:
    """Give this thread a lower priority than other threads and processes."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), NICE)


@dataclass(frozen=True, slots=True)
class Threads:
    """The threads of a follower: one reads and writes files of knowledge bases, one of low priority
    builds worlds.
    """

    disk: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(1))
    world: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, "world", _lower_priority)
    )

    async def on_disk(self, run: Callable[..., T], *args: object) -> T:
        return await run_sync(partial(run, *args), limiter=self.disk)

    async def in_world(self, run: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.world, run)


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
        self.embeddings = Embeddings(engine.collections, engine.changed.bump)
        self._wake = anyio.Event()
        self._bases: dict[Path, BaseFollower] = {}
        self._search_at = 0.0
        engine.follow_by(self.wake, self.embeddings)

    def wake(self) -> None:
        """Do at once what is to be done: something is due, was published or found damaged."""
        self.embeddings.wake()
        self._wake.set()
        for base in self._bases.values():
            base.wake()

    async def finish_bases(self) -> None:
        """Keep bases for the next process, as far as the age of the files allows it."""
        for base in list(self._bases.values()):
            await base.finish()

    async def run(self) -> None:
        """Read and publish changes until cancelled."""
        threads = Threads()
        self._engine.breath.has_ended = False
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self.embeddings.run)
                follow = partial(self._follow_all, group.start_soon, threads)
                await repeated(self._engine.faults, "round", UNFOLLOWED, follow)
        finally:
            self._engine.breath.has_ended = True
            threads.world.shutdown(wait=False, cancel_futures=True)

    async def _follow_all(self, start: Callable[..., object], threads: Threads) -> None:
        """Follow the knowledge bases that are served, and no others, until something changes."""
        self._wake = anyio.Event()
        await self._search(threads)
        served = self._engine.collections
        for tree, base in list(self._bases.items()):
            if served.get(tree) is not base.collection:
                self._bases.pop(tree).scope.cancel()
        for tree, collection in served.items():
            if tree not in self._bases:
                base = self._bases[tree] = BaseFollower(self._engine, collection, threads)
                start(base.run)
        pause = inf
        if self._engine.registry.lacking:
            pause = max(0.0, self._search_at - self._engine.clock())
        with anyio.move_on_after(pause):
            await self._wake.wait()

    async def _search(self, threads: Threads) -> None:
        """Look for new knowledge bases in folders that had none."""
        started = self._engine.clock()
        if not self._engine.registry.lacking or started < self._search_at:
            return
        with self._engine.faults.contained("search", "New knowledge bases are not found"):
            if await threads.on_disk(self._engine.registry.has_found_one):
                self._engine.search_again()
        now = self._engine.clock()
        self._search_at = now + sweep_interval(now - started, share=SEARCH_SHARE)


def _checked_out(repository: Repository | None) -> tuple[object, object]:
    """The present versions of git's index and of HEAD."""
    return (None, None) if repository is None else (repository.version(), repository.checked_out())


class BaseFollower:
    """Follows one knowledge base."""

    def __init__(self, engine: Engine, collection: Collection, threads: Threads) -> None:
        self.collection = collection
        self.scope = anyio.CancelScope()
        self._engine = engine
        self._due = collection.due
        self._threads = threads
        self._files_wake, self._world_wake = anyio.Event(), anyio.Event()
        self._files_wake.set()
        self._was_read = anyio.Event()
        self._checked_out: tuple[object, object] | None = None
        """Git's index and HEAD when the files were read."""
        self._keep_at = inf
        """When to keep a base for the next process."""

    def wake(self) -> None:
        """Something is due, was published or found damaged."""
        self._files_wake.set()
        self._world_wake.set()

    async def run(self) -> None:
        """Follow until cancelled."""
        faults = self.collection.faults
        with self.scope:
            async with anyio.create_task_group() as group:
                group.start_soon(repeated, faults, "files", UNFOLLOWED, self._follow)
                group.start_soon(self._watch)
                group.start_soon(repeated, faults, WORKSPACE, NO_TIES, self._build)

    async def finish(self) -> None:
        """Keep a base for the next process now, if the age of the files allows it."""
        await self._was_read.wait()
        await self._keep()

    # The world around

    async def _build(self) -> None:
        """Have the world brought up to date, when something is due and now and then."""
        with anyio.move_on_after(AROUND_SECONDS):
            await self._world_wake.wait()
        self._world_wake = anyio.Event()
        if not self.collection.complete:
            return
        self._due.around.begin()
        worlds = brought_up(self.collection, self._engine.breath)
        while (world := await self._threads.in_world(partial(next, worlds, None))) is not None:
            self._engine.publish_world(self.collection, world)
        if self._due.around.end():
            self._engine.notify()  # questions wait for this

    # The files

    async def _follow(self) -> None:
        """Read what is due, once something is."""
        await self._rest()
        collection, now = self.collection, self._engine.clock()
        was = self._checked_out
        has_moved = was is not None and _checked_out(self._repository())[1] != was[1]
        if collection.reader.is_damaged or has_moved:
            self._due.check_all()
        if self._due.at <= now:
            with collection.reading(), self._engine.breath:
                await self._read_due()
            if collection.is_failing:
                self._due.after_failure(self._engine.clock() - now)
            # Watch after reading: the watcher would report each file that we read.
            self._was_read.set()
        if self._keep_at <= self._engine.clock():
            await self._keep()

    async def _rest(self) -> None:
        """Wait until something is due, a burst of events is over, and git has finished a running
        checkout.
        """
        collection, now = self.collection, self._engine.clock()
        was_silent = collection.is_silent
        silent_at = inf if was_silent else collection.silent_at
        with anyio.move_on_after(max(0.0, min(self._due.at, self._keep_at, silent_at) - now)):
            await self._files_wake.wait()
        self._files_wake = anyio.Event()
        if collection.is_silent != was_silent:
            self._engine.notify()
        if self._was_read.is_set():
            await anyio.sleep(SETTLE_SECONDS)
        repository = self._repository()
        with self.collection.faults.contained(GIT, TORN), anyio.move_on_after(GIT_LOCK_SECONDS):
            while repository is not None and repository.is_changing():
                self._due.check_all()  # events of the checkout may still be missing
                await anyio.sleep(SETTLE_SECONDS)

    def _repository(self) -> Repository | None:
        """The git repository around; None if there is none, or looking for it fails."""
        repository, trusted = None, self.collection.settings.trust.folders
        with self.collection.faults.contained(GIT, TORN):
            repository = Repository.holding(self.collection.tree, trusted)
        return repository if GIT not in self.collection.faults else None

    async def _read_due(self) -> None:
        """Read the files that are due and publish what changed."""
        started, due, collection = self._engine.clock(), self._due, self.collection
        if self._checked_out not in (None, _checked_out(self._repository())):
            due.check_all()  # events of a checkout may be missing
        paths = due.take()
        step, has_moved = await self._read(paths)
        now = self._engine.clock()
        looked = "all files" if paths is None else f"{len(paths)} files"
        log.debug("reconciled %s of %r in %.1f ms", looked, collection.name, (now - started) * 1000)
        was_reported = due.files.end()
        if step is not None:
            self._keep_in(FINISH_SECONDS if collection.complete else FINISH_SECONDS / 5)
            self._engine.publish(collection, step)
        elif was_reported or has_moved:
            self._engine.notify()  # questions wait for this
        cost = 0.0 if step is not None else now - started
        due.after_look(cost if paths is None else None, collection.reader.store.deadline)

    async def _read(self, paths: frozenset[str] | None) -> tuple[Step | None, bool]:
        """Read what changed, and again until git has stopped changing the working tree. Returns it,
        and whether HEAD has moved since the last time.
        """
        collection, repository = self.collection, self._repository()
        version, before = _checked_out(repository), self._checked_out
        step = await self._threads.on_disk(collection.read, paths)
        latest = self._engine.clock() + GIT_LOCK_SECONDS
        while repository and collection.complete and self._engine.clock() < latest:
            if repository.is_changing():
                await anyio.sleep(SETTLE_SECONDS)
                continue
            if (now := _checked_out(repository)) == version:
                break
            version = now
            then = await self._threads.on_disk(collection.read)
            if step is not None and then is not None:
                then = replace(then, ended=step.ended | then.ended)
            step = then or step
        self._checked_out = version
        return step, before is None or before[1] != version[1]

    async def _keep(self) -> None:
        """Keep a base for the next process. One that could not be written is tried again later."""
        self._keep_at, done = inf, False
        if not self.collection.is_failing:
            with self.collection.writing_base():
                done = await self._threads.on_disk(self.collection.reader.keep)
            if self.collection.publish_on_new_base():
                self._engine.notify()
        if not done:
            self._keep_in(WRITE_SECONDS if BASE in self.collection.faults else FINISH_SECONDS)

    def _keep_in(self, seconds: float) -> None:
        self._keep_at = min(self._keep_at, self._engine.clock() + seconds)

    # Watching

    async def _watch(self) -> None:
        """Watch the files."""
        await self._was_read.wait()
        while True:
            try:
                await watch(
                    self.collection.root,
                    lambda _: self._on_change(None),
                    lambda _, paths: self._on_change(paths),
                    lambda _, lost: self._on_lost(lost),
                )
            except Exception as error:
                log.info("the watcher failed: %s", type(error).__name__)
                self._on_lost(True)
            await anyio.sleep(RETRY_SECONDS)

    def _on_change(self, paths: Iterable[str] | None) -> None:
        if paths is None:
            self._due.check_all()
        else:
            self._due.check(paths)
        self._files_wake.set()

    def _on_lost(self, lost: bool) -> None:
        faults = self.collection.faults
        if lost and WATCH not in faults:
            log.warning("the system gives no events; changes are noticed by looking")
        if lost:
            faults.add(WATCH, WATCH_LOST)
        else:
            faults.remove(WATCH)
