"""Open documents, with lines as LSP defines them, positions in the client's encoding, and the
paragraphs that were changed last.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from lsprotocol import types as lsp

from vouch_sidecar.kb.discovery import is_in_kb
from vouch_sidecar.kb.paths import path_in
from vouch_sidecar.kb.yaml_document import LINE_END, line_starts
from vouch_sidecar.operations.open_document import PROMPT_DOCUMENT, OpenDocument
from vouch_sidecar.operations.wire import session_called
from vouch_sidecar.retrieval.blocks.block import without_blocks
from vouch_sidecar.surfaces.stdio import well_formed

MAX_LINES = 20
MAX_BEFORE = 14
"""Lines of a paragraph before the edited one."""
KEPT = 3


def document_key(uri: str) -> str:
    """What an open document is known by: clients do not escape a URI in the same way each time."""
    return unquote(uri)


def local_path(uri: str) -> Path | None:
    """The path of a file URI; None for other schemes and impossible paths."""
    path = path_in(uri)
    is_possible = "\0" not in path and path == well_formed(path) and Path(path).is_absolute()
    return Path(path) if is_possible else None


class Document(OpenDocument):
    """An open document. `session_id` is the client's, unless the URI of a prompt names another."""

    def __init__(
        self,
        uri: str,
        source: str,
        encoding: str | None,
        language_id: str = "",
        session_id: str = "",
    ) -> None:
        super().__init__(well_formed(source), lsp.PositionEncodingKind(encoding))
        self.uri, self.key = uri, document_key(uri)
        self.language_id = language_id
        self.path = local_path(uri)
        scheme, _, rest = uri.partition(":")
        self.is_prompt = PROMPT_DOCUMENT in (language_id, scheme)
        named = unquote(rest.lstrip("/").partition("/")[0]) if scheme == PROMPT_DOCUMENT else None
        self.session_id = session_called(named) or session_id
        self.observed = ("" if self.is_prompt else self.words, True)
        """The words that were observed last, and whether they were submitted."""
        self._paragraphs: dict[int, list[str]] = {}
        """Those that were changed last: their lines by number (0, 1 or 2), the newest last."""
        self.is_below_vouch = self.path is not None and is_in_kb(self.path)

    @property
    def words(self) -> str:
        """The text without inserted blocks, and without the blank place of one at its end."""
        text = without_blocks(self.source)
        return text if text == self.source else text.rstrip()

    def position_of(self, line: int, column: int) -> lsp.Position:
        """The position of a line and a column in characters, both from 0; at most the end."""
        starts = line_starts(self.source)
        at = starts[line] + column if line < len(starts) else len(self.source)
        return lsp.Position(*self.place_of(min(at, len(self.source))))

    def range_of(self, start: int, end: int) -> lsp.Range:
        """The LSP range between two offsets."""
        return lsp.Range(*(lsp.Position(*self.place_of(each)) for each in (start, end)))

    def change(self, change: lsp.TextDocumentContentChangeEvent) -> None:
        """Apply a change of a range, which we ask clients for, or of the whole text."""
        text = well_formed(change.text)
        if isinstance(change, lsp.TextDocumentContentChangePartial):
            ends = change.range.start, change.range.end
            start, end = (self.offset_at(at.line, at.character) for at in ends)
            text = self.source[:start] + text + self.source[max(start, end) :]
        self.source = text

    def edit(self, old: str, new: str) -> list[tuple[int, str]]:
        """The numbers and texts of the paragraphs that differ between two states of the text, at
        most three. A paragraph is the lines between two blank ones, at most `MAX_LINES`.

        Of one that lost lines the others are left. Blank and removed lines, and those that the text
        had already, begin none. One that is new takes the first number that is left of
        - one of which the text lacks a line,
        - one whose lines it has all,
        - none yet,
        - the one that was changed longest ago.
        """
        known, after = {*LINE_END.split(old)}, LINE_END.split(new)
        there, seen = {*after}, 0
        changed: list[list[str]] = []
        for at, line in enumerate(after):
            if at >= seen and line.strip() and line not in known:
                first, seen = _around(after, at)
                changed.append(after[first:seen])
        edited = {
            number: [line for line in lines if line in there]
            for number, lines in self._paragraphs.items()
            if not there.issuperset(lines)
        }
        taken: set[int] = set()
        for lines in changed[-KEPT:]:
            parts = [number for number, own in self._paragraphs.items() if {*own} <= {*lines}]
            unused = [number for number in range(KEPT) if number not in self._paragraphs]
            numbers = (*edited, *parts, *unused, *self._paragraphs)
            number = next(number for number in numbers if number not in taken)
            taken.add(number)
            for kept in (self._paragraphs, edited):  # the newest is the last
                kept.pop(number, None)
                kept[number] = lines
        self._paragraphs |= edited
        return [(number, "\n".join(lines)) for number, lines in edited.items()]


def _around(lines: list[str], at: int) -> tuple[int, int]:
    """Where the paragraph with line `at` begins, and where it has ended."""
    first, end = at, at + 1
    while first > max(0, at - MAX_BEFORE) and lines[first - 1].strip():
        first -= 1
    while end < min(len(lines), first + MAX_LINES) and lines[end].strip():
        end += 1
    return first, end
