"""Keeps the published knowledge equal to the disk: the one place that waits.

Client events, the own watcher and the sweep all end in the same step: read in a worker thread,
publish on the event loop. What fails ends that step and no other; it is said, and done again.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import anyio
import anyio.abc
from anyio.to_thread import run_sync as in_worker

from vouch_sidecar.engine.collection import GIT, WATCH, Collection, Step, Written
from vouch_sidecar.engine.embedding import Meaning
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.workspaces import Workspaces
from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.kb.records import Problem
from vouch_sidecar.kb.watch import sweep_interval, watch
from vouch_sidecar.workspace.git import WorkingTree

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.02
"""A burst of events counts as one change when it pauses this long."""
FINISH_SECONDS = 5.0
"""How long nothing must have changed before a base is finished; the first time, a fifth."""
GIT_SECONDS = 5.0
"""How long a checkout may hold git's lock before a change counts as whole all the same."""
SEARCH_SHARE = 0.005
"""Of the time, how much may go into looking for knowledge bases where there are none."""
RETRY_SECONDS = 2.0
"""How long what failed rests, at least."""
WRITE_SECONDS = 60.0
"""How long it is until a base that could not be written is tried again."""
TORN = "A checkout may be seen in parts"
WATCH_LOST = "Changes on disk are noticed late: the watcher was lost"
BURST_FILES = 8
"""Changed files from which on everything is looked at: others may have changed with them."""


@dataclass(slots=True)
class _Due:
    """When a knowledge base is looked at next, on the engine's clock, and how much of it.

    `sweep_at` asks for all of it, `expiry_at` only for what the store waits for; `paths` are files
    that something told of. None of that counts before `rests_until`.
    """

    rests_until: float = 0.0
    sweep_at: float = 0.0
    expiry_at: float = float("inf")
    paths: set[str] = field(default_factory=set)
    git: tuple[int, int] | None = None
    """Git's version of the files when all of them were last looked at."""

    @property
    def at(self) -> float:
        due = 0.0 if self.paths else min(self.sweep_at, self.expiry_at)
        return max(due, self.rests_until)

    def rest(self, until: float) -> None:
        """Look at everything again, then and not before."""
        self.sweep_at = self.rests_until = until

    def take(self, now: float) -> frozenset[str] | None:
        """What to look at now; None for everything. It is no longer due after that."""
        everything = self.sweep_at <= now or len(self.paths) >= BURST_FILES
        paths = None if everything else frozenset(self.paths)
        if paths is None:
            self.sweep_at = float("inf")
        self.expiry_at = float("inf")
        self.paths.clear()
        return paths


