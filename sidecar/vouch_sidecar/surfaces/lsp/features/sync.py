"""Follows open documents: prompts, edited paragraphs, and unsaved files under `.vouch/`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from lsprotocol import types as lsp

from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.surfaces.lsp.documents import EditorDocument
from vouch_sidecar.surfaces.lsp.paragraphs import Paragraphs
from vouch_sidecar.surfaces.lsp.paths import anchored, path_of
from vouch_sidecar.surfaces.lsp.prompts import is_prompt, session_of
from vouch_sidecar.surfaces.lsp.server import Sidecar


def register(server: Sidecar) -> None:
    """Listen to text documents and to the cells of notebooks."""
    sync = Sync(server)
    server.on(lsp.TEXT_DOCUMENT_DID_OPEN, sync.did_open)
    server.on(lsp.TEXT_DOCUMENT_DID_CHANGE, sync.did_change)
    server.on(lsp.TEXT_DOCUMENT_DID_SAVE, sync.did_save)
    server.on(lsp.TEXT_DOCUMENT_DID_CLOSE, sync.did_close)
    server.on(lsp.NOTEBOOK_DOCUMENT_DID_OPEN, sync.notebook_did_open)
    server.on(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE, sync.notebook_did_change)
    server.on(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE, sync.notebook_did_close)


@dataclass(slots=True)
class _Typed:
    """Typing in progress: the document's text before it, and the edited line."""

    source: str
    line: int
    timer: asyncio.TimerHandle | None = None

    def stop(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


class Sync:
    """Keeps the last text of every open document, to find what changed."""

    def __init__(self, server: Sidecar) -> None:
        self._server = server
        self._seen: dict[str, str] = {}
        self._paragraphs: dict[str, Paragraphs] = {}
        self._typed: dict[str, _Typed] = {}
        server.before_requests.append(self.flush)

    def did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        self._opened(params.text_document)

    def did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        self._changed(params.text_document.uri)

    def did_save(self, params: lsp.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._finish(uri)
        if uri in self._server.prompts:
            self._server.prompts.submit(uri)
        if (path := path_of(uri)) is not None:
            self._server.indexer.poke([anchored(path)])

    def did_close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        self._closed([params.text_document])

    def notebook_did_open(self, params: lsp.DidOpenNotebookDocumentParams) -> None:
        for cell in params.cell_text_documents:
            self._opened(cell)

    def notebook_did_change(self, params: lsp.DidChangeNotebookDocumentParams) -> None:
        if (cells := params.change.cells) is None:
            return
        if cells.structure is not None:
            for cell in cells.structure.did_open or ():
                self._opened(cell)
            self._closed(cells.structure.did_close or ())
        for change in cells.text_content or ():
            self._changed(change.document.uri)

    def notebook_did_close(self, params: lsp.DidCloseNotebookDocumentParams) -> None:
        self._closed(params.cell_text_documents)

    def _opened(self, item: lsp.TextDocumentItem) -> None:
        if (document := self._server.documents.find(item.uri)) is None:
            return
        self._seen[item.uri] = document.source
        if is_prompt(item.uri, item.language_id):
            session_id = session_of(item.uri) or self._server.session_id
            self._server.prompts.open(item.uri, session_id, document.source)
        elif (path := path_of(item.uri)) is not None:
            self._server.serve_above(path)
            self._overlay(item.uri, document.source)

    def _changed(self, uri: str) -> None:
        document = self._server.documents.find(uri)
        if document is None or uri not in self._seen:
            return
        before, self._seen[uri] = self._seen[uri], document.source
        if uri in self._server.prompts:
            self._server.prompts.type(uri, document.source)
            return
        self._overlay(uri, document.source)
        self._edited(document, before)

    def _edited(self, document: EditorDocument, before: str) -> None:
        """Observe the edited paragraphs: at once if the edit ends a word, else after a pause, as a
        half-typed word may be another word.
        """
        uri, start, end = document.uri, *changed_part(before, document.source)
        typed = self._typed.get(uri)
        if typed is not None and typed.line != _line_of(document.source, start):
            self._finish(uri, before)
            typed = None
        if typed is None:
            typed = _Typed(before, _line_of(document.source, start))
        typed.stop()
        self._typed[uri] = typed
        if end and (document.source[end - 1].isalnum() or document.source[end - 1] == "_"):
            later = asyncio.get_running_loop().call_later
            typed.timer = later(self._server.idle_seconds(), self._finish, uri)
        else:
            self._finish(uri)

    def flush(self) -> None:
        """Observe half-typed edits at once, because an answer must reflect all earlier messages."""
        for uri in list(self._typed):
            self._finish(uri)

    def _finish(self, uri: str, source: str | None = None) -> None:
        """Observe what was typed into a document, up to `source` or its last text."""
        typed = self._typed.pop(uri, None)
        if typed is None:
            return
        typed.stop()
        paragraphs = self._paragraphs.setdefault(uri, Paragraphs())
        for number, text in paragraphs.edit(typed.source, source or self._seen.get(uri, "")):
            slot = f"{self._server.connection}/{uri}#{number}"
            self._server.engine.observe(self._server.session_id, slot, text)

    def _closed(self, documents: Iterable[lsp.TextDocumentIdentifier]) -> None:
        for uri in (document.uri for document in documents):
            if uri in self._server.prompts:
                self._server.prompts.close(uri)
            elif uri in self._seen:
                self._overlay(uri, None)
            self._finish(uri)
            self._seen.pop(uri, None)
            self._paragraphs.pop(uri, None)

    def _overlay(self, uri: str, text: str | None) -> None:
        path = path_of(uri)
        if path is not None and KB_DIRNAME in path.parts:
            self._server.unsaved.put(anchored(path), text)


def changed_part(old: str, new: str) -> tuple[int, int]:
    """Start and end of the part of `new` that differs from `old`, as offsets in `new`."""
    start = _common(old, new)
    most = min(len(old), len(new)) - start
    tail = _common(old[len(old) - most :][::-1], new[len(new) - most :][::-1])
    return start, len(new) - tail


def _common(one: str, other: str) -> int:
    """The length of the common beginning of two texts, by bisection: a text may have a million
    characters.
    """
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at)
