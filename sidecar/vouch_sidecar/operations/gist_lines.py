"""Helpers for results in a few lines, for models, which get the rest as structured content.

Names and texts of the knowledge base never contain a line break.
"""

from __future__ import annotations

from collections.abc import Sequence

from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.sanitize import clip, one_line
from vouch_sidecar.retrieval.view import View

ROWS = 10
GIST_CHARS = 300


def rows(lines: Sequence[str], nothing: str) -> list[str]:
    """The first `ROWS` lines and the number of others; without any, the line `nothing`."""
    more = [f"and {len(lines) - ROWS} more"] if len(lines) > ROWS else []
    return [*lines[:ROWS], *more] if lines else [nothing]


def name_and_id(name: str, artifact_id: str) -> str:
    """A name with its id."""
    return f"{one_line(name)} ({one_line(artifact_id)})"


def base_line(
    collection: str | None, kind: Kind, artifact_id: str, views: Sequence[View]
) -> list[str]:
    """With several knowledge bases, which one an artifact is from, and which others have one with
    its id.
    """
    others = [
        one_line(view.collection)
        for view in views
        if view.collection != collection and view.visible.artifact((kind, artifact_id)) is not None
    ]
    also = f"; another one in {', '.join(others)}" if others else ""
    return [f"knowledge base: {one_line(collection or '')}{also}"] if len(views) > 1 else []


def clipped(text: str) -> str:
    """At most `GIST_CHARS` characters of a text, on one line."""
    return clip(one_line(text), GIST_CHARS)
