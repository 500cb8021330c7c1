"""Composes texts that are written in parts, such as a letter and its accent as two characters."""

from __future__ import annotations

from unicodedata import combining, is_normalized, normalize

MAX_COMBINED = 30
"""Characters that one letter is made of at most, as in Unicode's stream-safe text format; marks
beyond these are passed over. No language needs them, and the cost grows with their square.
"""


def is_composed(text: str) -> bool:
    """Whether no characters of a text could be composed into one."""
    return text.isascii() or is_normalized("NFC", text)


def compose(text: str) -> tuple[str, list[int]]:
    """A text in form NFC, and for each of its characters, and for its end, the offset in the given
    text.
    """
    out: list[str] = []
    places: list[int] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and _joins(text[start:end], text[end]):
            end += 1
            if end - start > MAX_COMBINED:
                break
        composed = normalize("NFC", text[start:end])
        while end < len(text) and combining(text[end]):
            end += 1
        out.append(composed)
        places.append(start)
        places += (max(start + 1, end - left) for left in range(len(composed) - 1, 0, -1))
        start = end
    return "".join(out), [*places, len(text)]


def _joins(before: str, char: str) -> bool:
    """Whether a character may combine with the one before: a mark, or a part of a syllable."""
    if char < "\u0300":
        return False
    if combining(char):
        return True
    apart = normalize("NFC", before) + normalize("NFC", char)
    return normalize("NFC", before + char) != apart
