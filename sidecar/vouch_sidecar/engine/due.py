"""When to look at the files of a knowledge base, which `disk_follower` reads; and which files
around it were reported, which `worlds` looks at. Elsewhere: when to search folders for new
knowledge bases and what git has checked out (`disk_follower`), and when to look at everything
around (`world_building`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Set
from math import inf
from pathlib import Path

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.watch import sweep_interval

BURST_FILES = 8
"""From this many changed files on, all files are checked: others may have changed with them."""
RETRY_SECONDS = 2.0
"""Shortest pause before a failed look is made again."""
AROUND_SECONDS = 2.0
"""Pause between looks around a knowledge base: a few stats, unless more is due."""


class Reports:
    """Paths that somebody reported as changed, and that were not looked at since."""

    def __init__(self) -> None:
        self._new: set[str] = set()
        self._in_look: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._new or self._in_look)

    @property
    def in_look(self) -> Set[str]:
        """The paths that the present look is about."""
        return self._in_look

    def add(self, path: str) -> None:
        self._new.add(path)

    def begin(self) -> None:
        """A look at all of them begins, those included at which a look failed."""
        self._in_look = self._in_look | self._new
        self._new = set()

    def end(self) -> bool:
        """The look succeeded. Returns whether it was about some."""
        had, self._in_look = bool(self._in_look), set()
        return had


class Due:
    """What of the disk around one folder is due. `clock` is monotonic, in seconds.

    The event loop calls all methods. The thread that looks around reads `around.in_look`, which the
    loop changes only between its looks.
    """

    def __init__(self, root: Path, tree: Path, clock: Callable[[], float]) -> None:
        self._tree = f"{tree}{os.sep}"
        self._inside = f"{root / KB_DIRNAME}{os.sep}"
        self._clock = clock
        self._rests_until = 0.0
        self._sweep_at = 0.0
        """When all files are due."""
        self._expiry_at = inf
        """When those files are due that the store is to check again."""
        self._paths: set[str] = set()
        """Files that are due at once."""
        self.files = Reports()
        """Reported files below `.vouch/`; the empty path stands for all of them."""
        self.around = Reports()
        """Other reported files below the working tree."""

    def report(self, paths: Iterable[Path]) -> None:
        """Somebody says that these files may have changed. A folder is reported with its files."""
        for path in paths:
            name = f"{path}".rstrip(os.sep) + os.sep
            if self._inside.startswith(name):
                self.check_all()
                self.files.add("")
            elif name.startswith(self._inside):
                below = name[len(self._inside) : -1].replace(os.sep, "/")
                self.check([below])
                self.files.add(below)
            elif name.startswith(self._tree):
                self.around.add(name[len(self._tree) : -1].replace(os.sep, "/"))

    # Files of the knowledge base

    @property
    def at(self) -> float:
        """When to look at some of them next."""
        due = 0.0 if self._paths else min(self._sweep_at, self._expiry_at)
        return max(due, self._rests_until)

    def check(self, paths: Iterable[str]) -> None:
        """Look at these files (below `.vouch/`) at once."""
        self._paths.update(paths)

    def check_all(self) -> None:
        """Look at all files at once."""
        self._sweep_at = 0.0

    def take(self) -> frozenset[str] | None:
        """The files to look at now, None for all; a look at them begins."""
        everything = self._sweep_at <= self._clock() or len(self._paths) >= BURST_FILES
        paths = None if everything else frozenset(self._paths)
        if everything:
            self._sweep_at = inf
        self._expiry_at = inf
        self._paths.clear()
        self.files.begin()
        return paths

    def after_look(self, cost: float | None, expiry: float | None) -> None:
        """Schedule the next look: at all files after one at all of them that took `cost` seconds
        (None: it was at some), and at `expiry` at those that the store is to check again.
        """
        now = self._clock()
        if cost is not None:
            self._sweep_at = min(self._sweep_at, now + sweep_interval(cost))
        self._expiry_at = inf if expiry is None else max(expiry, now)

    def after_failure(self, cost: float) -> None:
        """Schedule a look at all files, and rest until then: events don't make it fail more."""
        pause = sweep_interval(cost, least=RETRY_SECONDS)
        self._sweep_at = self._rests_until = self._clock() + pause
