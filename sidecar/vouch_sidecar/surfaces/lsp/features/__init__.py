"""What the language server does, one feature a module; each registers itself with a server."""

from __future__ import annotations

from collections.abc import Callable

from vouch_sidecar.surfaces.lsp.features import (
    definition,
    diagnostics,
    hover,
    operations,
    progress,
    pushes,
    sync,
    watching,
    workspace,
)
from vouch_sidecar.surfaces.lsp.server import Sidecar

__all__ = ["FEATURES"]

# The workspace comes first: the others start on the knowledge bases that it finds.
FEATURES: tuple[Callable[[Sidecar], None], ...] = (
    workspace.register,
    sync.register,
    operations.register,
    pushes.register,
    hover.register,
    definition.register,
    diagnostics.register,
    watching.register,
    progress.register,
)
