"""Cuts long texts before an expression meets them: a match holds the interpreter to its end, and no
other thread, signal or end of input is seen meanwhile.
"""

from __future__ import annotations

import re
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


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern in the windows of a text, at offsets of the text."""
    for start, end in windows(text):
        yield from pattern.finditer(text, start, end)


def replaced(pattern: re.Pattern[str], by: str, text: str) -> str:
    """A text with the matches of a pattern replaced in each of its windows."""
    return "".join(pattern.sub(by, text[start:end]) for start, end in windows(text))
