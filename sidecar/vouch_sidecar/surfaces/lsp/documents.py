"""Open documents: lines as LSP defines them, positions in the client's units, what changed."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice

from lsprotocol import types as lsp

__all__ = ["BREAK", "Document", "changed_lines", "well_formed"]

BREAK = re.compile(r"\r\n|\n|\r")  # str.splitlines knows eight more line ends
SURROGATE = re.compile("[\ud800-\udfff]")
BYTES_PER_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


class Document:
    """An open document. Offsets count characters of `source`; `encoding` is one of the client's
    units: `utf-8`, `utf-16`, `utf-32`.
    """

    def __init__(
        self,
        uri: str,
        source: str,
        encoding: str,
        version: int | None = None,
        language_id: str = "",
    ) -> None:
        self.uri = uri
        self.language_id = language_id
        self.source = well_formed(source)
        self.version = version
        self._codec = CODECS[encoding]
        self._unit = BYTES_PER_UNIT[encoding]

    def offset_at(self, position: lsp.Position) -> int | None:
        """Where a position stands; one beyond its line's end is at the end; None below the text."""
        start, end = self._line(position.line)
        if start is None:
            return None
        head = self.source[start:end].encode(self._codec, "replace")
        return start + len(head[: position.character * self._unit].decode(self._codec, "ignore"))

    def range_of(self, start: int, end: int) -> lsp.Range:
        """The range between two offsets in the client's units."""
        return lsp.Range(self._position(start), self._position(end))

    def rest_of_line(self, line: int, column: int) -> lsp.Range:
        """From a column (in characters) to the end of a line, both counted from 0."""
        start, end = self._line(line)
        if start is None:
            return self.range_of(len(self.source), len(self.source))
        end = len(self.source) if end is None else end
        return self.range_of(min(start + column, end), end)

    def apply_change(self, change: lsp.TextDocumentContentChangeEvent) -> None:
        """Take a change, of the whole text (as agreed with the client) or of a range."""
        text = well_formed(change.text)
        if isinstance(change, lsp.TextDocumentContentChangePartial):
            start, end = self._or_end(change.range.start), self._or_end(change.range.end)
            text = self.source[:start] + text + self.source[max(start, end) :]
        self.source = text

    def _or_end(self, position: lsp.Position) -> int:
        offset = self.offset_at(position)
        return len(self.source) if offset is None else offset

    def _line(self, number: int) -> tuple[int | None, int | None]:
        """Offsets of a line's start and of its end, line break excluded."""
        start = 0
        breaks = BREAK.finditer(self.source)
        if number > 0:
            last = next(islice(breaks, number - 1, None), None)
            if last is None:
                return None, None
            start = last.end()
        following = next(breaks, None)
        return start, None if following is None else following.start()

    def _position(self, offset: int) -> lsp.Position:
        line, start = 0, 0
        for found in BREAK.finditer(self.source, 0, offset):
            line, start = line + 1, found.end()
        head = self.source[start:offset]
        return lsp.Position(line, len(head.encode(self._codec, "replace")) // self._unit)


def well_formed(text: str) -> str:
    """The text with lone surrogates, which JSON lets through, replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return SURROGATE.sub("\ufffd", text)
    return text


def changed_lines(old: str, new: str) -> str | None:
    """The lines of `new` that an edit made or changed; None when nothing of substance changed.

    Lines that merely stand between two changed ones, or moved, do not count. Lines taken away
    leave `""`.
    """
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    before = _lines(old, head, len(old) - tail)
    after = _lines(new, head, len(new) - tail)
    known = set(before)
    text = "\n".join(line for line in after if line not in known)
    if text.strip():
        return text
    return None if all(line in after for line in before if line.strip()) else ""


def _common(left: str, right: str) -> int:
    """Length of the common prefix, by comparing halves rather than characters."""
    limit = min(len(left), len(right))
    return bisect_left(range(limit), True, key=lambda n: left[: n + 1] != right[: n + 1])


def _lines(text: str, start: int, end: int) -> list[str]:
    """The lines that hold the characters from `start` to `end`."""
    first = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    after = BREAK.search(text, end)
    return BREAK.split(text[first : after.start() if after else len(text)])
