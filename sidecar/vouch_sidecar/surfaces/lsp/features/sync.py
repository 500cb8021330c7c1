"""Open documents as events: prompts, edited paragraphs, and what stands unsaved under `.vouch/`."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types as lsp

from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.surfaces.lsp.documents import Document
from vouch_sidecar.surfaces.lsp.paragraphs import Paragraphs
from vouch_sidecar.surfaces.lsp.paths import anchored, path_of
from vouch_sidecar.surfaces.lsp.prompts import is_prompt, session_of
from vouch_sidecar.surfaces.lsp.server import Sidecar

__all__ = ["register"]


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


class Sync:
    """What was last seen of every open document, to tell what changed."""

    def __init__(self, server: Sidecar) -> None:
        self._server = server
        self._seen: dict[str, str] = {}
        self._paragraphs: dict[str, Paragraphs] = {}

    def did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        self._opened(params.text_document)

    def did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        self._changed(params.text_document.uri)

    def did_save(self, params: lsp.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri in self._server.prompts:
            self._server.prompts.submit(uri)
        if (path := path_of(uri)) is not None:
            self._server.keeper.poke([anchored(path)])

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

    def _edited(self, document: Document, before: str) -> None:
        paragraphs = self._paragraphs.setdefault(document.uri, Paragraphs())
        for number, text in paragraphs.edit(before, document.source):
            slot = f"{self._server.connection}/{document.uri}#{number}"
            self._server.engine.observe(self._server.session_id, slot, text)

    def _closed(self, documents: Iterable[lsp.TextDocumentIdentifier]) -> None:
        for uri in (document.uri for document in documents):
            if uri in self._server.prompts:
                self._server.prompts.close(uri)
            elif uri in self._seen:
                self._overlay(uri, None)
            self._seen.pop(uri, None)
            self._paragraphs.pop(uri, None)

    def _overlay(self, uri: str, text: str | None) -> None:
        path = path_of(uri)
        if path is not None and KB_DIRNAME in path.parts:
            self._server.unsaved.put(anchored(path), text)
