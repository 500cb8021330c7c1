"""Follows workspace folders, client settings, and files that the client reports. Files are watched
here; a client is not asked to.
"""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp

from vouch_sidecar.kb.artifact_files import KB_DIRNAME, anchored
from vouch_sidecar.kb.settings import CLIENT
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar


def register(server: Sidecar) -> None:
    """Serve the knowledge bases of the workspace folders, with the client's settings."""

    def configured(params: lsp.DidChangeConfigurationParams) -> None:
        if params.settings is None and server.capability("workspace.configuration"):
            server.spawn(_fetch_settings(server))
        else:
            server.configure(params.settings)

    def reported(params: lsp.DidChangeWatchedFilesParams) -> None:
        changed = (path_of(change.uri) for change in params.changes)
        paths = [anchored(path) for path in changed if path is not None]
        if any(_is_new(server, path) for path in paths):
            server.serve_folders()
        server.engine.check_soon(paths)

    server.on_start.insert(0, server.serve_folders)  # the others need the knowledge bases
    server.on(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, lambda _: server.serve_folders())
    server.on(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, configured)
    server.on(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, reported)


def _is_new(server: Sidecar, path: Path) -> bool:
    """Whether a path lies in a `.vouch/` that is not served yet."""
    bases = (c.root / KB_DIRNAME for c in server.engine.collections.values())
    return KB_DIRNAME in path.parts and not any(path.is_relative_to(base) for base in bases)


async def _fetch_settings(server: Sidecar) -> None:
    """Ask the client for its settings, because the notification held none."""
    params = lsp.ConfigurationParams(items=[lsp.ConfigurationItem(section=CLIENT)])
    answer = await server.workspace_configuration_async(params)
    if isinstance(answer, list | tuple) and answer:
        server.configure({CLIENT: answer[0]})
