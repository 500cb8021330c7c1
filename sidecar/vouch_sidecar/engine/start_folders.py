"""The folders from which the process looks for knowledge bases."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.discovery import BaseInTree, Finder, why_refused
from vouch_sidecar.kb.sanitize import printable

log = logging.getLogger(__name__)


class Starts:
    """The folders of the workspace, and the other folders or documents to serve."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self.folders: tuple[Path, ...] = ()
        self.others: tuple[Path, ...] = ()
        self.trusted: tuple[str, ...] = ()
        """Folders whose knowledge bases are served although another user owns them."""
        self._without: frozenset[Path] = frozenset()
        """The starts that had no knowledge base at the last search."""
        self._refused: dict[Path | None, list[str]] = {}
        self._logged: set[str] = set()

    @property
    def refused(self) -> list[str]:
        """A sentence for each knowledge base that is not served because another user owns it."""
        folders = {folder for refused in self._refused.values() for folder in refused}
        return [why_refused(printable(folder)) for folder in sorted(folders)]

    @property
    def lacking(self) -> bool:
        """Whether some start had no knowledge base at the last search."""
        return bool(self._without)

    def set_folders(self, folders: Sequence[Path]) -> set[BaseInTree]:
        """Make these the folders of the workspace. Returns their knowledge bases."""
        self.folders = tuple(folders)
        others = self._without.intersection(self.others)
        self._without = others.union(folders)  # if the next line raises, all are searched again
        by_folder = {folder: self._around(folder) for folder in folders}
        self._without = others.union(folder for folder, roots in by_folder.items() if not roots)
        return set().union(*by_folder.values())

    def keep(self, start: Path) -> None:
        """Add a folder or document to the starts."""
        self.others = (*self.others, start)

    def find(self, start: Path | None) -> list[BaseInTree]:
        """The knowledge bases found from a folder or document."""
        roots = self._around(start)
        if start is not None and start in self.others:
            self._without = self._without - {start} if roots else self._without | {start}
        return roots

    def has_found_one(self) -> bool:
        """Whether a start that had no knowledge base has one now. Blocks; thread-safe."""
        return any(self._around(start) for start in self._without)

    def place_of(self, tree: Path) -> BaseInTree:
        """The knowledge base of a working tree."""
        finder = Finder(self._env, self.trusted)
        is_own = (tree / KB_DIRNAME).is_dir() and not self._env.get("VOUCH_KB_PATH")
        roots = [] if is_own else finder.from_start(tree)
        return BaseInTree(roots[0] if roots else str(tree), str(tree))

    def _around(self, start: Path | None) -> list[BaseInTree]:
        finder = Finder(self._env, self.trusted)
        places = finder.placed(start)
        self._refused[start] = finder.refused
        for sentence in self.refused:
            if sentence not in self._logged:
                self._logged.add(sentence)
                log.warning("%s", sentence)
        return places
