"""Open documents, with lines as LSP defines them and positions in the client's encoding."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from lsprotocol import types as lsp

BREAK = re.compile(r"\r\n|\n|\r")  # str.splitlines knows eight more line ends
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
BYTES_PER_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


class EditorDocument:
    """An open document. Offsets count characters of `source`. `encoding` is the client's position
    encoding: `utf-8`, `utf-16` or `utf-32`.
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
        """The offset of a position, at most the end of its line; None below the text."""
        start, end = self._line(position.line)
        if start is None:
            return None
        head = self.source[start:end].encode(self._codec, "replace")
        return start + len(head[: position.character * self._unit].decode(self._codec, "ignore"))

    def range_of(self, start: int, end: int) -> lsp.Range:
        """The LSP range between two offsets."""
        return lsp.Range(self._position(start), self._position(end))

    def rest_of_line(self, line: int, column: int) -> lsp.Range:
        """Range from a column to the end of its line; both count from 0, columns in characters."""
        start, end = self._line(line)
        if start is None:
            return self.range_of(len(self.source), len(self.source))
        end = len(self.source) if end is None else end
        return self.range_of(min(start + column, end), end)

    def apply_change(self, change: lsp.TextDocumentContentChangeEvent) -> None:
        """Apply a change of a range, which we ask clients for, or of the whole text."""
        text = well_formed(change.text)
        if isinstance(change, lsp.TextDocumentContentChangePartial):
            start, end = self._or_end(change.range.start), self._or_end(change.range.end)
            text = self.source[:start] + text + self.source[max(start, end) :]
        self.source = text

    def _or_end(self, position: lsp.Position) -> int:
        offset = self.offset_at(position)
        return len(self.source) if offset is None else offset

    def _line(self, number: int) -> tuple[int | None, int | None]:
        """Offsets of a line's start and end, without the line break; (None, None) below the text,
        and None as the end of the last line.
        """
        start = _start_of(self.source, number)
        if start is None:
            return None, None
        following = BREAK.search(self.source, start)
        return start, None if following is None else following.start()

    def _position(self, offset: int) -> lsp.Position:
        starts = _line_starts(self.source)
        line = bisect_right(starts, offset) - 1
        head = self.source[starts[line] : offset]
        return lsp.Position(line, len(head.encode(self._codec, "replace")) // self._unit)


def _start_of(text: str, line: int) -> int | None:
    """The offset of a line; None below the text. Fast, as it runs at every keystroke."""
    if text.count("\r") != text.count("\r\n"):
        starts = _line_starts(text)
        return starts[line] if line < len(starts) else None
    parts = text.split("\n", line)
    return len(text) - len(parts[line]) if line < len(parts) else None


@lru_cache(maxsize=8)
def _line_starts(text: str) -> list[int]:
    """Offsets where lines begin."""
    return [0, *(match.end() for match in BREAK.finditer(text))]


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced, which JSON allows and UTF-8 does not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return LONE_SURROGATE.sub("\ufffd", text)
    return text
