"""Open documents: lines as LSP defines them, positions in the client's units, what changed."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp
from pygls.workspace import TextDocument, Workspace

__all__ = ["Document", "Documents", "changed_lines", "is_uri"]

OPAQUE = "untitled:"

BREAK = re.compile(r"\r\n|\n|\r")  # str.splitlines knows eight more line ends
SURROGATE = re.compile("[\ud800-\udfff]")
BYTES_PER_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
CODEC = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


class Document(TextDocument):
    """An open document. Offsets count characters of `source`."""

    def offset_at(self, position: lsp.Position) -> int | None:
        """Where a position stands; one beyond its line's end is at the end; None below the text."""
        start, end = self._line(position.line)
        if start is None:
            return None
        line = self.source[start:end]
        if line.isascii():
            return start + min(position.character, len(line))
        head = line.encode(self._codec, "replace")[: position.character * self._unit]
        return start + len(head.decode(self._codec, "ignore"))

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
        self._source = text

    @property
    def source(self) -> str:
        return self._source or ""

    @property
    def _encoding(self) -> str:
        return _named(self.position_codec.encoding)

    @property
    def _codec(self) -> str:
        return CODEC[self._encoding]

    @property
    def _unit(self) -> int:
        return BYTES_PER_UNIT[self._encoding]

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


class Documents(Workspace):
    """The documents that a client has open; nothing is read from disk in their stead."""

    @property
    def units(self) -> str:
        """What the client counts columns in: `utf-8`, `utf-16` or `utf-32`."""
        return _named(self.position_encoding)

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> Document:
        document = Document(
            OPAQUE if not is_uri(doc_uri) else doc_uri,
            source=well_formed(source or ""),
            version=version,
            language_id=language_id,
            position_codec=self._position_codec,
        )
        document.uri = doc_uri
        return document

    def find(self, uri: str) -> Document | None:
        """The document, if the client has it open."""
        found = self._text_documents.get(unquote(uri))
        return found if isinstance(found, Document) else None

    def update_text_document(
        self,
        text_doc: lsp.VersionedTextDocumentIdentifier,
        change: lsp.TextDocumentContentChangeEvent,
    ) -> None:
        """Take a change; one of a document that was never opened is nothing to go by."""
        if unquote(text_doc.uri) in self._text_documents:
            super().update_text_document(text_doc, change)

    def update_notebook_document(self, params: lsp.DidChangeNotebookDocumentParams) -> None:
        """Take a change of a notebook; as above."""
        if unquote(params.notebook_document.uri) in self._notebook_documents:
            super().update_notebook_document(params)


def _named(encoding: object) -> str:
    return str(getattr(encoding, "value", encoding) or "utf-16")


def is_uri(uri: str) -> bool:
    """Whether a URI can be taken apart."""
    try:
        urlsplit(uri)
    except ValueError:
        return False
    return True


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
