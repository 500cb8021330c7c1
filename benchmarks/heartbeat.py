"""How long the event loop stands still while a knowledge base is read, kept and changed.

Runs in a process of its own (`python -m benchmarks.heartbeat ROOT`), with an engine and its keeper
as the language server has them, and prints the longest stall of each phase as JSON: its seconds,
and the processor time that the process had meanwhile. Where that is much less, nothing of the
process held the loop: it had no processor.
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
from typing import NamedTuple

import anyio
import anyio.to_thread
from vouch_sidecar.engine import Engine, Keeper
from vouch_sidecar.surfaces.entry import COLLECTING

__all__ = ["Stall", "main"]

BEAT = 0.001
CHANGED = 300


class Stall(NamedTuple):
    """By how much a beat came late, and the processor time of all threads until then; seconds."""

    seconds: float
    processor: float


class Heart:
    """Beats on the loop; keeps the longest stall of each phase."""

    def __init__(self) -> None:
        self.worst = Stall(0.0, 0.0)
        self.stalls: dict[str, Stall] = {}

    async def beat(self) -> None:
        while True:
            before, used = time.perf_counter(), time.process_time()
            await asyncio.sleep(BEAT)
            late = time.perf_counter() - before - BEAT
            self.worst = max(self.worst, Stall(late, time.process_time() - used))

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        self.worst = Stall(0.0, 0.0)
        yield
        self.stalls[name] = self.worst


async def _measure(root: Path) -> dict[str, Stall]:
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
    return heart.stalls


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
