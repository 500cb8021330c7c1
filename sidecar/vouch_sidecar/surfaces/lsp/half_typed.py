"""Tells a word that is being typed from one that has ended."""

from __future__ import annotations


def is_half_typed(old: str, new: str) -> bool:
    """Whether two texts differ by one word alone, at the end of which something was changed."""
    start, end = changed_part(old, new)
    removed = old[start : len(old) - (len(new) - end)]
    return bool(end) and all(map(_is_of_word, removed + new[start:end] + new[end - 1]))


def ends_in_word(text: str, end: int) -> bool:
    """Whether the part of a text before `end` ends in a word, which may be half-typed."""
    return bool(end) and _is_of_word(text[end - 1])


def _is_of_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def changed_part(old: str, new: str) -> tuple[int, int]:
    """Start and end of the part of `new` that differs from `old`, as offsets in `new`."""
    start = _common(old, new)
    most = min(len(old), len(new)) - start
    tail = _common(old[len(old) - most :][::-1], new[len(new) - most :][::-1])
    return start, len(new) - tail


def _common(text: str, other: str) -> int:
    """The length of the common beginning of two texts, by bisection: a text may have a million
    characters.
    """
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
