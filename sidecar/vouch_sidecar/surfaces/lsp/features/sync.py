"""Follows open documents: prompts, edited paragraphs, and files under `.vouch/`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lsprotocol import types as lsp

from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.retrieval.blocks.block import without_blocks
from vouch_sidecar.surfaces.lsp.features.reactions import opened
from vouch_sidecar.surfaces.lsp.half_typed import changed_part, ends_in_word, is_half_typed
from vouch_sidecar.surfaces.lsp.idle import Idle
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
    """A word that is being typed, or a paste that ends in one: the document's text before it, the
    text up to which its paragraphs are followed, and the edited line.
    """

    base: str
    followed: str
    line: int
    texts: dict[str, str] = field(default_factory=dict)
    """The edited paragraphs, by slot."""
    also: dict[str, list[str]] = field(default_factory=dict)
    """By slot, the paragraph before the word, and its observed texts since."""


class Sync:
    """Keeps the last text of every open document, without inserted blocks, to find what changed."""

    def __init__(self, server: Sidecar) -> None:
        self._server = server
        self._seen: dict[str, str] = {}
        self._paragraphs: dict[str, Paragraphs] = {}
        self._typed: dict[str, _Typed] = {}
        self._idle = Idle(server.idle_seconds, self._pause)
        self._settled: dict[str, dict[str, str]] = {}
        """By document and slot, the text when its last word had ended."""
        server.before_asking.append(self.preview)
        server.before_submitting.append(self.flush)

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
            self._server.disk_follower.check_soon([anchored(path)])

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
        text = self._seen[item.uri] = without_blocks(document.source)
        if is_prompt(item.uri, item.language_id):
            session_id = session_of(item.uri) or self._server.session_id
            self._server.prompts.open(item.uri, session_id, _words(text, document.source))
        elif (path := path_of(item.uri)) is not None:
            self._server.serve_above(path)
            opened(self._server, path)
            self._tell(item.uri)

    def _changed(self, uri: str) -> None:
        document = self._server.documents.find(uri)
        if document is None or uri not in self._seen:
            return
        before, text = self._seen[uri], without_blocks(document.source)
        self._seen[uri] = text
        if uri in self._server.prompts:
            self._server.prompts.type(uri, _words(text, document.source))
            return
        self._tell(uri)
        self._edited(uri, text, before)

    def _edited(self, uri: str, text: str, before: str) -> None:
        """Observe the edited paragraphs: at once if the edit ends a word, else after a pause, as a
        half-typed word may be another word.
        """
        for other in self._typed.keys() - {uri}:
            self._finish(other)
        start, end = changed_part(before, text)
        line, in_word = _line_of(text, start), ends_in_word(text, end)
        typed = self._typed.get(uri)
        goes_on = typed is not None and is_half_typed(typed.base, text)
        if typed is not None and not goes_on and (in_word or line != typed.line):
            self._finish(uri, before)
            typed = None
        if typed is None:
            typed = _Typed(before, before, line)
        self._typed[uri] = typed
        if in_word:
            self._idle.wait(uri)
        else:
            self._finish(uri)

    def preview(self) -> None:
        """Let half-typed edits count for those who ask, because an answer must reflect all earlier
        messages.
        """
        for uri, typed in self._typed.items():
            if uri in self._idle:
                for slot, text, also in self._followed(uri, typed):
                    self._server.engine.preview(self._server.session_id, slot, text, also=also)

    def flush(self) -> None:
        """Observe all edits at once."""
        for uri in list(self._typed):
            self._finish(uri)

    def _pause(self, uri: str) -> None:
        """Observe a half-typed word. What was named before it stays until it is ended."""
        typed = self._typed[uri]
        if not is_half_typed(typed.base, self._seen[uri]):
            self._finish(uri)
            return
        for slot, text, also in self._followed(uri, typed):
            self._server.engine.observe(self._server.session_id, slot, text, also=also)
            typed.also[slot] = [*also, text]

    def _followed(self, uri: str, typed: _Typed) -> list[tuple[str, str, list[str]]]:
        """The slot and text of each paragraph edited since the word was begun, and its texts that
        count as well.
        """
        source = self._seen[uri]
        self._follow(uri, typed, source)
        if not is_half_typed(typed.base, source):
            return [(slot, text, []) for slot, text in typed.texts.items()]
        settled = self._settled.get(uri, {})
        return [
            (slot, text, typed.also.get(slot) or [settled.get(slot, "")])
            for slot, text in typed.texts.items()
        ]

    def _follow(self, uri: str, typed: _Typed, source: str) -> None:
        """Find the paragraphs that were edited since the last call."""
        paragraphs = self._paragraphs.setdefault(uri, Paragraphs())
        for number, text in paragraphs.edit(typed.followed, source):
            slot = f"{self._server.connection}/{uri}#{number}"
            typed.texts.pop(slot, None)
            typed.texts[slot] = text
        typed.followed = source

    def _finish(self, uri: str, source: str | None = None) -> None:
        """Observe what was typed into a document, up to `source` or its last text, as ended."""
        typed = self._typed.pop(uri, None)
        if typed is None:
            return
        self._idle.stop(uri)
        self._follow(uri, typed, source or self._seen.get(uri, ""))
        for slot, text in typed.texts.items():
            self._server.engine.observe(self._server.session_id, slot, text)
        self._settled.setdefault(uri, {}).update(typed.texts)

    def _closed(self, documents: Iterable[lsp.TextDocumentIdentifier]) -> None:
        for uri in (document.uri for document in documents):
            if uri in self._server.prompts:
                self._server.prompts.close(uri)
            elif uri in self._seen:
                self._tell(uri)
            self._finish(uri)
            self._seen.pop(uri, None)
            self._paragraphs.pop(uri, None)
            self._settled.pop(uri, None)

    def _tell(self, uri: str) -> None:
        """Call those who follow the texts of documents below `.vouch/`."""
        path = path_of(uri)
        if path is not None and KB_DIRNAME in path.parts:
            self._server.engine.call(self._server.on_text)


def _words(text: str, source: str) -> str:
    """A prompt without the blank place of a block at its end."""
    return text if text == source else text.rstrip()


def _line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at)
