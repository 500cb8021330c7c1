"""Follows open documents: prompts, edited paragraphs, and files under `.vouch/`."""

from __future__ import annotations

from functools import partial
from urllib.parse import unquote

from lsprotocol import types as lsp

from vouch_sidecar.surfaces.lsp.documents import Document, path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar


def register(server: Sidecar) -> None:
    """Listen to text documents."""
    server.on(lsp.TEXT_DOCUMENT_DID_OPEN, partial(_did_open, server))
    server.on(lsp.TEXT_DOCUMENT_DID_CHANGE, partial(_did_change, server))
    server.on(lsp.TEXT_DOCUMENT_DID_SAVE, partial(_did_save, server))
    server.on(lsp.TEXT_DOCUMENT_DID_CLOSE, partial(_did_close, server))


def _did_open(server: Sidecar, params: lsp.DidOpenTextDocumentParams) -> None:
    item = params.text_document
    document = Document(item.uri, item.text, server.encoding, item.language_id)
    server.documents[unquote(item.uri)] = document
    server.typing.open(document, server.session_id)
    if document.path is not None:
        server.engine.registry.open_document(document.path)
    _tell(server, document)


def _did_change(server: Sidecar, params: lsp.DidChangeTextDocumentParams) -> None:
    if (document := server.document(params.text_document.uri)) is not None:
        for change in params.content_changes:
            document.change(change)
        server.typing.change(document)
        _tell(server, document)


def _did_save(server: Sidecar, params: lsp.DidSaveTextDocumentParams) -> None:
    uri = params.text_document.uri
    if (document := server.document(uri)) is not None:
        server.typing.save(document.uri)
    if (path := path_of(uri)) is not None:
        server.engine.check_soon([path])


def _did_close(server: Sidecar, params: lsp.DidCloseTextDocumentParams) -> None:
    document = server.documents.pop(unquote(params.text_document.uri), None)
    if document is not None:
        server.typing.close(document.uri)
        if document.path is not None:
            server.engine.registry.close_document(document.path)
        _tell(server, document)


def _tell(server: Sidecar, document: Document) -> None:
    """Say that the text of a document below `.vouch/` is another one."""
    if document.is_below_vouch:
        server.engine.changed.bump()
