"""Open documents, with lines as LSP defines them and positions in the client's encoding."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote

from lsprotocol import types as lsp

BREAK = re.compile(r"\r\n|\n|\r")  # str.splitlines knows eight more line ends
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
"""Of each encoding Python's codec, and the bytes of a unit."""


class Document:
    """An open document. Offsets count characters of `source`. `encoding` is the client's position
    encoding: `utf-8`, `utf-16` or `utf-32`.
    """

    def __init__(self, uri: str, source: str, encoding: str, language_id: str = "") -> None:
        self.uri = uri
        self.language_id = language_id
        self.source = well_formed(source)
        self._codec, self._unit = CODECS[encoding]

    def offset_at(self, position: lsp.Position) -> int | None:
        """The offset of a position, at most the end of its line; None below the text."""
        starts = _line_starts(self.source)
        if position.line >= len(starts):
            return None
        start, end = self._line(position.line)
        head = self.source[start:end].encode(self._codec, "replace")
        return start + len(head[: position.character * self._unit].decode(self._codec, "ignore"))

    def range_of(self, start: int, end: int) -> lsp.Range:
        """The LSP range between two offsets."""
        return lsp.Range(self._position(start), self._position(end))

    def rest_of_line(self, line: int, column: int) -> lsp.Range:
        """Range from a column to the end of its line; both count from 0, columns in characters."""
        starts = _line_starts(self.source)
        start, end = self._line(line) if line < len(starts) else (len(self.source),) * 2
        return self.range_of(min(start + column, end), end)

    def change(self, change: lsp.TextDocumentContentChangeEvent) -> None:
        """Apply a change of a range, which we ask clients for, or of the whole text."""
        text = well_formed(change.text)
        if isinstance(change, lsp.TextDocumentContentChangePartial):
            places = (self.offset_at(change.range.start), self.offset_at(change.range.end))
            start, end = (len(self.source) if at is None else at for at in places)
            text = self.source[:start] + text + self.source[max(start, end) :]
        self.source = text

    def _line(self, number: int) -> tuple[int, int]:
        """Offsets of a line's start and end, without the line break."""
        start = _line_starts(self.source)[number]
        following = BREAK.search(self.source, start)
        return start, len(self.source) if following is None else following.start()

    def _position(self, offset: int) -> lsp.Position:
        starts = _line_starts(self.source)
        line = bisect_right(starts, offset) - 1
        head = self.source[starts[line] : offset]
        return lsp.Position(line, len(head.encode(self._codec, "replace")) // self._unit)


class Documents:
    """The documents that the client has open, by URI however it is escaped."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        """The client's position encoding."""
        self._opened: dict[str, Document] = {}

    def find(self, uri: str) -> Document | None:
        """The document, if the client has it open."""
        return self._opened.get(unquote(uri))

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._opened.values()))

    def open(self, item: lsp.TextDocumentItem) -> Document:
        document = Document(item.uri, item.text, self.encoding, item.language_id)
        self._opened[unquote(item.uri)] = document
        return document

    def close(self, uri: str) -> Document | None:
        return self._opened.pop(unquote(uri), None)


@lru_cache(maxsize=8)
def _line_starts(text: str) -> list[int]:
    """Offsets where lines begin."""
    return [0, *(match.end() for match in BREAK.finditer(text))]


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced, which JSON allows and UTF-8 does not."""
    return LONE_SURROGATE.sub("\ufffd", text)
