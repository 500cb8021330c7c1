"""Which lines of a file are worth a thought."""

from __future__ import annotations

from collections.abc import Sequence

from vouch_sidecar.engine.served import Speaker

__all__ = ["naming"]

MAX_CHARS = 4096
"""As much as a slot holds."""


def naming(served: Sequence[Speaker], text: str) -> str:
    """The lines of a text that name an entity, as many as a slot holds."""
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
