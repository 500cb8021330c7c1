"""The knowledge bases that a process serves, and which of them a caller means."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from vouch_sidecar.engine.callers import Caller
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.faults import Faults
from vouch_sidecar.index.base_cache import user_folder
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.discovery import (
    BaseInTree,
    Finder,
    has_settings,
    is_in_package,
    is_setting,
    why_refused,
)
from vouch_sidecar.kb.pauses import Pause
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.kb.settings import Settings, load_settings

log = logging.getLogger(__name__)


class UnknownRootError(LookupError):
    """A call names a root without a served knowledge base."""


class Registry:
    """The served knowledge bases by root, with the settings of this process's client."""

    def __init__(
        self,
        env: Mapping[str, str],
        clock: Callable[[], float],
        client: Mapping[str, object],
        tell: Callable[[], None],
    ) -> None:
        """`tell` is called when a fault of a knowledge base begins or ends."""
        self.env = env
        self._tell = tell
        self._clock = clock
        self.collections: dict[Path, Collection] = {}
        self.folders: tuple[Path, ...] = ()
        """The folders of the workspace…"""
        self.lacking: frozenset[Path] = frozenset()
        """…and those of them that had no knowledge base at the last search."""
        self._from_folders: set[Path] = set()
        self._from_starts: set[Path] = set()
        self._from_documents: dict[Path, frozenset[Path]] = {}
        """By open document outside of the folders, those that it leads to."""
        self._refused: dict[Path | None, list[str]] = {}
        self._logged: set[str] = set()
        self.configure(client)

    @property
    def refused(self) -> list[str]:
        """A sentence for each knowledge base that is not served because another user owns it."""
        folders = {folder for refused in self._refused.values() for folder in refused}
        return [why_refused(printable(folder)) for folder in sorted(folders)]

    def _placed(self, start: Path | None) -> list[BaseInTree]:
        """The knowledge bases found from a folder or document. Blocks; thread-safe."""
        finder = Finder(self.env, self.trusted)
        places = finder.placed(start)
        self._refused[start] = finder.refused
        for folder in set(finder.refused) - self._logged:
            self._logged.add(folder)
            log.warning("%s", why_refused(printable(folder)))
        return places

    def has_found_one(self) -> bool:
        """Whether a folder that had no knowledge base has one now. Blocks; thread-safe."""
        return any(self._placed(folder) for folder in self.lacking)

    def add_start(self, start: Path | None) -> list[Collection]:
        """Serve the knowledge bases found from a folder, and return them."""
        served = [self._add(place) for place in self._placed(start)]
        self._from_starts.update(collection.tree for collection in served)
        return served

    def add_root(self, tree: Path) -> Collection:
        """Serve the knowledge base of a folder or working tree, and return it."""
        is_own = (tree / KB_DIRNAME).is_dir() and not self.env.get("VOUCH_KB_PATH")
        roots = [] if is_own else Finder(self.env, self.trusted).from_start(tree)
        self._from_starts.add(tree)
        return self._add(BaseInTree(roots[0] if roots else str(tree), str(tree)))

    def open_document(self, path: Path) -> None:
        """Serve the knowledge base of a document outside of the folders while it is open, unless it
        belongs to an installed package.
        """
        own = [
            p
            for p in self._placed(path)
            if Path(p.tree) in self.window or not is_in_package(p.root)
        ]
        self._from_documents[path] = frozenset(self._add(place).tree for place in own)

    def close_document(self, path: Path) -> None:
        """A document was closed."""
        self._from_documents.pop(path, None)
        self._refused.pop(path, None)
        self._drop_unused()

    def around(self, path: Path | None) -> frozenset[Path]:
        """What a client may ask about a document: its window, and what the document led to."""
        led_to = frozenset() if path is None else self._from_documents.get(path, frozenset())
        return frozenset(self.window) | led_to

    @property
    def window(self) -> set[Path]:
        """The working trees that folders and starts name; without any of these, those that open
        documents lead to.
        """
        named = self._from_folders | self._from_starts
        if named or self.folders or not self._from_documents:
            return named
        return set().union(*self._from_documents.values())

    def _drop_unused(self) -> None:
        used = (self._from_folders | self._from_starts).union(*self._from_documents.values())
        for tree in self.collections.keys() - used:
            del self.collections[tree]
        self.name_collections()

    def _add(self, place: BaseInTree) -> Collection:
        root, tree = Path(place.root), Path(place.tree)
        if tree not in self.collections:
            pause = Pause.of(root, self.env)
            caches = user_folder(self.env)
            collection = Collection.at(root, self._clock, pause, caches, self.env, tree)
            collection.faults = Faults(self._tell)
            collection.configure(self.client, self.env)
            self.collections[tree] = collection
            self.name_collections()
        return self.collections[tree]

    def name_collections(self) -> None:
        """Name collections after their config or folder, made unique by a number."""
        taken: set[str] = set()
        by_root: dict[Path, str] = {}
        for _, collection in sorted(self.collections.items()):
            root = collection.root
            if root in by_root:
                collection.name = by_root[root]
                continue
            base = name = collection.settings.kb.name or printable(root.name) or "kb"
            number = 1
            while name in taken:
                number += 1
                name = f"{base}-{number}"
            taken.add(name)
            by_root[root] = collection.name = name

    def settings_for(self, collection: Collection, caller: Caller) -> Settings:
        """The settings of a collection. Those in the environment are the caller's: where another
        process asks, not those of this one.
        """
        if caller.env is None or not (has_settings(self.env) or has_settings(caller.env)):
            return collection.settings
        env = {name: value for name, value in self.env.items() if not is_setting(name)}
        return load_settings(collection.published.config, self.client, {**env, **caller.env})[0]

    def chosen(self, caller: Caller, root: str | None) -> list[Collection]:
        """The collections that a caller means: of several working trees of one knowledge base that
        in which he stands, else the first. Raises `UnknownRootError`.
        """
        trees = self.window if caller.roots is None else caller.roots
        path = None if root is None else _path(root)
        by_root: dict[Path, Collection] = {}
        for tree, collection in sorted(self.collections.items()):
            if tree not in trees:
                continue
            chosen = by_root.setdefault(collection.root, collection)
            if collection.nearness(path or caller.at) > chosen.nearness(path or caller.at):
                by_root[collection.root] = collection
        if path is None:
            return list(by_root.values())
        holding = [c for c in by_root.values() if c.nearness(path) or path == c.root]
        if not holding:
            raise UnknownRootError
        return [max(holding, key=lambda c: len(c.root.parts))]

    def shown_name(self, collection: Collection, caller: Caller) -> str | None:
        """The name of a collection in rows of answers; None if the caller may ask no other one."""
        trees = self.window if caller.roots is None else caller.roots
        roots = {c.root for tree in trees if (c := self.collections.get(tree)) is not None}
        return collection.name if len(roots) > 1 else None

    @property
    def complete(self) -> bool:
        """Whether the first index of every knowledge base is built."""
        return all(c.complete for c in self.collections.values())

    @property
    def has_looked(self) -> bool:
        """Whether the first read of every knowledge base has ended, also if it failed."""
        return all(c.complete or c.is_failing for c in self.collections.values())

    def set_folders(self, folders: Sequence[Path]) -> None:
        """Make these the folders of the workspace: serve their knowledge bases, and drop those of
        former folders.
        """
        self.folders = tuple(folders)
        self.lacking = frozenset(folders)  # if the next line raises, all are searched again
        by_folder = {folder: self._placed(folder) for folder in folders}
        self.lacking = frozenset(folder for folder, places in by_folder.items() if not places)
        places = sorted(set().union(*by_folder.values()))
        self._from_folders = {self._add(place).tree for place in places}
        self._drop_unused()

    def search_again(self) -> None:
        """Search all starts again for knowledge bases, and serve those found."""
        for path in list(self._from_documents):
            self.open_document(path)
        self.set_folders(self.folders)

    def configure(self, client: Mapping[str, object]) -> None:
        """Apply settings of the client, but not yet to the knowledge bases."""
        self.client = client
        self.settings, _ = load_settings(None, client, self.env)
        """Those that no repository decides on: of client and environment alone."""
        self.trusted = self.settings.trust.folders
        """Folders whose knowledge bases are served although another user owns them."""


def _path(root: str) -> Path:
    """The root that a path or file URI names; `.vouch` itself names its parent."""
    try:
        if root.startswith("file:"):
            from urllib.parse import unquote, urlparse

            root = unquote(urlparse(root).path)
        path = Path(root).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        return Path(root)
    return path.parent if path.name == KB_DIRNAME else path
