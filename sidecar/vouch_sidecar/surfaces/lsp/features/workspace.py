"""Follows workspace folders, client settings, and files that the client reports. Files are watched
here; a client is not asked to.
"""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from vouch_sidecar.kb.settings import CLIENT
from vouch_sidecar.surfaces.lsp.documents import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar


def register(server: Sidecar) -> None:
    """Serve the knowledge bases of the workspace folders, with the client's settings."""
    server.on(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, lambda _: server.serve_folders())
    server.on(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, partial(_configured, server))
    server.on(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, partial(_reported, server))


def _configured(server: Sidecar, params: lsp.DidChangeConfigurationParams) -> None:
    if params.settings is None and server.capability("workspace.configuration"):
        server.spawn(_fetch_settings(server))
    else:
        server.configure(params.settings)


async def _fetch_settings(server: Sidecar) -> None:
    """Ask the client for its settings, because the notification held none."""
    params = lsp.ConfigurationParams(items=[lsp.ConfigurationItem(section=CLIENT)])
    answer = await server.workspace_configuration_async(params)
    if isinstance(answer, list | tuple) and answer:
        server.configure({CLIENT: answer[0]})


def _reported(server: Sidecar, params: lsp.DidChangeWatchedFilesParams) -> None:
    paths = [path_of(change.uri) for change in params.changes]
    server.engine.check_soon(path for path in paths if path is not None)