class Indexer:
    """Drives one engine. All methods belong to its event loop."""

    def __init__(self, engine: Engine, watching: Literal["own", "client"] = "own") -> None:
        self._engine = engine
        self._meaning = engine.meaning = Meaning(engine.collections, engine.tell)
        engine.listeners.add(self._meaning.wake)
        self._workspaces = Workspaces(engine)
        engine.listeners.add(self._workspaces.wake)
        engine.listeners.add(self._notice)
        self._watching = watching
        self._due: dict[Path, _Due] = {}
        self._wake = anyio.Event()
        self._watches: dict[Path, anyio.CancelScope] = {}
        self._finish_at = 0.0
        self._write_at = 0.0
        self._writing: set[Path] = set()
        self._written: list[tuple[Collection, Written]] = []
        self._search_at = 0.0
        self._told: list[Problem] = []
        """The faults when they were last told."""
        self._tell_at = 0.0

    def poke(self, paths: Iterable[Path] | None = None) -> None:
        """Files may have changed: these, as far as they stand below a `.vouch/`, or any (None)."""
        named = None if paths is None else [f"{path}".rstrip(os.sep) + os.sep for path in paths]
        for root in self._engine.collections:
            inside = f"{root / KB_DIRNAME}{os.sep}"
            if named is None or any(map(inside.startswith, named)):
                self._on_change(root)
                continue
            below = [p[len(inside) : -1] for p in named if p.startswith(inside)]
            if below:
                self._on_files(root, [path.replace(os.sep, "/") for path in below])
        self._wake.set()

    def watch_by(self, watching: Literal["own", "client"]) -> None:
        """Who notices changes first. The sweep runs beside either."""
        self._watching = watching
        self._wake.set()

    async def run(self) -> None:
        """Keep at it until cancelled."""
        gc.freeze()  # what is imported lives on: to look through it amid a start takes 45 ms
        async with anyio.create_task_group() as group:
            group.start_soon(self._meaning.run)
            group.start_soon(self._workspaces.run)
            while True:
                self._wake = anyio.Event()
                pause = RETRY_SECONDS
                with self._engine.faults.contained("round", "Changes on disk are not all followed"):
                    await self._search()
                    self._tell_watching()
                    await self._work()
                    self._write_bases(group)
                    # Reading is an event too: a hundred thousand at first.
                    self._arrange_watches(group)
                    self._tell_faults()
                    pause = self._until_next()
                with anyio.move_on_after(pause):
                    await self._wake.wait()
                with self._engine.faults.contained("settle", TORN):
                    await self._settled()

    def _notice(self) -> None:
        """Read anew at once what turned out to be damaged."""
        if any(one.is_damaged for one in self._engine.collections.values()):
            self._wake.set()

    def _until_next(self) -> float:
        now = self._engine.clock()
        times = [due.at for root, due in self._due.items() if root in self._engine.collections]
        times += [c.silent_at for c in self._engine.collections.values() if c.silent_at > now]
        if self._engine.starts.lacking:
            times.append(self._search_at)
        if self._has_to_tell():
            times.append(self._tell_at)
        return max(0.0, min([*times, self._finish_at, now + 3600.0]) - now)

    async def _settled(self) -> None:
        """Wait until a burst is over, and with it a checkout that git has under way."""
        await anyio.sleep(SETTLE_SECONDS)
        trees = [self._tree(collection) for collection in self._engine.collections.values()]
        with anyio.move_on_after(GIT_SECONDS):
            while any(tree.is_changing() for tree in trees):
                for due in self._due.values():
                    due.sweep_at = 0.0  # not all events of the checkout have come
                await anyio.sleep(SETTLE_SECONDS)

    def _tree(self, collection: Collection) -> WorkingTree:
        """The working tree around a knowledge base; none where it can't be looked for."""
        tree = None
        with collection.faults.contained(GIT, TORN):
            tree = WorkingTree.around(collection.root)
        return tree or WorkingTree(None)

    async def _search(self) -> None:
        """Look whether a knowledge base has come where there was none."""
        started = self._engine.clock()
        if not self._engine.starts.lacking or started < self._search_at:
            return
        with self._engine.faults.contained("search", "New knowledge bases are not found"):
            if await in_worker(self._engine.starts.look):
                self._engine.look_again()
        now = self._engine.clock()
        self._search_at = now + sweep_interval(now - started, share=SEARCH_SHARE)

    async def _work(self) -> None:
        for root in set(self._due) - set(self._engine.collections):
            del self._due[root]
        for root, collection in list(self._engine.collections.items()):
            due = self._due.setdefault(root, _Due())
            if collection.is_damaged:
                due.sweep_at = 0.0
            if due.at <= self._engine.clock():
                await self._look_at(collection)
        while self._written:
            await self._adopt(*self._written.pop())
        if self._finish_at <= self._engine.clock():
            self._finish_at = float("inf")
            for collection in list(self._engine.collections.values()):
                done = False
                with collection.remembering():
                    done = await in_worker(collection.finish_base)
                if not done:
                    self._finish_at = self._engine.clock() + FINISH_SECONDS

    def _write_bases(self, group: anyio.abc.TaskGroup) -> None:
        """Have new bases written beside all else, where they are worth it."""
        now = self._engine.clock()
        for root, collection in self._engine.collections.items():
            if collection.wants_base and root not in self._writing and self._write_at <= now:
                self._writing.add(root)
                group.start_soon(self._write, collection)

    async def _write(self, collection: Collection) -> None:
        self._write_at = self._engine.clock() + WRITE_SECONDS
        with collection.remembering():
            written = await in_worker(collection.write)
            if written is None:  # another process is about to write one
                self._write_at = self._engine.clock() + RETRY_SECONDS
            else:
                self._written.append((collection, written))
                self._write_at = 0.0
        self._writing.discard(collection.root)
        self._wake.set()

    async def _adopt(self, collection: Collection, written: Written) -> None:
        """Go on with a base that was written. What is known stays the same."""
        with collection.looking():
            await in_worker(collection.adopt, written)
            collection.knowledge = collection.latest
        self._meaning.wake()
        log.debug("rebased %r", collection.name)
        self._finish_at = min(self._finish_at, self._engine.clock() + FINISH_SECONDS / 5)

    def _has_to_tell(self) -> bool:
        return bool(self._engine.untold) or self._engine.faulty() != self._told

    def _tell_faults(self) -> None:
        """Say what begins to fail and what no longer does, again to those who could not be told."""
        now = self._engine.clock()
        if self._has_to_tell() and self._tell_at <= now:
            self._tell_at = now + RETRY_SECONDS
            self._told = self._engine.faulty()
            self._engine.tell()

    async def _look_at(self, collection: Collection) -> None:
        started = self._engine.clock()
        due = self._due.setdefault(collection.root, _Due())
        with collection.looking():
            await self._take_in(collection, due)
        if collection.is_failing:
            now = self._engine.clock()
            due.rest(now + sweep_interval(now - started, least=RETRY_SECONDS))

    async def _take_in(self, collection: Collection, due: _Due) -> None:
        """Read what is due, and publish what changed."""
        started = self._engine.clock()
        if self._tree(collection).version() != due.git:
            due.sweep_at = 0.0  # not all events of a checkout may have come
        paths = due.take(started)
        step = await self._read(collection, paths)
        now = self._engine.clock()
        looked = "all files" if paths is None else f"{len(paths)} files"
        log.debug("reconciled %s of %r in %.1f ms", looked, collection.name, (now - started) * 1000)
        if step is not None:
            first = not collection.complete
            self._engine.publish(collection, step)
            if first:
                gc.freeze()  # what is known lives on: to look through it again is a stall
            self._finish_at = now + (FINISH_SECONDS / 5 if first else FINISH_SECONDS)
        if paths is None:
            cost = 0.0 if step is not None else now - started
            due.sweep_at = min(due.sweep_at, now + sweep_interval(cost))
        expiry = collection.store.deadline
        due.expiry_at = float("inf") if expiry is None else max(expiry, now)

    async def _read(self, collection: Collection, paths: frozenset[str] | None) -> Step | None:
        """What changed; what git wrote meanwhile is read as well, when git is done."""
        tree = self._tree(collection)
        version = tree.version()
        step = await in_worker(collection.read, paths)
        latest = self._engine.clock() + GIT_SECONDS
        while collection.complete and self._engine.clock() < latest:
            if tree.is_changing():
                await anyio.sleep(SETTLE_SECONDS)
                continue
            if tree.version() == version:
                break
            version = tree.version()
            then = await in_worker(collection.read)
            if step is not None and then is not None:
                then = replace(then, ended=step.ended | then.ended)
            step = then or step
        self._due.setdefault(collection.root, _Due()).git = version
        return step

    # Watching

    def _arrange_watches(self, group: anyio.abc.TaskGroup) -> None:
        wanted = set(self._engine.collections) if self._watching == "own" else set()
        for root in set(self._watches) - wanted:
            self._watches.pop(root).cancel()
            self._on_lost(root, False)
        for root in wanted - set(self._watches):
            scope = self._watches[root] = anyio.CancelScope()
            group.start_soon(self._watch, root, scope)
        self._tell_watching()

    async def _watch(self, root: Path, scope: anyio.CancelScope) -> None:
        with scope:
            while True:
                try:
                    await watch(root, self._on_change, self._on_files, self._on_lost)
                except Exception as error:
                    log.info("the watcher failed: %s", type(error).__name__)
                    self._on_lost(root, True)
                await anyio.sleep(RETRY_SECONDS)

    def _on_change(self, root: Path) -> None:
        self._due.setdefault(root, _Due()).sweep_at = 0.0
        self._wake.set()

    def _on_files(self, root: Path, paths: Iterable[str]) -> None:
        self._due.setdefault(root, _Due()).paths.update(paths)
        self._wake.set()

    def _on_lost(self, root: Path, lost: bool) -> None:
        collection = self._engine.collections.get(root)
        if collection is None:
            return
        if lost and WATCH not in collection.faults:
            log.warning("the system gives no events; changes are noticed by looking")
        if lost:
            collection.faults.add(WATCH, WATCH_LOST)
        else:
            collection.faults.remove(WATCH)
        self._tell_watching()
        self._wake.set()

    def _tell_watching(self) -> None:
        collections = self._engine.collections
        lost = {root for root, collection in collections.items() if WATCH in collection.faults}
        if not collections:
            self._engine.watching = "none"
        elif lost and lost == set(self._watches):
            self._engine.watching = "sweep"
        else:
            self._engine.watching = self._watching
