"""Makes what a knowledge base says harmless before a model reads it."""

from __future__ import annotations

from typing import Any

from vouch_sidecar.retrieval.block import safe

__all__ = ["harmless"]


def harmless(value: Any) -> Any:
    """A JSON value, each of whose texts is one line that can't close the frame of a block."""
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, dict):
        return {key: harmless(below) for key, below in value.items()}
    return [harmless(below) for below in value] if isinstance(value, list) else value
