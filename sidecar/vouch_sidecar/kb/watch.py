"""Notices that something below `.vouch/` may have changed; `Store.reconcile` says what.

Events come from the operating system where it has them. The sweep runs beside them as the floor:
`sweep_interval` says how often a full look is worth its cost.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio
from watchfiles import awatch

from vouch_sidecar.kb.artifact_files import (
    CONFIG,
    FOLDERS,
    KB_DIRNAME,
    artifact_file,
    classify,
    is_folder,
)

STEP_MS = 30
DEBOUNCE_MS = 200
POLL_SECONDS = 0.25
"""Seconds between checks that `.vouch/` is still the folder that is watched."""
RETRY_SECONDS = 30.0

_RECURSIVE = sys.platform != "linux"


def sweep_interval(cost: float, *, share: float = 0.01, least: float = 2.0) -> float:
    """Seconds until the next sweep, when the last one took `cost` seconds."""
    return min(max(cost / share, least), 60.0)


async def watch(
    root: Path,
    on_change: Callable[[Path], None],
    on_files: Callable[[Path, frozenset[str]], None],
    on_lost: Callable[[Path, bool], None],
) -> None:
    """Call back whenever the `.vouch/` of a root may have changed, until cancelled. Changes of
    files alone go to `on_files`, with their paths below `.vouch/`; all others to `on_change`.
    `on_lost(root, True)` says that the system gives no events, so that only the sweep sees changes;
    `on_lost(root, False)` says that it gives them again.
    """
    await _Watch(root, on_change, on_files, on_lost).run()


@dataclass
class _Watch:
    """The watch over one knowledge base, also while its folder goes and comes back."""

    root: Path
    on_change: Callable[[Path], None]
    on_files: Callable[[Path, frozenset[str]], None]
    on_lost: Callable[[Path, bool], None]
    is_lost: bool | None = None
    """Whether the system gives no events; None before that is known."""

    async def run(self) -> None:
        while True:
            folder = self._identity()
            if folder is None:
                await anyio.sleep(POLL_SECONDS)
                continue
            try:
                await self._watch_folder(folder)
            except* Exception:
                self._say_lost(True)
            if self.is_lost:
                await anyio.sleep(RETRY_SECONDS)
            self.on_change(self.root)

    async def _watch_folder(self, folder: tuple[int, int]) -> None:
        """Pass events on until the folder is replaced or gone."""
        base = os.path.realpath(self.root / KB_DIRNAME)
        ended, seen = anyio.Event(), False
        async with anyio.create_task_group() as group:
            group.start_soon(self._end_when_replaced, folder, ended)
            async for changes in awatch(
                *_watched(base),
                watch_filter=None,
                debounce=DEBOUNCE_MS,
                step=STEP_MS,
                rust_timeout=500,
                yield_on_timeout=True,
                stop_event=ended,
                recursive=_RECURSIVE,
            ):
                self._say_lost(False)
                changed = {artifact_file(_below(base, path)) for _, path in changes}
                folders = any(map(is_folder, changed))
                files = frozenset(path for path in changed if path == CONFIG or classify(path))
                if folders or not seen:  # the first time, for whatever changed before
                    self.on_change(self.root)
                elif files:
                    self.on_files(self.root, files)
                seen = True
                # Another folder is to be watched; and what takes the place of `.vouch/` may well
                # have the same inode.
                if folders:
                    ended.set()
            ended.set()

    async def _end_when_replaced(self, folder: tuple[int, int], ended: anyio.Event) -> None:
        while not ended.is_set() and self._identity() == folder:
            await anyio.sleep(POLL_SECONDS)
        ended.set()

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = (self.root / KB_DIRNAME).stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _say_lost(self, lost: bool) -> None:
        if lost != self.is_lost:
            self.is_lost = lost
            self.on_lost(self.root, lost)


def _watched(base: str) -> list[str]:
    """The folders to watch for a knowledge base. inotify watches folders one by one; watchfiles
    would find them in a walk over all files, during which no thread runs for 0.1 s at 10,000
    claims. What changes within the folder of a source is seen by the sweep.
    """
    if _RECURSIVE:
        return [base]
    folders = [base, *(f"{base}/{name}" for name in (*FOLDERS, "sources"))]
    return [folder for folder in folders if os.path.isdir(folder)]  # noqa: PTH112


def _below(base: str, path: str) -> str:
    if path.startswith(base + os.sep):
        return path[len(base) + 1 :].replace(os.sep, "/")
    return os.path.relpath(path, base).replace(os.sep, "/")
