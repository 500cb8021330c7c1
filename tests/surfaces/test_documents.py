"""Edits as LSP defines them; `test_positions` has the positions."""

from __future__ import annotations

from lsprotocol import types as lsp
from vouch_sidecar.surfaces.lsp.documents import EditorDocument, well_formed


def document(text: str) -> EditorDocument:
    return EditorDocument("file:///a.txt", text, "utf-16")


def at(line: int, character: int) -> lsp.Position:
    return lsp.Position(line, character)


def test_the_rest_of_a_line() -> None:
    assert document("a\nbcd\n").rest_of_line(1, 1) == lsp.Range(at(1, 1), at(1, 3))
    assert document("a\nbcd\n").rest_of_line(9, 9) == lsp.Range(at(2, 0), at(2, 0))


def test_lone_surrogates_are_replaced() -> None:
    assert well_formed("a\ud800b") == "a\ufffdb"
