"""Picks the lines of a file that name entities."""

from __future__ import annotations

from collections.abc import Sequence

from vouch_sidecar.engine.served import Speaker

__all__ = ["naming"]

MAX_CHARS = 4096
"""A slot of a session holds no more."""


def naming(served: Sequence[Speaker], text: str) -> str:
    """The first lines of a text that name an entity, as many as a slot holds."""
    lines: list[str] = []
    left = MAX_CHARS
    spans = sorted((m.start, m.end) for one in served for m in one.view.mentions(text))
    end = 0
    for start, stop in spans:
        if start < end:
            continue
        begin = text.rfind("\n", 0, start) + 1
        end = text.find("\n", stop)
        end = len(text) if end < 0 else end
        line = text[begin:end].strip()[:MAX_CHARS]
        left -= len(line) + 1
        if left < 0:
            break
        lines.append(line)
    return "\n".join(lines)
