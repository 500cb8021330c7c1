"""Notices that something below `.vouch/` may have changed; `Store.reconcile` says what.

Events come from the operating system where it has them. The sweep runs beside them as the floor:
`sweep_interval` says how often a full look is worth its cost.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Set
from contextlib import aclosing
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
POLL_MS = 250
"""Milliseconds between checks that `.vouch/` is still the folder that is watched."""
RETRY_SECONDS = 30.0

_RECURSIVE = sys.platform != "linux"


def sweep_interval(cost: float, *, share: float = 0.01, least: float = 2.0) -> float:
    """Seconds until the next sweep, when the last one took `cost` seconds."""
    return min(max(cost / share, least), 60.0)


@dataclass
class Watch:
    """The watch over one knowledge base, also while its folder goes and comes back. `on_change` is
    given the paths below `.vouch/` of files that may have changed; an empty path stands for all.
    `on_lost(True)` says that the system gives no events, so that only the sweep sees changes;
    `on_lost(False)` says that it gives them again.
    """

    root: Path
    on_change: Callable[[Set[str]], None]
    on_lost: Callable[[bool], None]
    is_lost: bool | None = None
    """Whether the system gives no events; None before that is known."""

    async def run(self) -> None:
        """Call back whenever the `.vouch/` of the root may have changed, until cancelled."""
        while True:
            folder = self._identity()
            if folder is None:
                await anyio.sleep(POLL_MS / 1000)
                continue
            try:
                await self._watch_folder(folder)
            except Exception:
                self._say_lost(True)
            if self.is_lost:
                await anyio.sleep(RETRY_SECONDS)
            self.on_change({""})

    async def _watch_folder(self, folder: tuple[int, int]) -> None:
        """Pass events on until the folder is replaced or gone."""
        base, seen = os.path.realpath(self.root / KB_DIRNAME), False
        events = awatch(
            *_watched(base),
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            rust_timeout=POLL_MS,
            yield_on_timeout=True,
            recursive=_RECURSIVE,
        )
        async with aclosing(events):
            async for changes in events:
                self._say_lost(False)
                changed = {artifact_file(_below(base, path)) for _, path in changes}
                files = {path for path in changed if path == CONFIG or classify(path)}
                # Another folder is to be watched; and what takes the place of `.vouch/` may well
                # have the same inode.
                if any(map(is_folder, changed)) or self._identity() != folder:
                    return
                if files or not seen:  # the first time, for whatever changed before
                    self.on_change(files if seen else {""})
                seen = True

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = (self.root / KB_DIRNAME).stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def _say_lost(self, lost: bool) -> None:
        if lost != self.is_lost:
            self.is_lost = lost
            self.on_lost(lost)


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
    return path.removeprefix(base).replace(os.sep, "/").removeprefix("/")
