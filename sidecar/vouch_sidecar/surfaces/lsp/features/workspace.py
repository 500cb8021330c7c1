"""Follows workspace folders and client settings."""

from __future__ import annotations

from lsprotocol import types as lsp

from vouch_sidecar.kb.settings import CLIENT
from vouch_sidecar.surfaces.lsp.server import Sidecar


def register(server: Sidecar) -> None:
    """Serve the knowledge bases of the workspace folders, with the client's settings."""

    def configured(params: lsp.DidChangeConfigurationParams) -> None:
        if params.settings is None and server.capability("workspace.configuration"):
            server.spawn(_fetch_settings(server))
        else:
            server.configure(params.settings)

    server.on_start.insert(0, server.serve_folders)  # the others need the knowledge bases
    server.on(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, lambda _: server.serve_folders())
    server.on(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, configured)


async def _fetch_settings(server: Sidecar) -> None:
    """Ask the client for its settings, because the notification held none."""
    params = lsp.ConfigurationParams(items=[lsp.ConfigurationItem(section=CLIENT)])
    answer = await server.workspace_configuration_async(params)
    if isinstance(answer, list | tuple) and answer:
        server.configure({CLIENT: answer[0]})
