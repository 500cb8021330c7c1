"""The features of the language server: each module registers one with a server."""

from __future__ import annotations

from vouch_sidecar.surfaces.lsp.features import (
    completion,
    definition,
    diagnostics,
    hover,
    operations,
    progress,
    pushes,
    sync,
    workspace,
    workspace_symbols,
)
from vouch_sidecar.surfaces.lsp.server import Sidecar

FEATURES = (
    *(completion, definition, diagnostics, hover, operations),
    *(progress, pushes, sync, workspace, workspace_symbols),
)


def register_all(server: Sidecar) -> None:
    """Let a server have all features."""
    for feature in FEATURES:
        feature.register(server)
