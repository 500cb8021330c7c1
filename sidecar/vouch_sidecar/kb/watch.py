"""Notices that something below `.vouch/` may have changed; `Store.reconcile` says what.

Events come from the operating system where it has them. The sweep runs beside them as the floor:
`sweep_interval` says how often a full look is worth its cost.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

import anyio
from vouch_sidecar.kb.layout import CONFIG, FOLDERS, KB_DIRNAME, classify, is_folder
from vouch_sidecar.kb.plain import printable
from watchfiles import awatch

__all__ = ["sweep_interval", "watch"]

STEP_MS = 30
DEBOUNCE_MS = 200
POLL_SECONDS = 0.25
"""How often it is checked that `.vouch/` is still the folder that is watched."""
RETRY_SECONDS = 30.0

MAX_SOURCES = 100
"""Folders of sources up to which changes inside are noticed at once; of more, when they come or go
and by the sweep. No thread runs while watches are set up: 0.1 ms a folder.
"""
_RECURSIVE = sys.platform != "linux"

OnFiles = Callable[[Path, frozenset[str]], None]
OnLost = Callable[[Path, bool], None]


def sweep_interval(
    cost: float, *, share: float = 0.01, least: float = 2.0, most: float = 60.0
) -> float:
    """Seconds until the next sweep, when the last one took `cost` seconds."""
    return min(max(cost / share, least), most)


async def watch(
    roots: Sequence[Path],
    on_change: Callable[[Path], None],
    stop: anyio.Event,
    *,
    on_files: OnFiles | None = None,
    on_lost: OnLost | None = None,
) -> None:
    """Calls back with a root when its `.vouch/` may have changed, until `stop` is set.

    With `on_files`, changes of files alone go there instead, with their paths below `.vouch/`.
    `on_lost(root, True)` says that the system gives no events for a root, so that only the sweep
    sees its changes; `on_lost(root, False)` that it gives them again.
    """
    async with anyio.create_task_group() as group:
        for root in roots:
            group.start_soon(_Watch(root, on_change, stop, on_files, on_lost).run)


class _Watch:
    """The watch over one knowledge base, through the life and death of its folder."""

    def __init__(
        self,
        root: Path,
        on_change: Callable[[Path], None],
        stop: anyio.Event,
        on_files: OnFiles | None,
        on_lost: OnLost | None,
    ) -> None:
        self.root = root
        self.kb_dir = root / KB_DIRNAME
        self.on_change = on_change
        self.stop = stop
        self.on_files = on_files
        self.on_lost = on_lost
        self.lost: bool | None = None
        """Whether there are no events; None before that is known."""

    async def run(self) -> None:
        while not self.stop.is_set():
            folder = self._identity()
            if folder is None:
                await self._pause(POLL_SECONDS)
                continue
            try:
                await self._watch_folder(folder)
            except* Exception:
                self._say_lost(True)
            if self.lost:
                await self._pause(RETRY_SECONDS)
            if not self.stop.is_set():
                self.on_change(self.root)

    async def _watch_folder(self, folder: tuple[int, int]) -> None:
        """Passes events on until the folder is another one or is gone."""
        base = os.path.realpath(self.kb_dir)
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
                changed = {_below(base, path) for _, path in changes}
                folders = any(map(is_folder, changed))
                if seen:
                    self._pass_on(changed, folders)
                else:
                    self.on_change(self.root)  # whatever changed before the events began
                seen = True
                # Another folder is to be watched; and what takes the place of `.vouch/` may well
                # have the same inode.
                if folders:
                    ended.set()
            ended.set()

    async def _end_when_replaced(self, folder: tuple[int, int], ended: anyio.Event) -> None:
        while not (self.stop.is_set() or ended.is_set()) and self._identity() == folder:
            with anyio.move_on_after(POLL_SECONDS):
                await self.stop.wait()
        ended.set()

    def _pass_on(self, changed: Iterable[str], folders: bool) -> None:
        files = frozenset(filter(_is_read, changed))
        if folders or (files and self.on_files is None):
            self.on_change(self.root)
        elif files and self.on_files is not None:
            self.on_files(self.root, files)

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = self.kb_dir.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _say_lost(self, lost: bool) -> None:
        if lost != self.lost:
            self.lost = lost
            if self.on_lost is not None:
                self.on_lost(self.root, lost)

    async def _pause(self, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            await self.stop.wait()


def _watched(base: str) -> list[str]:
    """The folders that stand for a knowledge base.

    inotify watches folders one by one, and watchfiles would look for them in a walk over all files
    during which no thread runs: 0.1 s at 10,000 claims.
    """
    if _RECURSIVE:
        return [base]
    folders = [base, *(f"{base}/{name}" for name in FOLDERS), f"{base}/sources"]
    with suppress(OSError), os.scandir(f"{base}/sources") as entries:
        sources = [entry.path for entry in islice(entries, MAX_SOURCES + 1)]
        folders += filter(_is_utf8, sources) if len(sources) <= MAX_SOURCES else []
    return [folder for folder in folders if os.path.isdir(folder)]  # noqa: PTH112


def _is_utf8(path: str) -> bool:
    """Whether watchfiles takes it: it refuses all of the folders where one is called otherwise."""
    return path == printable(path)


def _below(base: str, path: str) -> str:
    if path.startswith(base + os.sep):
        return path[len(base) + 1 :].replace(os.sep, "/")
    return os.path.relpath(path, base).replace(os.sep, "/")


def _is_read(path: str) -> bool:
    return path == CONFIG or classify(path) is not None
