"""Keeps the published knowledge equal to the disk: the one place that waits.

Client events, the own watcher and the sweep all end in the same step: read in a worker thread,
publish on the event loop.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import anyio
import anyio.abc

from vouch_sidecar.engine.collection import REBUILD_FROM, Collection, Step
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.git import WorkingTree
from vouch_sidecar.engine.worker import in_worker
from vouch_sidecar.index.knowledge import PreparedChange
from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.kb.records import key_of
from vouch_sidecar.kb.watch import sweep_interval, watch

__all__ = ["Keeper"]

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.02
"""A burst of events counts as one change when it pauses this long."""
REMEMBER_SECONDS = 5.0
"""How long nothing must have changed before the cache is written; the first time, a fifth."""
GIT_SECONDS = 5.0
"""How long a checkout may hold git's lock before a change counts as whole all the same."""
SEARCH_SHARE = 0.005
"""Of the time, how much may go into looking for knowledge bases where there are none."""
BURST_FILES = 8
"""Changed files from which on everything is looked at: others may have changed with them."""


@dataclass(slots=True)
class _Due:
    """When a knowledge base is looked at next, on the engine's clock, and how much of it.

    `sweep_at` asks for all of it, `expiry_at` only for what the store waits for; `paths` are files
    that something told of.
    """

    sweep_at: float = 0.0
    expiry_at: float = float("inf")
    paths: set[str] = field(default_factory=set)
    git: tuple[int, int] | None = None
    """Git's version of the files when all of them were last looked at."""

    @property
    def at(self) -> float:
        return 0.0 if self.paths else min(self.sweep_at, self.expiry_at)

    def take(self, now: float) -> frozenset[str] | None:
        """What to look at now; None for everything. It is no longer due after that."""
        everything = self.sweep_at <= now or len(self.paths) >= BURST_FILES
        paths = None if everything else frozenset(self.paths)
        if paths is None:
            self.sweep_at = float("inf")
        self.expiry_at = float("inf")
        self.paths.clear()
        return paths


