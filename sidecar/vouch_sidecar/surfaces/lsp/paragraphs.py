"""Finds the paragraphs of a document that were edited last. Each fills a slot of the session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vouch_sidecar.surfaces.lsp.documents import BREAK

MAX_LINES = 20
BEFORE = 14
"""Lines kept before the edited line, if its paragraph has more than `MAX_LINES`."""
KEPT = 3


LineRange = tuple[int, int]
"""Numbers of the first and last line of a paragraph."""


@dataclass(slots=True)
class _Edited:
    """An edited paragraph: the lines `first` to `last` of the document, both included."""

    number: int
    first: int
    last: int

    def shares(self, lines: LineRange) -> bool:
        return self.first <= lines[1] and lines[0] <= self.last


class Paragraphs:
    """The three paragraphs of one document that were edited last.

    A paragraph is the lines between two blank lines, at most `MAX_LINES` of them.
    """

    def __init__(self) -> None:
        self._edited: list[_Edited] = []  # the newest last

    def edit(self, old: str, new: str) -> list[tuple[int, str]]:
        """The last three paragraphs that differ between `old` and `new`, in order: a number (0, 1
        or 2), which a paragraph keeps while it is among the three, and the text.

        The text is "" if the paragraph was removed. Returns [] if no word changed.
        """
        before, after = BREAK.split(old), BREAK.split(new)
        head = _common(before, after)
        tail = _common(before[head:][::-1], after[head:][::-1])
        removed, added = before[head : len(before) - tail], after[head : len(after) - tail]
        rest = [
            paragraph
            for paragraph in self._edited
            if paragraph.first < head + len(removed) and paragraph.last >= head
        ]
        self._move(head, head + len(removed), len(added) - len(removed))
        if not _changes_words(removed, added):
            return []
        changed = _changed_paragraphs(after, head, removed, added)
        updated = []
        for paragraph in rest:  # paragraphs that lost a part or were cut in two
            at = _around(after, min(paragraph.first, len(after) - 1))
            if any(max(at[0], first) <= min(at[1], last) for first, last in changed):
                continue
            updated.append(self._update(paragraph, at, after))
        free = [paragraph for paragraph in self._edited if paragraph.number not in dict(updated)]
        for lines in changed:
            edited = next(
                (paragraph for paragraph in reversed(free) if paragraph.shares(lines)), None
            )
            if edited is None:
                edited = self._next_free()
            free = [paragraph for paragraph in free if paragraph is not edited]
            updated.append(self._update(edited, lines, after))
        return list({number: (number, text) for number, text in updated}.values())

    def _next_free(self) -> _Edited:
        """A new paragraph, or the one edited longest ago, to be reused."""
        if len(self._edited) < KEPT:
            self._edited.append(_Edited(len(self._edited), 0, 0))
            return self._edited[-1]
        return self._edited[0]

    def _update(
        self, paragraph: _Edited, lines: LineRange, after: Sequence[str]
    ) -> tuple[int, str]:
        """Set the lines of a paragraph and make it the newest. Returns its number and text."""
        self._edited = [*(other for other in self._edited if other is not paragraph), paragraph]
        paragraph.first, paragraph.last = lines
        text = "\n".join(after[paragraph.first : paragraph.last + 1])
        return paragraph.number, text if text.strip() else ""

    def _move(self, first: int, end: int, lines: int) -> None:
        """Shift paragraphs after an edit of lines `first` to `end - 1` that added `lines` lines."""
        for paragraph in self._edited:
            if paragraph.first >= end:
                paragraph.first, paragraph.last = paragraph.first + lines, paragraph.last + lines
            elif paragraph.last >= first:
                paragraph.last = max(paragraph.first, paragraph.last + lines)


def _changes_words(removed: Sequence[str], added: Sequence[str]) -> bool:
    """Whether an edit changed words; blank and moved lines do not count."""
    return any(line.strip() for line in set(removed) ^ set(added))


def _changed_paragraphs(
    after: Sequence[str], head: int, removed: Sequence[str], added: Sequence[str]
) -> list[LineRange]:
    """The last three paragraphs with a new line among those `added` from line `head` on; without
    any, the paragraph that lost a line, if some of it is left.
    """
    changed: list[LineRange] = []
    old_lines, border = set(removed), len(after)
    for at in range(head + len(added) - 1, head - 1, -1):
        if at >= border or not after[at].strip() or after[at] in old_lines:
            continue
        first, last = _around(after, at)
        changed.insert(0, (first, min(last, border - 1)))
        border = first
        if len(changed) == KEPT:
            break
    if not changed and any(line.strip() for line in removed):
        end = head + len(added)
        if removed[0].strip() and head > 0 and after[head - 1].strip():
            changed.append(_around(after, head - 1))
        elif removed[-1].strip() and end < len(after) and after[end].strip():
            changed.append(_around(after, end))
    return changed


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(left), len(right)))


def _around(lines: Sequence[str], at: int) -> LineRange:
    """The lines of the paragraph that contains line `at`."""
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
