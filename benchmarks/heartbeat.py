"""How long the event loop stands still while files are read and followed and nothing is asked.

Runs in a process of its own (`python -m benchmarks.heartbeat ROOT`), with an engine and follower
as the language server has them, and prints the longest stall of each phase in seconds as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
from anyio.to_thread import run_sync as in_worker
from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.engine.collection import Collection

from benchmarks.client import environment, is_finished
from benchmarks.editing import edit, lent
from benchmarks.timing import Figure, Figures

BEAT = 0.001
CHECKOUT = 300
"""Files that change at once; so many changed ones make the follower write a new base."""
AFTER = 1.0
"""Seconds that a phase goes on: what it has set off is part of it."""
PATIENCE = 60.0


def measure(root: Path, folder: Path) -> Figures:
    """Of a process that reads everything, and of one that starts from what that one left and
    follows changes.
    """
    stalls: dict[str, float] = {}
    for _ in range(2):
        command = [sys.executable, "-m", "benchmarks.heartbeat", str(root)]
        done = subprocess.run(command, env=environment(folder), check=True, stdout=subprocess.PIPE)
        stalls |= json.loads(done.stdout)
    return {f"stall: {phase}": Figure.of([stall]) for phase, stall in stalls.items()}


class Heart:
    """Beats on the loop; keeps the longest delay of each phase."""

    def __init__(self) -> None:
        self.worst = 0.0
        self.stalls: dict[str, float] = {}

    async def beat(self) -> None:
        while True:
            before = time.perf_counter()
            await anyio.sleep(BEAT)
            self.worst = max(self.worst, time.perf_counter() - before - BEAT)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        self.worst = 0.0
        yield
        self.stalls[name] = self.worst


async def _measure(root: Path) -> dict[str, float]:
    engine = Engine(env=os.environ)
    collection = engine.registry.add_root(root)
    cache = Path(os.environ["XDG_CACHE_HOME"])
    is_first = not is_finished(cache)
    heart = Heart()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(heart.beat)
        await anyio.sleep(0.1)
        with heart.phase("first start" if is_first else "later start"):
            tasks.start_soon(DiskFollower(engine).run)
            await _until(lambda: collection.complete and is_finished(cache))
            await anyio.sleep(AFTER)
        if not is_first:
            await _follow(engine, collection, heart)
        tasks.cancel_scope.cancel()
    return heart.stalls


async def _follow(engine: Engine, collection: Collection, heart: Heart) -> None:
    """A save, a checkout, and the new base that is written because of it."""
    with lent(collection.root, CHECKOUT) as paths:
        base = collection.knowledge.base
        for phase, changed in (("save", paths[:1]), ("checkout", paths)):
            generation = engine.generation
            with heart.phase(phase):
                await in_worker(edit, changed, f"{phase}.")
                await _until(lambda g=generation: engine.generation > g)  # type: ignore[misc]
                await anyio.sleep(AFTER)
        with heart.phase("new base"):
            await _until(lambda: collection.knowledge.base is not base)
            await anyio.sleep(AFTER)


async def _until(is_so: Callable[[], bool]) -> None:
    with anyio.fail_after(PATIENCE):
        while not is_so():
            await anyio.sleep(0.02)


def main() -> None:
    print(json.dumps(anyio.run(_measure, Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
