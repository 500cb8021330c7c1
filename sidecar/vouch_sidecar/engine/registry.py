"""The knowledge bases that a process serves, and which of them a caller means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from vouch_sidecar.engine.callers import Caller
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.start_folders import Starts
from vouch_sidecar.index.base_cache import user_folder
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.discovery import has_settings, is_setting
from vouch_sidecar.kb.pauses import Pause
from vouch_sidecar.kb.sanitize import printable
from vouch_sidecar.kb.settings import Settings, load_settings


class UnknownRootError(LookupError):
    """A call names a root without a served knowledge base."""


class Registry:
    """The served knowledge bases by root, with the settings of this process's client."""

    def __init__(
        self, env: Mapping[str, str], clock: Callable[[], float], client: Mapping[str, object]
    ) -> None:
        self.env = env
        self.collections: dict[Path, Collection] = {}
        self.starts = Starts(env)
        self._clock = clock
        self._from_folders: set[Path] = set()
        self._from_documents: set[Path] = set()
        self.configure(client)

    def start_from(self, start: Path) -> list[Collection]:
        """As `add_start`; the follower searches again if there is no knowledge base yet."""
        self.starts.keep(start)
        return self.add_start(start)

    def add_start(self, start: Path | None) -> list[Collection]:
        """Serve the knowledge bases found from a folder or a document, and return them."""
        roots = self.starts.find(start)
        self._from_documents.update(roots)
        return [self.add_root(root) for root in roots]

    def add_root(self, root: Path) -> Collection:
        """Serve the knowledge base in a folder, unless it is served already, and return it."""
        if root not in self.collections:
            pause = Pause.of(root, self.env)
            collection = Collection.at(root, self._clock, pause, user_folder(self.env))
            collection.configure(self.client, self.env)
            self.collections[root] = collection
            self.name_collections()
        return self.collections[root]

    def name_collections(self) -> None:
        """Name collections after their config or folder, made unique by a number."""
        taken: set[str] = set()
        for root, collection in sorted(self.collections.items()):
            base = name = collection.settings.kb.name or printable(root.name) or "kb"
            number = 1
            while name in taken:
                number += 1
                name = f"{base}-{number}"
            taken.add(name)
            collection.name = name

    def settings_for(self, collection: Collection, caller: Caller) -> Settings:
        """The settings of a collection. Those in the environment are the caller's: where another
        process asks, not those of this one.
        """
        if caller.env is None or not (has_settings(self.env) or has_settings(caller.env)):
            return collection.settings
        env = {name: value for name, value in self.env.items() if not is_setting(name)}
        return load_settings(collection.config, self.client, {**env, **caller.env})[0]

    def chosen(self, caller: Caller, root: str | None) -> list[Collection]:
        everything = [
            collection
            for where, collection in sorted(self.collections.items())
            if caller.roots is None or where in caller.roots
        ]
        if root is None:
            return everything
        path = _path(root)
        for collection in sorted(everything, key=lambda c: -len(c.root.parts)):
            if path == collection.root or collection.root in path.parents:
                return [collection]
        raise UnknownRootError

    def shown_name(self, collection: Collection, caller: Caller) -> str | None:
        """The name of a collection in rows of answers; None if the caller may ask no other one."""
        roots = self.collections if caller.roots is None else caller.roots
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
        former folders unless a document led to them.
        """
        roots = self.starts.set_folders(folders)
        for root in sorted(roots):
            self.add_root(root)
        gone = self._from_folders - roots
        self._from_folders = roots
        for root in gone - self._from_documents:
            del self.collections[root]
        self.name_collections()

    def search_again(self) -> None:
        """Search all starts again for knowledge bases, and serve those found."""
        for start in self.starts.others:
            self.add_start(start)
        self.set_folders(self.starts.folders)

    def configure(self, client: Mapping[str, object]) -> None:
        """Apply settings of the client, but not yet to the knowledge bases."""
        self.client = client
        self.settings, _ = load_settings(None, client, self.env)
        """Those that no repository decides on: of client and environment alone."""
        self.starts.trusted = self.settings.trust.folders


def _path(root: str) -> Path:
    """The root that a path or file URI names; `.vouch` itself names its parent."""
    try:
        if root.startswith("file:"):
            from urllib.parse import unquote, urlparse

            root = unquote(urlparse(root).path)
        path = Path(root).resolve()
    except (OSError, RuntimeError, ValueError):
        return Path(root)
    return path.parent if path.name == KB_DIRNAME else path
