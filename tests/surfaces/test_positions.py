"""Positions in documents of every kind, in every encoding, beside a short reference."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp
from vouch_sidecar.surfaces.lsp.documents import Document

WIDTHS = {
    "utf-8": lambda text: len(text.encode()),
    "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf-32": len,
}
TEXTS = st.text(alphabet="ab \n\ré\u2028\u0085\u000b😀\u0301字", max_size=40)
ENCODINGS = st.sampled_from(sorted(WIDTHS))


def lines(text: str) -> list[str]:
    """The lines with their ends, which are LF, CRLF and CR alone; the last one has none."""
    return re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)


def places(text: str, encoding: str) -> list[tuple[int, lsp.Position]]:
    """Every offset that is no middle of a CRLF, with its position."""
    found, start = [], 0
    for number, line in enumerate(lines(text)):
        said = line.rstrip("\r\n")
        for at in range(len(said) + 1):
            found.append((start + at, lsp.Position(number, WIDTHS[encoding](said[:at]))))
        start += len(line)
    return found


@given(TEXTS, TEXTS, ENCODINGS, st.data())
def test_positions_before_and_after_a_change_of_a_range(
    text: str, new: str, encoding: str, data: st.DataObject
) -> None:
    """Positions beyond a line are at its end."""
    document, known = Document("file:///a", text, encoding), places(text, encoding)
    for offset, position in known:
        assert document.offset_at(position) == offset
        assert document.range_of(offset, offset).start == position
    for offset, at in {position.line: (offset, position) for offset, position in known}.values():
        assert document.offset_at(lsp.Position(at.line, at.character + 7)) == offset
    assert document.offset_at(lsp.Position(len(lines(text)), 0)) == len(text)
    one, other = sorted(data.draw(st.integers(0, len(known) - 1)) for _ in range(2))
    (start, first), (end, last) = known[one], known[other]
    document.change(lsp.TextDocumentContentChangePartial(text=new, range=lsp.Range(first, last)))
    changed = text[:start] + new + text[end:]
    assert document.source == changed
    assert document.range_of(0, len(changed)).end == places(changed, encoding)[-1][1]
