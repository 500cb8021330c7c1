"""The paragraphs of a document that were edited last. Each one fills a slot of the session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vouch_sidecar.surfaces.lsp.documents import BREAK

__all__ = ["Paragraphs"]

MAX_LINES = 20
BEFORE = 14
"""Lines of a longer paragraph that are taken before the one being edited."""
KEPT = 3


@dataclass(slots=True)
class _Edited:
    """Lines from `first` to `last` of the document, both included."""

    number: int
    first: int
    last: int


class Paragraphs:
    """The last three paragraphs that were edited in one document.

    A paragraph goes from one blank line to the next, and has at most 20 lines.
    """

    def __init__(self) -> None:
        self._edited: list[_Edited] = []  # the newest last

    def edit(self, old: str, new: str) -> tuple[int, str] | None:
        """The paragraph that an edit of a document from `old` to `new` changed: its number (0, 1
        or 2), which it keeps while it is among the last three, and its text.

        The text is `""` where the paragraph was removed. None where no word changed.
        """
        before, after = BREAK.split(old), BREAK.split(new)
        head = _common(before, after)
        tail = _common(before[head:][::-1], after[head:][::-1])
        self._move(head, len(before) - tail, len(after) - len(before))
        if not _says_more(before[head : len(before) - tail], after[head : len(after) - tail]):
            return None
        at = min(max(head, len(after) - tail - 1), len(after) - 1)
        first, last = _around(after, at)
        known = [one for one in self._edited if one.first <= last and first <= one.last]
        if known and not after[at].strip():  # a part of it was taken away
            first, last = _around(after, min(known[-1].first, at))
        text = "\n".join(after[first : last + 1])
        if known:
            one = known[-1]
        elif not text.strip():
            return None
        elif len(self._edited) < KEPT:
            one = _Edited(len(self._edited), first, last)
        else:
            one = self._edited[0]
        self._edited = [*(other for other in self._edited if other is not one), one]
        one.first, one.last = first, last
        return one.number, text if text.strip() else ""

    def _move(self, first: int, end: int, lines: int) -> None:
        """Move the paragraphs with an edit of lines `first` to `end - 1` that adds some lines."""
        for one in self._edited:
            if one.first >= end:
                one.first, one.last = one.first + lines, one.last + lines
            elif one.last >= first:
                one.last = max(one.first, one.last + lines)


def _says_more(removed: Sequence[str], added: Sequence[str]) -> bool:
    """Whether an edit changed words: not where lines were blank, or only moved."""
    return any(line.strip() for line in set(removed) ^ set(added))


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(left), len(right)))


def _around(lines: Sequence[str], at: int) -> tuple[int, int]:
    """The first and the last line of the paragraph that a line stands in."""
    if not lines[at].strip():
        return at, at
    first = last = at
    while first > 0 and at - first < MAX_LINES and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and last - at < MAX_LINES and lines[last + 1].strip():
        last += 1
    if last - first >= MAX_LINES:
        first = max(first, at - BEFORE)
        last = min(last, first + MAX_LINES - 1)
    return first, last
