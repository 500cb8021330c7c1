"""Follows open documents: prompts, edited paragraphs, and files under `.vouch/`."""

from __future__ import annotations

from lsprotocol import types as lsp

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.retrieval.blocks.block import without_blocks
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.lsp.typing import is_prompt, session_of


def register(server: Sidecar) -> None:
    """Listen to text documents."""
    sync = Sync(server)
    server.on(lsp.TEXT_DOCUMENT_DID_OPEN, sync.did_open)
    server.on(lsp.TEXT_DOCUMENT_DID_CHANGE, sync.did_change)
    server.on(lsp.TEXT_DOCUMENT_DID_SAVE, sync.did_save)
    server.on(lsp.TEXT_DOCUMENT_DID_CLOSE, sync.did_close)


class Sync:
    """Has what is typed into open documents, without inserted blocks, followed as `typing` says,
    and tells who follows files below `.vouch/`.
    """

    def __init__(self, server: Sidecar) -> None:
        self._server = server

    def did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        server, item = self._server, params.text_document
        text = _words(server.documents.open(item).source)
        if is_prompt(item.uri, item.language_id):
            session_id = session_of(item.uri) or server.session_id
            server.typing.open_prompt(item.uri, session_id, text)
            return
        server.typing.open(item.uri, server.session_id, text)
        if (path := path_of(item.uri)) is not None:
            server.engine.open_document(path)
            self._tell(item.uri)

    def did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        if (document := self._server.documents.find(uri)) is None:
            return
        for change in params.content_changes:
            document.change(change)
        if uri in self._server.typing:
            self._tell(uri)
            self._server.typing.change(uri, _words(document.source))

    def did_save(self, params: lsp.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri in self._server.typing:
            self._server.typing.save(uri)
        if (path := path_of(uri)) is not None:
            self._server.engine.check_soon([path])

    def did_close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._server.documents.close(uri)
        if (path := path_of(uri)) is not None:
            self._server.engine.close_document(path)
        if uri in self._server.typing:
            self._tell(uri)
            self._server.typing.close(uri)

    def _tell(self, uri: str) -> None:
        """Say that the text of a document below `.vouch/` is another one."""
        path = path_of(uri)
        if path is not None and KB_DIRNAME in path.parts:
            self._server.engine.changed.bump()


def _words(source: str) -> str:
    """A text without inserted blocks, and without the blank place of one at its end."""
    text = without_blocks(source)
    return text if text == source else text.rstrip()
