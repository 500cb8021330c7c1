"""Follows what the client tells: open documents, which are prompts, edited texts or files under
`.vouch/`; saved files; workspace folders and settings. Files are watched here; a client is not
asked to.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

from lsprotocol import types as lsp

from vouch_sidecar.kb.settings import CLIENT
from vouch_sidecar.surfaces.lsp.documents import Document, path_of
from vouch_sidecar.surfaces.lsp.server import Sidecar


def did_open(server: Sidecar, params: lsp.DidOpenTextDocumentParams) -> None:
    item = params.text_document
    encoding, session_id = server.workspace.position_encoding, server.session_id
    document = Document(item.uri, item.text, encoding, item.language_id, session_id)
    if (before := server.document(item.uri)) is not None:  # that was never closed
        server.typing.observe(before, is_final=True)
    server.documents[unquote(item.uri)] = document
    if document.is_prompt:
        server.typing.change()
    if document.path is not None:
        server.engine.registry.open_document(document.path)
    _tell(server, document)


def did_change(server: Sidecar, params: lsp.DidChangeTextDocumentParams) -> None:
    if (document := server.document(params.text_document.uri)) is not None:
        for change in params.content_changes:
            document.change(change)
        server.typing.change()
        _tell(server, document)


def did_save(server: Sidecar, params: lsp.DidSaveTextDocumentParams) -> None:
    uri = params.text_document.uri
    if (document := server.document(uri)) is not None:
        server.typing.observe(document, is_final=True)
    if (path := path_of(uri)) is not None:
        server.engine.check_soon([path])


def did_close(server: Sidecar, params: lsp.DidCloseTextDocumentParams) -> None:
    document = server.documents.pop(unquote(params.text_document.uri), None)
    if document is not None:
        server.typing.observe(document, is_final=True)
        if document.path is not None:
            server.engine.registry.close_document(document.path)
        _tell(server, document)


def _tell(server: Sidecar, document: Document) -> None:
    """Say that the text of a document below `.vouch/` is another one."""
    if document.is_below_vouch:
        server.engine.tellable.bump()


def did_configure(server: Sidecar, params: lsp.DidChangeConfigurationParams) -> None:
    """Apply our section of the settings that the client sent, if they have it."""
    if isinstance(params.settings, Mapping) and CLIENT in params.settings:
        own = params.settings[CLIENT]
        server.engine.registry.configure(own if isinstance(own, Mapping) else {})


def did_change_folders(server: Sidecar, _: lsp.DidChangeWorkspaceFoldersParams) -> None:
    server.engine.registry.set_folders(server.folders)
