"""Follows open documents: prompts, edited paragraphs, and files under `.vouch/`."""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.retrieval.blocks.block import without_blocks
from vouch_sidecar.surfaces.lsp.paths import path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.lsp.typing import is_prompt, session_of


def register(server: Sidecar) -> None:
    """Listen to text documents."""
    server.on(lsp.TEXT_DOCUMENT_DID_OPEN, partial(_did_open, server))
    server.on(lsp.TEXT_DOCUMENT_DID_CHANGE, partial(_did_change, server))
    server.on(lsp.TEXT_DOCUMENT_DID_SAVE, partial(_did_save, server))
    server.on(lsp.TEXT_DOCUMENT_DID_CLOSE, partial(_did_close, server))


def _did_open(server: Sidecar, params: lsp.DidOpenTextDocumentParams) -> None:
    document = server.documents.open(params.text_document)
    text, uri = _words(document.source), document.uri
    if is_prompt(uri, document.language_id):
        server.typing.open_prompt(uri, session_of(uri) or server.session_id, text)
        return
    server.typing.open(uri, server.session_id, text)
    if (path := path_of(uri)) is not None:
        server.engine.open_document(path)
    _tell(server, uri)


def _did_change(server: Sidecar, params: lsp.DidChangeTextDocumentParams) -> None:
    document = server.documents.find(params.text_document.uri)
    if document is None:
        return
    for change in params.content_changes:
        document.change(change)
    server.typing.change(document.uri, _words(document.source))
    _tell(server, document.uri)


def _did_save(server: Sidecar, params: lsp.DidSaveTextDocumentParams) -> None:
    if (document := server.documents.find(params.text_document.uri)) is not None:
        server.typing.save(document.uri)
    if (path := path_of(params.text_document.uri)) is not None:
        server.engine.check_soon([path])


def _did_close(server: Sidecar, params: lsp.DidCloseTextDocumentParams) -> None:
    document = server.documents.close(params.text_document.uri)
    if document is None:
        return
    server.typing.close(document.uri)
    if (path := path_of(document.uri)) is not None:
        server.engine.close_document(path)
    _tell(server, document.uri)


def _tell(server: Sidecar, uri: str) -> None:
    """Say that the text of a document below `.vouch/` is another one."""
    path = path_of(uri)
    if path is not None and KB_DIRNAME in path.parts:
        server.engine.changed.bump()


def _words(source: str) -> str:
    """A text without inserted blocks, and without the blank place of one at its end."""
    text = without_blocks(source)
    return text if text == source else text.rstrip()
