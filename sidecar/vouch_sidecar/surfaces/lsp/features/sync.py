"""Follows open documents: prompts, edited paragraphs, and files under `.vouch/`."""

from __future__ import annotations

from lsprotocol import types as lsp

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.retrieval.blocks.block import without_blocks
from vouch_sidecar.surfaces.lsp.paragraphs import Paragraphs
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.prompts import is_prompt, session_of
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.lsp.typed_text import EditedSlots, TypedText


def register(server: Sidecar) -> None:
    """Listen to text documents."""
    sync = Sync(server)
    server.on(lsp.TEXT_DOCUMENT_DID_OPEN, sync.did_open)
    server.on(lsp.TEXT_DOCUMENT_DID_CHANGE, sync.did_change)
    server.on(lsp.TEXT_DOCUMENT_DID_SAVE, sync.did_save)
    server.on(lsp.TEXT_DOCUMENT_DID_CLOSE, sync.did_close)


class Sync:
    """Has what is typed into open documents, without inserted blocks, followed as `typed_text`
    says, and tells who follows files below `.vouch/`.
    """

    def __init__(self, server: Sidecar) -> None:
        self._server = server

    def did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        server, item = self._server, params.text_document
        if (document := server.documents.find(item.uri)) is None:
            return
        text = without_blocks(document.source)
        if is_prompt(item.uri, item.language_id):
            session_id = session_of(item.uri) or server.session_id
            server.prompts.open(item.uri, session_id, _words(text, document.source))
            return
        slots = _paragraph_slots(f"{server.connection}/{item.uri}")
        server.typing.follow(item.uri, TypedText(server.session_id, slots, text, at_word_end=True))
        if (path := path_of(item.uri)) is not None:
            server.engine.open_document(path)
            self._tell(item.uri)

    def did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        document = self._server.documents.find(uri)
        if document is None or uri not in self._server.typing:
            return
        text = without_blocks(document.source)
        if uri in self._server.prompts:
            self._server.prompts.set_text(uri, _words(text, document.source))
        else:
            self._tell(uri)
            self._server.typing.set_text(uri, text)

    def did_save(self, params: lsp.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri in self._server.prompts:
            self._server.prompts.submit(uri)
        elif uri in self._server.typing:
            self._server.typing.end(uri)
        if (path := path_of(uri)) is not None:
            self._server.engine.check_soon([path])

    def did_close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        if (path := path_of(uri)) is not None:
            self._server.engine.close_document(path)
        if uri in self._server.prompts:
            self._server.prompts.close(uri)
        elif uri in self._server.typing:
            self._tell(uri)
            self._server.typing.end(uri)
            self._server.typing.forget(uri)

    def _tell(self, uri: str) -> None:
        """Call those who follow the texts of documents below `.vouch/`."""
        path = path_of(uri)
        if path is not None and KB_DIRNAME in path.parts:
            self._server.engine.call_listeners(self._server.on_text)


def _words(text: str, source: str) -> str:
    """A prompt without the blank place of a block at its end."""
    return text if text == source else text.rstrip()


def _paragraph_slots(document: str) -> EditedSlots:
    """Each of the paragraphs of a document that were edited last fills a slot."""
    paragraphs = Paragraphs()
    return lambda before, text: [
        (f"{document}#{number}", paragraph) for number, paragraph in paragraphs.edit(before, text)
    ]
