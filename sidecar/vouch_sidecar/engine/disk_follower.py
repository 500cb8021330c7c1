"""Keeps what an engine publishes equal to the files on disk, in a process that stays.

Events from clients, our own watcher and a periodic sweep say in `due` what to look at. All lead to
the same step: read in a worker thread, publish on the event loop. A failed step is reported and
retried; the others go on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from math import inf
from pathlib import Path

import anyio
import anyio.abc
from anyio.to_thread import run_sync as in_worker

from vouch_sidecar.engine.checkout import versions
from vouch_sidecar.engine.collection import BASE, GIT, WATCH, Collection
from vouch_sidecar.engine.disk_reader import Step
from vouch_sidecar.engine.due import RETRY_SECONDS
from vouch_sidecar.engine.embedding import Embeddings
from vouch_sidecar.engine.engine import Engine
from vouch_sidecar.engine.worlds import Worlds
from vouch_sidecar.kb.records import Problem
from vouch_sidecar.kb.watch import sweep_interval, watch
from vouch_sidecar.workspace.git import Head, WorkingTree

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.02
"""Events with shorter pauses between them count as one change."""
FINISH_SECONDS = 5.0
"""A base is kept for the next process this long after a change; the first after a fifth of it."""
GIT_LOCK_SECONDS = 5.0
"""How long to wait for a checkout to release git's lock before reading the files anyway."""
SEARCH_SHARE = 0.005
"""Share of the time that may be spent searching folders without a knowledge base for one."""
WRITE_SECONDS = 60.0
"""Pause before a base that could not be written is tried again."""
TORN = "A checkout may be seen in parts"
WATCH_LOST = "Changes on disk are noticed late: the watcher was lost"


