"""What somebody reported as changed around one folder: files of the knowledge base, which
`disk_follower` reads, and files around it, which `worlds` looks at.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Set
from pathlib import Path

from vouch_sidecar.kb.artifact_files import KB_DIRNAME


class Reports:
    """Paths that somebody reported as changed, and that were not looked at since."""

    def __init__(self) -> None:
        self._new: set[str] = set()
        self.in_look: Set[str] = frozenset()
        """The paths that the present look is about, and those at which a look failed."""

    def __bool__(self) -> bool:
        return bool(self._new or self.in_look)

    def add(self, path: str) -> None:
        self._new.add(path)

    def begin(self) -> None:
        """A look at all of them begins."""
        self.in_look = self.in_look | self._new
        self._new = set()

    def end(self) -> bool:
        """The look succeeded. Returns whether it was about some."""
        had, self.in_look = bool(self.in_look), frozenset()
        return had


class Due:
    """What was reported of a folder `root` with a knowledge base, and of the working tree around.

    The event loop calls all methods. The thread that looks around reads `around.in_look`, which the
    loop changes only between its looks.
    """

    def __init__(self, root: Path, tree: Path) -> None:
        self._tree = f"{tree}{os.sep}"
        self._inside = f"{root / KB_DIRNAME}{os.sep}"
        self.files = Reports()
        """Reported files below `.vouch/`; the empty path stands for all of them."""
        self.around = Reports()
        """Other reported files below the working tree."""

    def report(self, paths: Iterable[Path]) -> None:
        """Somebody says that these files may have changed. A folder is reported with its files."""
        for path in paths:
            name = f"{path}".rstrip(os.sep) + os.sep
            if self._inside.startswith(name):
                self.files.add("")
            elif name.startswith(self._inside):
                self.files.add(name[len(self._inside) : -1].replace(os.sep, "/"))
            elif name.startswith(self._tree):
                self.around.add(name[len(self._tree) : -1].replace(os.sep, "/"))
