"""How long the event loop stands still while a knowledge base is read, kept and changed.

Runs in a process of its own (`python -m benchmarks.heartbeat ROOT`), with an engine and its keeper
as the language server has them, and prints the longest stall of each phase as JSON, in seconds.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anyio
import anyio.to_thread

from sidecar.engine import Engine, Keeper
from sidecar.surfaces.entry import COLLECTING

__all__ = ["main"]

BEAT = 0.001
CHANGED = 300


class Heart:
    """Beats on the loop; keeps by how much a beat came late at most."""

    def __init__(self) -> None:
        self.worst = 0.0
        self.late: dict[str, float] = {}

    async def beat(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(BEAT)
            self.worst = max(self.worst, time.perf_counter() - before - BEAT)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        self.worst = 0.0
        yield
        self.late[name] = self.worst


async def _measure(root: Path) -> dict[str, float]:
    engine = Engine(env=os.environ)
    keeper = Keeper(engine)
    collection = engine.add_root(root)
    heart = Heart()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(heart.beat)
        await anyio.sleep(0.1)
        with heart.phase("idle"):
            await anyio.sleep(1.0)
        with heart.phase("loading and indexing"):
            tasks.start_soon(keeper.run)
            while not collection.complete:
                await anyio.sleep(0.01)
            await anyio.sleep(1.0)
        for name, count in (("one file changes", 1), (f"{CHANGED} files change", CHANGED)):
            async with _edited(root, count):
                await anyio.sleep(0.05)
                with heart.phase(name):
                    await _published(engine, keeper, root)
        with heart.phase("a sweep over all files"):
            keeper.poke()
            await anyio.sleep(3.0)
        tasks.cancel_scope.cancel()
    return heart.late


async def _published(engine: Engine, keeper: Keeper, root: Path) -> None:
    generation = engine.generation
    keeper.poke([root / ".vouch" / "claims" / f"claim-{i:06d}.yaml" for i in range(CHANGED)])
    with anyio.move_on_after(20):
        while engine.generation == generation:
            await anyio.sleep(0.01)
    await anyio.sleep(1.0)


@asynccontextmanager
async def _edited(root: Path, count: int) -> AsyncIterator[None]:
    """Other texts in so many claims, for the length of a block; written beside the loop."""
    paths = [root / ".vouch" / "claims" / f"claim-{i:06d}.yaml" for i in range(count)]
    before = {path: path.read_bytes() for path in paths}
    changed = {
        p: data.replace(b'text: "', b'text: "Changed now. ', 1) for p, data in before.items()
    }
    try:
        await anyio.to_thread.run_sync(_write, changed)
        yield
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_write, before)


def _write(files: dict[Path, bytes]) -> None:
    for path, data in files.items():
        path.write_bytes(data)


def main() -> None:
    gc.set_threshold(*COLLECTING)
    print(json.dumps(anyio.run(_measure, Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
