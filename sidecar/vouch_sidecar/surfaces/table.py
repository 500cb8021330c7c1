"""Tables for people: on a terminal as wide as it is, elsewhere a row a line, for `grep` and `cut`.

What names something is never wrapped nor cut, so that it can be copied.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from vouch_sidecar.surfaces.plain import clip, one_line

__all__ = ["TEXT", "Column", "Row", "on_terminal", "show"]

TEXT = 300
"""Characters of a text that are shown, where it is not what was asked for."""
LABEL = 40
"""Columns of a name or a title."""
PAD, PAD_IN_PIPES = 48, 64
"""Columns that the others leave to an id; a longer one pushes its own row."""
GAP = "  "


@dataclass(frozen=True, slots=True)
class Column:
    """`leave` says how soon the column is left out where there is no room, the largest first;
    0: never. `whole`: its values are never cut.
    """

    heading: str
    leave: int = 0
    number: bool = False
    whole: bool = False
    style: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One value a column, and a text that may be long."""

    values: Sequence[object]
    note: str = ""


def on_terminal() -> bool:
    """Whether a person is likely to look at the lines as they are printed."""
    return sys.stdout.isatty()


def show(
    console: Console,
    columns: Sequence[Column],
    rows: Iterable[Row],
    note: str = "",
    ids: bool = False,
) -> None:
    """Print rows below the headings of the columns; `note` is the heading of their texts, which
    stand below their rows where they do not fit beside them. `ids`: they are ids, not cut.
    """
    table = _Table(columns, list(rows), note, ids)
    if on_terminal():
        table.fit(console.width)
    table.show(console)


class _Table:
    def __init__(
        self, columns: Sequence[Column], rows: Sequence[Row], note: str, ids: bool
    ) -> None:
        self.columns = list(columns)
        self.cells = [[_cell(*pair) for pair in zip(columns, r.values, strict=True)] for r in rows]
        self.notes = [r.note if ids else clip(one_line(r.note), TEXT) for r in rows]
        self.note = note
        self.ids = ids
        self.pad = PAD_IN_PIPES
        self.below = 0
        """Columns that the texts have below their rows; 0: they stand beside them."""

    def fit(self, width: int) -> None:
        """Leave out what there is no room for."""
        self.pad = PAD
        if self.note and self._width(notes=True) > width:
            self.below = width
        while self._width() > width and any(column.leave for column in self.columns):
            most = max(self.columns, key=lambda column: column.leave)
            self._drop(self.columns.index(most))

    def _drop(self, at: int) -> None:
        del self.columns[at]
        for row in self.cells:
            del row[at]

    def _widths(self) -> list[int]:
        heads = [cell_len(column.heading) for column in self.columns]
        for row in self.cells:
            heads = [
                max(most, min(cell_len(c), self.pad)) for most, c in zip(heads, row, strict=True)
            ]
        return heads

    def _width(self, notes: bool = False) -> int:
        width = sum(self._widths()) + len(GAP) * (len(self.columns) - 1)
        return width + len(GAP) + max(map(cell_len, (*self.notes, self.note))) if notes else width

    def show(self, console: Console) -> None:
        widths = self._widths()
        headings = [column.heading for column in self.columns]
        note = "" if self.below else self.note
        _print(console, self._line(headings, widths, note, lambda _: "bold"))
        if self.below:
            _print(console, Text(GAP + self.note, style="dim"))
        if on_terminal():
            width = self._width(notes=bool(note))
            console.print(Text("─" * min(console.width, width), style="dim"))
        for cells, text in zip(self.cells, self.notes, strict=True):
            beside = "" if self.below else text
            _print(console, self._line(cells, widths, beside, lambda column: column.style))
            if self.below and text:
                self._show_below(console, text)

    def _line(
        self,
        cells: Sequence[str],
        widths: Sequence[int],
        note: str,
        style: Callable[[Column], str],
    ) -> Text:
        line = Text()
        for at, (column, cell) in enumerate(zip(self.columns, cells, strict=True)):
            space = " " * (widths[at] - cell_len(cell))
            line.append(GAP if at else "")
            line.append(space + cell if column.number else cell + space, style=style(column))
        if note:
            line.append(GAP + note)
        line.rstrip()
        return line

    def _show_below(self, console: Console, text: str) -> None:
        room = max(self.below - len(GAP), 20)
        lines = _packed(text, room) if self.ids else Text(text).wrap(console, room, overflow="fold")
        for line in lines:
            line.rstrip()
            _print(console, Text(GAP) + line)


def _packed(text: str, room: int) -> Iterable[Text]:
    """Words in lines; one that is too long has a line of its own, whole."""
    line = ""
    for word in text.split():
        if line and cell_len(line) + 1 + cell_len(word) > room:
            yield Text(line)
            line = ""
        line = f"{line} {word}" if line else word
    yield Text(line)


def _cell(column: Column, value: object) -> str:
    text = "" if value is None else one_line(str(value))
    return text if column.whole or column.number else clip(text, LABEL)


def _print(console: Console, line: Text) -> None:
    console.print(line, soft_wrap=True)
