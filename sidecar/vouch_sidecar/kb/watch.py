"""Notices that something below `.vouch/` may have changed; `Store.reconcile` says what.

Events come from the operating system where it has them. Whoever follows them sweeps now and then
besides: `sweep_interval` says how often that is worth its cost.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator, Set
from contextlib import aclosing
from pathlib import Path

import anyio
from watchfiles import awatch

from vouch_sidecar.kb.artifact_files import FOLDERS, read_with
from vouch_sidecar.kb.store import EVERYTHING

STEP_MS = 30
DEBOUNCE_MS = 200
POLL_MS = 250
"""Milliseconds between checks that `.vouch/` is still the folder that is watched."""

_RECURSIVE = sys.platform != "linux"


def sweep_interval(cost: float) -> float:
    """Seconds until the next sweep, when the last one took `cost` seconds: it takes 1 % of the time
    at most, but is made each minute.
    """
    return min(max(cost / 0.01, 2.0), 60.0)


async def changes(kb_dir: Path, ended: anyio.Event) -> AsyncGenerator[Set[str], None]:
    """Yields the paths below `.vouch/` of files that may have changed, also while the folder goes
    and comes back: `EVERYTHING` at the beginning and where any file may have changed. Raises what
    the watcher raises where the system gives no events. Whoever cancels it sets `ended`, which the
    watcher's thread looks at more often than it ends by itself.
    """
    while True:
        folder, base = _identity(kb_dir), os.path.realpath(kb_dir)
        if folder is None:
            await anyio.sleep(POLL_MS / 1000)
            continue
        touched: Set[str] = EVERYTHING
        events = awatch(
            *_watched(base),
            watch_filter=None,
            stop_event=ended,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            rust_timeout=POLL_MS,
            yield_on_timeout=True,
            recursive=_RECURSIVE,
        )
        async with aclosing(events):
            async for paths in events:
                changed = {
                    read_with(path.removeprefix(base).replace(os.sep, "/")) for _, path in paths
                }
                # Another folder is to be watched; and what takes the place of `.vouch/` may well
                # have the same inode.
                if EVERYTHING.issubset(changed) or _identity(kb_dir) != folder:
                    break
                if touched := touched | {*filter(None, changed)}:
                    yield touched
                touched = frozenset()
        yield EVERYTHING


def _identity(kb_dir: Path) -> tuple[int, int] | None:
    try:
        status = kb_dir.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _watched(base: str) -> list[str]:
    """The folders to watch for a knowledge base. inotify watches folders one by one; watchfiles
    would find them in a walk over all files, during which no thread runs for 0.1 s at 10,000
    claims. What changes within the folder of a source is seen by the sweep.
    """
    if _RECURSIVE:
        return [base]
    folders = [base, *(f"{base}/{name}" for name in FOLDERS)]
    return [folder for folder in folders if os.path.isdir(folder)]  # noqa: PTH112
