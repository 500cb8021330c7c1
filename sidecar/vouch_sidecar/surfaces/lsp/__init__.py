"""The language server: pygls with fixes for its faults, one file a feature."""

from __future__ import annotations

from vouch_sidecar.surfaces.lsp.run import run_stdio

__all__ = ["run_stdio"]
