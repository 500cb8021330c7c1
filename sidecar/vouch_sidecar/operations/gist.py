"""Results in a few readable lines, for models. Everything else stands in the structured content.

Names and texts of the knowledge base never leave their line.
"""

from __future__ import annotations

from collections.abc import Sequence

from vouch_sidecar.kb.plain import clip, one_line

ROWS = 10
TEXT = 300


def rows(lines: Sequence[str], nothing: str) -> list[str]:
    """The first lines and how many more there are; without any, a line that says so."""
    more = [f"and {len(lines) - ROWS} more"] if len(lines) > ROWS else []
    return [*lines[:ROWS], *more] if lines else [nothing]


def named(name: str, artifact_id: str) -> str:
    """A name with its id."""
    return f"{one_line(name)} ({one_line(artifact_id)})"


def clipped(text: str) -> str:
    """The beginning of a text."""
    return clip(one_line(text), TEXT)