class Keeper:
    """Drives one engine. All methods belong to its event loop."""

    def __init__(self, engine: Engine, watching: Literal["own", "client"] = "own") -> None:
        self._engine = engine
        self._watching = watching
        self._due: dict[Path, _Due] = {}
        self._wake = anyio.Event()
        self._watches: dict[Path, anyio.CancelScope] = {}
        self._lost: set[Path] = set()
        self._remember_at = float("inf")
        self._search_at = 0.0

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
        async with anyio.create_task_group() as group:
            while True:
                self._wake = anyio.Event()
                await self._search()
                self._tell_watching()
                await self._work()
                self._arrange_watches(group)  # reading is an event too: a hundred thousand at first
                with anyio.move_on_after(self._until_next()):
                    await self._wake.wait()
                await self._settled()

    def _until_next(self) -> float:
        now = self._engine.clock()
        times = [due.at for root, due in self._due.items() if root in self._engine.collections]
        if self._engine.starts.lacking:
            times.append(self._search_at)
        return max(0.0, min([*times, self._remember_at, now + 3600.0]) - now)

    async def _settled(self) -> None:
        """Wait until a burst is over, and with it a checkout that git has under way."""
        await anyio.sleep(SETTLE_SECONDS)
        trees = [WorkingTree.around(root) for root in self._engine.collections]
        with anyio.move_on_after(GIT_SECONDS):
            while any(tree.is_changing() for tree in trees):
                for due in self._due.values():
                    due.sweep_at = 0.0  # not all events of the checkout have come
                await anyio.sleep(SETTLE_SECONDS)

    async def _search(self) -> None:
        """Look whether a knowledge base has come where there was none."""
        started = self._engine.clock()
        if not self._engine.starts.lacking or started < self._search_at:
            return
        if await in_worker(self._engine.starts.look):
            self._engine.look_again()
        now = self._engine.clock()
        self._search_at = now + sweep_interval(now - started, share=SEARCH_SHARE)

    async def _work(self) -> None:
        for root in set(self._due) - set(self._engine.collections):
            del self._due[root]
        for root, collection in list(self._engine.collections.items()):
            due = self._due.setdefault(root, _Due())
            if due.at <= self._engine.clock():
                await self._look_at(collection)
        if self._remember_at <= self._engine.clock():
            self._remember_at = float("inf")
            for collection in list(self._engine.collections.values()):
                if not await in_worker(collection.remember):
                    self._remember_at = self._engine.clock() + REMEMBER_SECONDS

    async def _look_at(self, collection: Collection) -> None:
        started = self._engine.clock()
        due = self._due.setdefault(collection.root, _Due())
        if WorkingTree.around(collection.root).version() != due.git:
            due.sweep_at = 0.0  # not all events of a checkout may have come
        paths = due.take(started)
        step = await self._read(collection, paths)
        now = self._engine.clock()
        if step is not None:
            first, former = not collection.complete, collection.knowledge
            self._engine.publish(collection, step)
            if collection.knowledge is not former:
                await in_worker(former.let_go)
            self._remember_at = now + (REMEMBER_SECONDS / 5 if first else REMEMBER_SECONDS)
        if paths is None:
            cost = 0.0 if step is not None else now - started
            due.sweep_at = min(due.sweep_at, now + sweep_interval(cost))
        expiry = collection.store.deadline
        due.expiry_at = float("inf") if expiry is None else max(expiry, now)

    async def _read(self, collection: Collection, paths: frozenset[str] | None) -> Step | None:
        step = await self._read_whole(collection, paths)
        if step is None or step.rebuilt is not None:
            return step
        change = step.change
        if len(change.upserts) + len(change.removals) < REBUILD_FROM:
            return step
        rebuilt = await in_worker(collection.rebuilt, keeps=True)
        return replace(step, rebuilt=rebuilt)

    async def _read_whole(
        self, collection: Collection, paths: frozenset[str] | None
    ) -> Step | None:
        """What changed; what git wrote meanwhile is read as well, when git is done."""
        tree = WorkingTree.around(collection.root)
        version = tree.version()
        step = await in_worker(collection.read, paths, keeps=not collection.complete)
        latest = self._engine.clock() + GIT_SECONDS
        while collection.complete and self._engine.clock() < latest:
            if tree.is_changing():
                await anyio.sleep(SETTLE_SECONDS)
                continue
            if tree.version() == version:
                break
            version = tree.version()
            then = await in_worker(collection.read)
            step = _together(step, then, collection)
        self._due.setdefault(collection.root, _Due()).git = version
        return step

    # Watching

    def _arrange_watches(self, group: anyio.abc.TaskGroup) -> None:
        wanted = set(self._engine.collections) if self._watching == "own" else set()
        for root in set(self._watches) - wanted:
            self._watches.pop(root).cancel()
            self._lost.discard(root)
        for root in wanted - set(self._watches):
            scope = self._watches[root] = anyio.CancelScope()
            group.start_soon(self._watch, root, scope)
        self._tell_watching()

    async def _watch(self, root: Path, scope: anyio.CancelScope) -> None:
        with scope:
            await watch(
                [root],
                self._on_change,
                anyio.Event(),
                on_files=self._on_files,
                on_lost=self._on_lost,
            )

    def _on_change(self, root: Path) -> None:
        self._due.setdefault(root, _Due()).sweep_at = 0.0
        self._wake.set()

    def _on_files(self, root: Path, paths: Iterable[str]) -> None:
        self._due.setdefault(root, _Due()).paths.update(paths)
        self._wake.set()

    def _on_lost(self, root: Path, lost: bool) -> None:
        if lost:
            log.warning("the system gives no events; changes are noticed by looking")
            self._lost.add(root)
        else:
            self._lost.discard(root)
        self._tell_watching()

    def _tell_watching(self) -> None:
        self._engine.watch_lost = bool(self._lost)
        if not self._engine.collections:
            self._engine.watching = "none"
        elif self._lost and self._lost == set(self._watches):
            self._engine.watching = "sweep"
        else:
            self._engine.watching = self._watching


def _together(first: Step | None, then: Step | None, collection: Collection) -> Step | None:
    """Two steps as one; a second one of nothing leads back to what is published."""
    if first is None:
        return then
    if then is None:
        then = Step(
            PreparedChange((), frozenset()),
            collection.problems,
            collection.skipped,
            collection.config,
        )
    new = {key_of(p.artifact): p for p in first.change.upserts}
    gone = first.change.removals | then.change.removals
    new = {key: p for key, p in new.items() if key not in then.change.removals}
    new |= {key_of(p.artifact): p for p in then.change.upserts}
    unpacked = {**first.change.unpacked, **then.change.unpacked}
    names = {**first.change.names, **then.change.names}
    change = PreparedChange(tuple(new.values()), gone - new.keys(), unpacked, names)
    return replace(then, change=change, ended=first.ended | then.ended)
