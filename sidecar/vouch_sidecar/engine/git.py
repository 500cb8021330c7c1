"""Whether git is at work on the files around a knowledge base."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["WorkingTree"]

STALE_SECONDS = 10.0
"""Age from which on git's lock counts as left over; one dated further ahead does as well."""


@dataclass(frozen=True, slots=True)
class WorkingTree:
    """The working tree that a folder stands in; `index` is git's list of its files."""

    index: Path | None

    @classmethod
    def around(cls, root: Path) -> WorkingTree:
        """The innermost one around a folder."""
        for folder in (root, *root.parents):
            git = folder / ".git"
            # pathlib raises where a link is too long, or leads to where nobody may look
            if os.path.isdir(git):  # noqa: PTH112
                return cls(git / "index")
            if os.path.isfile(git):  # noqa: PTH113
                return cls(_linked(git))
        return cls(None)

    def is_changing(self) -> bool:
        """Whether git holds its lock, as it does while it writes files."""
        if self.index is None:
            return False
        try:
            made = self.index.with_name("index.lock").stat().st_mtime
        except (OSError, ValueError):
            return False
        return abs(time.time() - made) < STALE_SECONDS

    def version(self) -> tuple[int, int] | None:
        """Another value after git has written files."""
        with suppress(OSError, ValueError):
            if self.index is not None:
                found = self.index.stat()
                return found.st_mtime_ns, found.st_ino
        return None


def _linked(git: Path) -> Path | None:
    """The index that the `.git` file of a linked worktree or a submodule leads to."""
    with suppress(OSError, ValueError), git.open(encoding="utf-8", errors="replace") as file:
        name, _, path = file.readline(4096).partition(":")
        if name == "gitdir":
            return git.parent / path.strip() / "index"
    return None
