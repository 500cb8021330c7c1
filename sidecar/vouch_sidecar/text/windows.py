"""Cuts long texts before an expression meets them: a match holds the interpreter to its end, and no
other thread, signal or end of input is seen meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator

MAX_WINDOW = 4_096
"""Characters of a text that an expression meets at once."""


def windows(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of the pieces of a text, each cut behind a line end, else behind a blank, else
    anywhere.
    """
    start = 0
    while start < len(text):
        end = start + MAX_WINDOW
        if end < len(text):
            behind = text.rfind("\n", start, end) + 1 or text.rfind(" ", start, end) + 1
            end = behind or end
        yield start, min(end, len(text))
        start = end
