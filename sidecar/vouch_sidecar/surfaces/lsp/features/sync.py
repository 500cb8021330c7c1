"""Follows what the client tells: open documents, which are prompts, edited texts or files under
`.vouch/`; saved files; workspace folders and settings. Files are watched here; a client is not
asked to.

What is typed counts once it stands still, or when somebody asks. A prompt fills one slot of its
session, of another document the paragraphs that were changed last fill three.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from lsprotocol import types as lsp

from vouch_sidecar.engine.faults import Step
from vouch_sidecar.kb.settings import CLIENT
from vouch_sidecar.surfaces.lsp.documents import Document, document_key, local_path
from vouch_sidecar.surfaces.lsp.server import Sidecar

TAKE_IN = Step("What was typed could not be taken in")


def did_open(server: Sidecar, params: lsp.DidOpenTextDocumentParams) -> None:
    item = params.text_document
    encoding, session_id = server.workspace.position_encoding, server.caller.session_id or ""
    document = Document(item.uri, item.text, encoding, item.language_id, session_id)
    if (before := server.document(item.uri)) is not None:  # that was never closed
        observe(server, before, is_final=True)
    server.documents[document.key] = document
    if document.is_prompt:
        typed(server)
    if document.path is not None:
        server.engine.registry.open_document(document.path)
    _check_again(server, document)


def did_change(server: Sidecar, params: lsp.DidChangeTextDocumentParams) -> None:
    if (document := server.document(params.text_document.uri)) is not None:
        for change in params.content_changes:
            document.change(change)
        typed(server)
        _check_again(server, document)


def did_save(server: Sidecar, params: lsp.DidSaveTextDocumentParams) -> None:
    uri = params.text_document.uri
    if (document := server.document(uri)) is not None:
        observe(server, document, is_final=True)
    if (path := local_path(uri)) is not None:
        server.engine.look_soon([path])


def did_close(server: Sidecar, params: lsp.DidCloseTextDocumentParams) -> None:
    document = server.documents.pop(document_key(params.text_document.uri), None)
    if document is not None:
        observe(server, document, is_final=True)
        if document.path is not None:
            server.engine.registry.close_document(document.path)
        _check_again(server, document)


def typed(server: Sidecar) -> None:
    """A document has a new text, which counts once nothing more is typed."""
    if server.timer is not None:
        server.timer.cancel()
    registry = server.engine.registry
    served = [collection.settings for collection in registry.collections.values()]
    idle_ms = min(settings.prompts.idle_ms for settings in served or [registry.settings])
    server.timer = asyncio.get_running_loop().call_later(idle_ms / 1000, observe_all, server)


def observe_all(server: Sidecar) -> None:
    """Observe all that was typed: an answer reflects every earlier message."""
    with server.engine.faults.contained(TAKE_IN):
        for document in server.documents.values():
            observe(server, document)


def observe(server: Sidecar, document: Document, *, is_final: bool = False) -> None:
    """Observe a document as it stands. What is typed into a prompt after a final text is another
    one.
    """
    text, (before, was_final) = document.words, document.observed
    if text == before and (was_final or not is_final):
        return
    document.observed = text, is_final
    session_id, key = document.session_id, document.key
    if document.is_prompt:
        server.engine.observe(session_id, key, text, final=is_final)
        return
    for number, paragraph in document.edit(before, text):
        server.engine.observe(session_id, f"{key}#{number}", paragraph)


def _check_again(server: Sidecar, document: Document) -> None:
    """Have the problems told anew where the text of a document below `.vouch/` is another one."""
    if document.is_below_vouch:
        server.engine.sessions.tellable.bump()


def did_configure(server: Sidecar, params: lsp.DidChangeConfigurationParams) -> None:
    """Apply our section of the settings that the client sent, if they have it."""
    if isinstance(params.settings, Mapping) and CLIENT in params.settings:
        own = params.settings[CLIENT]
        server.engine.registry.configure(own if isinstance(own, Mapping) else {})


def did_change_folders(server: Sidecar, _: lsp.DidChangeWorkspaceFoldersParams) -> None:
    server.engine.registry.set_folders(server.folders)
