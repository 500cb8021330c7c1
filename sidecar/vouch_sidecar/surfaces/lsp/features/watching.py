"""Uses the client's file watcher. Without its events the engine watches files itself."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp

from vouch_sidecar.kb.artifact_files import KB_DIRNAME, anchored, resolved
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar

# A moved or removed folder is only reported if a glob names the folder itself.
GLOBS = ("**/.vouch", "**/.vouch/**")


def register(server: Sidecar) -> None:
    """Ask the client to watch files, and handle its events."""
    watching = ClientWatching(server)
    server.on(lsp.INITIALIZED, watching.initialized)
    server.on(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, watching.changed)


class ClientWatching:
    """Stops our own watcher once the client has reported an event: some clients accept the
    registration and report nothing.
    """

    def __init__(self, server: Sidecar) -> None:
        self._server = server

    def initialized(self, _: lsp.InitializedParams) -> None:
        name = "workspace.did_change_watched_files.dynamic_registration"
        if not self._server.capability(name):
            return
        watchers = [lsp.FileSystemWatcher(glob_pattern=glob) for glob in GLOBS]
        registration = lsp.Registration(
            id="vouch-files",
            method=lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            register_options=lsp.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
        )
        params = lsp.RegistrationParams(registrations=[registration])
        self._server.spawn(self._server.client_register_capability_async(params))

    def changed(self, params: lsp.DidChangeWatchedFilesParams) -> None:
        changed = (path_of(change.uri) for change in params.changes)
        paths = [anchored(path) for path in changed if path is not None]
        if any(self._is_new(path) for path in paths):
            self._server.serve_folders()
        if self._covers_everything():
            self._server.engine.watch_by_client()
        self._server.engine.check_soon(paths)

    def _is_new(self, path: Path) -> bool:
        """Whether a path lies in a `.vouch/` that is not served yet."""
        if KB_DIRNAME not in path.parts:
            return False
        root = Path(*path.parts[: path.parts.index(KB_DIRNAME)])
        return all(root != c.root for c in self._server.engine.collections.values())

    def _covers_everything(self) -> bool:
        """Whether every knowledge base lies in a folder that the client has open."""
        folders = [resolved(folder) for folder in self._server.folders]
        return all(
            any(resolved(c.root / KB_DIRNAME).is_relative_to(folder) for folder in folders)
            for c in self._server.engine.collections.values()
        )