class DiskFollower:
    """Reads and publishes for one engine, whose callers need not know of it. Call its methods on
    the event loop only.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.embeddings = Embeddings(engine.collections, engine.notify)
        self._worlds = Worlds(engine)
        self._wake = anyio.Event()
        self._watches: dict[Path, anyio.CancelScope] = {}
        self._finish_at = inf
        self._round_ended = anyio.Event()
        self._search_at = 0.0
        self._reported: list[Problem] = []
        """The faults of which the listeners were last notified."""
        self._report_at = 0.0
        engine.follow_by(self)

    def wake(self) -> None:
        """Do at once what is to be done: something is due, was published or found damaged."""
        self.embeddings.wake()
        self._worlds.wake()
        self._wake.set()

    async def finish_bases(self) -> None:
        """Keep bases for the next process, as far as the age of the files allows it."""
        for _ in range(2):  # a round that is under way may be past the bases
            self._finish_at, self._round_ended = 0.0, anyio.Event()
            self._wake.set()
            await self._round_ended.wait()

    async def run(self) -> None:
        """Read and publish changes until cancelled."""
        async with anyio.create_task_group() as group:
            group.start_soon(self.embeddings.run)
            group.start_soon(self._worlds.run)
            while True:
                self._wake = anyio.Event()
                pause = RETRY_SECONDS
                with self._engine.faults.contained("round", "Changes on disk are not all followed"):
                    await self._search()
                    await self._work()
                    await self._keep_bases()
                    # Watch after reading: the watcher would report each file that we read.
                    self._arrange_watches(group)
                    self._report_faults()
                    pause = self._until_next()
                self._round_ended.set()
                with anyio.move_on_after(pause):
                    await self._wake.wait()
                with self._engine.faults.contained("settle", TORN):
                    await self._wait_for_quiet()

    def _until_next(self) -> float:
        now = self._engine.clock()
        times = [collection.due.at for collection in self._engine.collections.values()]
        times += [c.silent_at for c in self._engine.collections.values() if c.silent_at > now]
        if self._engine.registry.starts.lacking:
            times.append(self._search_at)
        if self._has_to_report():
            times.append(self._report_at)
        return max(0.0, min([*times, self._finish_at, now + 3600.0]) - now)

    async def _wait_for_quiet(self) -> None:
        """Wait until a burst of events is over and git has finished a running checkout."""
        await anyio.sleep(SETTLE_SECONDS)
        collections = list(self._engine.collections.values())
        trees = [self._tree(collection) for collection in collections]
        with anyio.move_on_after(GIT_LOCK_SECONDS):
            while any(tree.is_changing() for tree in trees):
                for collection in collections:
                    collection.due.check_all()  # events of the checkout may still be missing
                await anyio.sleep(SETTLE_SECONDS)

    def _tree(self, collection: Collection) -> WorkingTree:
        """The git working tree around a knowledge base; an empty one if looking for it fails."""
        tree = None
        with collection.faults.contained(GIT, TORN):
            tree = WorkingTree.holding(collection.tree)
        return tree or WorkingTree(None)

    async def _search(self) -> None:
        """Look for new knowledge bases in folders that had none."""
        started = self._engine.clock()
        if not self._engine.registry.starts.lacking or started < self._search_at:
            return
        with self._engine.faults.contained("search", "New knowledge bases are not found"):
            if await in_worker(self._engine.registry.starts.has_found_one):
                self._engine.search_again()
        now = self._engine.clock()
        self._search_at = now + sweep_interval(now - started, share=SEARCH_SHARE)

    async def _work(self) -> None:
        for collection in list(self._engine.collections.values()):
            if collection.reader.is_damaged or collection.checkout.has_moved:
                collection.due.check_all()
            if collection.due.at <= self._engine.clock():
                await self._check(collection)

    async def _keep_bases(self) -> None:
        """Keep bases for the next process. One that could not be written is tried again later."""
        if self._finish_at > self._engine.clock():
            return
        self._finish_at = inf
        for collection in list(self._engine.collections.values()):
            done = False
            if not collection.is_failing:
                with collection.writing_base():
                    done = await in_worker(collection.reader.keep)
                if self._engine.publish_on_new_base(collection):
                    self.embeddings.wake()
                    self._worlds.wake()
            if not done:
                self._keep_in(WRITE_SECONDS if BASE in collection.faults else FINISH_SECONDS)

    def _keep_in(self, seconds: float) -> None:
        self._finish_at = min(self._finish_at, self._engine.clock() + seconds)

    def _has_to_report(self) -> bool:
        return (
            bool(self._engine.listener_faults) or self._engine.problems.faulty() != self._reported
        )

    def _report_faults(self) -> None:
        """Notify listeners of new and ended faults, and again those whose notification failed."""
        now = self._engine.clock()
        if self._has_to_report() and self._report_at <= now:
            self._report_at = now + RETRY_SECONDS
            self._reported = self._engine.problems.faulty()
            self._engine.notify()

    async def _check(self, collection: Collection) -> None:
        started = self._engine.clock()
        with collection.reading():
            await self._read_due(collection)
        if collection.is_failing:
            collection.due.after_failure(self._engine.clock() - started)

    async def _read_due(self, collection: Collection) -> None:
        """Read the files that are due and publish what changed."""
        started, due = self._engine.clock(), collection.due
        if collection.checkout.differs_from(self._tree(collection)):
            due.check_all()  # events of a checkout may be missing
        paths = due.take()
        step, has_moved = await self._read(collection, paths)
        now = self._engine.clock()
        looked = "all files" if paths is None else f"{len(paths)} files"
        log.debug("reconciled %s of %r in %.1f ms", looked, collection.name, (now - started) * 1000)
        was_reported = due.files.end()
        if step is None and (was_reported or has_moved):
            self._engine.notify()  # questions wait for this
        if step is not None:
            first = not collection.complete
            self._engine.publish(collection, step)
            self._keep_in(FINISH_SECONDS / 5 if first else FINISH_SECONDS)
        cost = 0.0 if step is not None else now - started
        due.after_look(cost if paths is None else None, collection.reader.store.deadline)

    async def _read(
        self, collection: Collection, paths: frozenset[str] | None
    ) -> tuple[Step | None, bool]:
        """Read what changed, and again until git has stopped changing the working tree. Returns it,
        and whether HEAD has moved since the last time.
        """
        tree = self._tree(collection)
        head = Head.of_tree(tree)
        version = versions(tree, head)
        step = await in_worker(collection.read, paths)
        latest = self._engine.clock() + GIT_LOCK_SECONDS
        while collection.complete and self._engine.clock() < latest:
            if tree.is_changing():
                await anyio.sleep(SETTLE_SECONDS)
                continue
            if (now := versions(tree, head)) == version:
                break
            version = now
            then = await in_worker(collection.read)
            if step is not None and then is not None:
                then = replace(then, ended=step.ended | then.ended)
            step = then or step
        return step, collection.checkout.was_read(head, version)

    # Watching

    def _arrange_watches(self, group: anyio.abc.TaskGroup) -> None:
        wanted = set() if self._engine.is_client_watching else set(self._engine.collections)
        for root in set(self._watches) - wanted:
            self._watches.pop(root).cancel()
            self._on_lost(root, False)
        for root in wanted - set(self._watches):
            scope = self._watches[root] = anyio.CancelScope()
            group.start_soon(self._watch, root, scope)

    async def _watch(self, tree: Path, scope: anyio.CancelScope) -> None:
        collection = self._engine.collections.get(tree)
        if collection is None:
            return
        with scope:
            while True:
                try:
                    await watch(
                        collection.root,
                        lambda _: self._on_change(tree),
                        lambda _, paths: self._on_files(tree, paths),
                        lambda _, lost: self._on_lost(tree, lost),
                    )
                except Exception as error:
                    log.info("the watcher failed: %s", type(error).__name__)
                    self._on_lost(tree, True)
                await anyio.sleep(RETRY_SECONDS)

    def _on_change(self, tree: Path) -> None:
        if (collection := self._engine.collections.get(tree)) is not None:
            collection.due.check_all()
            self._wake.set()

    def _on_files(self, tree: Path, paths: Iterable[str]) -> None:
        if (collection := self._engine.collections.get(tree)) is not None:
            collection.due.check(paths)
            self._wake.set()

    def _on_lost(self, tree: Path, lost: bool) -> None:
        collection = self._engine.collections.get(tree)
        if collection is None:
            return
        if lost and WATCH not in collection.faults:
            log.warning("the system gives no events; changes are noticed by looking")
        if lost:
            collection.faults.add(WATCH, WATCH_LOST)
        else:
            collection.faults.remove(WATCH)
        self._wake.set()
