"""Workspace folders and client settings."""

from __future__ import annotations

from lsprotocol import types as lsp

from sidecar.surfaces.lsp.server import Sidecar

__all__ = ["register"]

SECTION = "vouchSidecar"


def register(server: Sidecar) -> None:
    """Serve the knowledge bases of the workspace folders, with the client's settings."""

    def folders_changed(_: lsp.DidChangeWorkspaceFoldersParams) -> None:
        server.serve_folders()

    def configured(params: lsp.DidChangeConfigurationParams) -> None:
        settings = params.settings.get(SECTION) if isinstance(params.settings, dict) else None
        if isinstance(settings, dict):
            server.engine.reconfigure(settings)
            server.touch()

    server.on_start.append(server.serve_folders)
    server.on(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, folders_changed)
    server.on(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, configured)
