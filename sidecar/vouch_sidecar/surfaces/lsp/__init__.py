"""The language server: pygls for types and dispatch, a message pump of its own underneath."""

from __future__ import annotations

from vouch_sidecar.surfaces.lsp.run import run_stdio, run_tcp

__all__ = ["run_stdio", "run_tcp"]
