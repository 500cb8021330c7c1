"""Edits as LSP defines them; `test_positions` has the positions."""

from __future__ import annotations

from lsprotocol import types as lsp
from vouch_sidecar.surfaces.lsp.documents import EditorDocument, well_formed
from vouch_sidecar.surfaces.lsp.pygls_fixes import EditorDocuments


def document(text: str) -> EditorDocument:
    return EditorDocument("file:///a.txt", text, "utf-16")


def at(line: int, character: int) -> lsp.Position:
    return lsp.Position(line, character)


def test_the_rest_of_a_line() -> None:
    assert document("a\nbcd\n").rest_of_line(1, 1) == lsp.Range(at(1, 1), at(1, 3))
    assert document("a\nbcd\n").rest_of_line(9, 9) == lsp.Range(at(2, 0), at(2, 0))


def test_ranges_and_whole_texts_are_understood() -> None:
    one = document("a\r\n😀b\u2028c\r\n")
    place = lsp.Range(at(1, 2), at(1, 3))
    one.apply_change(lsp.TextDocumentContentChangePartial(text="X", range=place))
    one.apply_change(
        lsp.TextDocumentContentChangePartial(text="!", range=lsp.Range(at(9, 0), at(9, 9)))
    )
    assert one.source == "a\r\n😀X\u2028c\r\n!"
    one.apply_change(lsp.TextDocumentContentChangeWholeDocument(text="new"))
    assert one.source == "new"


def test_nothing_is_read_from_disk_for_a_document_that_is_not_open() -> None:
    documents = EditorDocuments(None)
    assert documents.find(__file__) is None
    assert documents.find(f"file://{__file__}") is None


def test_lone_surrogates_are_replaced() -> None:
    assert well_formed("a\ud800b") == "a\ufffdb"
