"""Lines, positions and edits as LSP defines them."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp
from vouch_sidecar.surfaces.lsp.documents import EditorDocument, well_formed
from vouch_sidecar.surfaces.lsp.pygls_fixes import EditorDocuments

ENCODINGS = ["utf-8", "utf-16", "utf-32"]
WIDTHS = {"utf-8": 4, "utf-16": 2, "utf-32": 1}


def document(text: str, encoding: str = "utf-16") -> EditorDocument:
    return EditorDocument("file:///a.txt", text, encoding)


def at(line: int, character: int) -> lsp.Position:
    return lsp.Position(line, character)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_positions_count_the_units_agreed_on(encoding: str) -> None:
    one = document("x\n😀 jwt\n", encoding)
    width = WIDTHS[encoding]
    assert one.offset_at(at(1, width + 1)) == 4
    assert one.range_of(4, 7) == lsp.Range(at(1, width + 1), at(1, width + 4))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_only_three_line_ends_count(end: str) -> None:
    one = document(f"a\u2028b\x0cc\x85d{end}jwt{end}")
    offset = one.offset_at(at(1, 0))
    assert offset is not None
    assert one.source[offset:].startswith("jwt")
    assert one.offset_at(at(2, 0)) == len(one.source)
    assert one.offset_at(at(3, 0)) is None


def test_a_position_beyond_its_line_is_at_its_end() -> None:
    one = document("ab\ncd")
    assert one.offset_at(at(0, 99)) == 2
    assert one.offset_at(at(1, 99)) == 5


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
