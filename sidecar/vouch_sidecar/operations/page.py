"""What people read in a shell: lines and tables, in colour and as wide as the terminal is.

Where nobody looks at it, a row is a line, for `grep` and `cut`. What names something is never
wrapped nor cut, so that it can be copied. Importing this imports rich: operations get a page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table as RichTable
from rich.text import Text

from vouch_sidecar.kb.plain import clip, one_line

__all__ = ["Page", "Table"]

TEXT = 300
"""Characters of a text that are shown, where it is not what was asked for."""
LABEL = 40
"""Columns of a name or a title."""
PAD = 64
"""In a pipe, columns that the others leave to an id; a longer one pushes its own row."""
GAP = "  "
LEAST_TEXT = 20
"""Columns of a text below its row, however narrow the terminal is."""
HASH = re.compile(r"[0-9a-f]{64}")
SHORT_HASH = 12

Part = str | tuple[str, str]
"""Words, or words with a style of rich."""


class Page:
    """Standard output, or a file that holds what another process prints there."""

    def __init__(
        self, file: TextIO | None = None, width: int | None = None, *, on_terminal: bool = False
    ) -> None:
        if file is None:
            self.console = Console(highlight=False)
            self.on_terminal = sys.stdout.isatty()
        else:
            self.console = Console(
                file=file,
                width=width,
                height=0,  # else a dumb terminal of this process's decides on the width
                highlight=False,
                force_terminal=on_terminal,
                color_system="standard" if on_terminal else None,
                no_color=False,
            )
            self.on_terminal = on_terminal

    def line(self, *parts: Part, whole: bool = False) -> None:
        """Print a line. On a terminal it breaks at words unless it is `whole`, elsewhere never."""
        texts = [_text(p) if isinstance(p, str) else _text(*p) for p in parts]
        self.console.print(*texts, soft_wrap=whole or not self.on_terminal)

    def block(self, text: str) -> None:
        """Print lines as they are."""
        self.console.print(Text(text), soft_wrap=True)

    def space(self) -> None:
        """Print an empty line."""
        self.console.print()

    def nothing(self, message: str) -> None:
        """Say that there is nothing to show."""
        self.console.print(Text(message, style="dim"))

    def clipped(self, text: str) -> str:
        """The beginning of a text."""
        return clip(text, TEXT)

    def artifact_id(self, artifact_id: str) -> str:
        """An id; a hash, which nobody reads, is cut on a terminal, as git does."""
        short = self.on_terminal and HASH.fullmatch(artifact_id)
        return artifact_id[:SHORT_HASH] if short else artifact_id

    def table(self, note: str = "", ids: bool = False) -> Table:
        """An empty table. `note` is the heading of texts that stand beside their rows, or below
        them where the terminal has no room; `ids`: they are ids, not cut.
        """
        return Table(self, note, ids)


@dataclass(frozen=True, slots=True)
class Column:
    """`leave` says how soon the column is left out where there is no room, the largest first;
    0: never. `whole`: its values are never cut.
    """

    heading: str
    leave: int
    number: bool
    whole: bool
    style: str


class Table:
    """Columns, then rows, then `show`."""

    def __init__(self, page: Page, note: str, ids: bool) -> None:
        self._page = page
        self._note = note
        self._ids = ids
        self._columns: list[Column] = []
        self._rows: list[list[str]] = []
        self._notes: list[str] = []

    def column(
        self, heading: str, leave: int = 0, *, number: bool = False, whole: bool = False
    ) -> None:
        """Add a column of short values."""
        self._columns.append(Column(heading, leave, number, whole, ""))

    def key(self, heading: str) -> None:
        """Add a column of the ids that name the rows: shown whole, and never left out."""
        self._columns.append(Column(heading, 0, False, True, "bold"))

    def row(self, *values: object, note: str = "") -> None:
        """Add one value a column, and a text that may be long."""
        self._rows.append([_cell(*pair) for pair in zip(self._columns, values, strict=True)])
        self._notes.append(note if self._ids else clip(one_line(note), TEXT))

    def show(self) -> None:
        """Print it."""
        for line in self._on_terminal() if self._page.on_terminal else self._in_pipe():
            line.rstrip()
            self._page.console.print(line, soft_wrap=True)

    def _on_terminal(self) -> Iterator[Text]:
        """Every row is one line of a rich table; texts without room beside it stand below it."""
        console, width = self._page.console, self._page.console.width
        kept = list(range(len(self._columns)))
        beside = bool(self._note) and self._width(kept, True) <= width
        below = bool(self._note) and not beside
        while self._width(kept, beside) > width:
            soonest = max(kept, key=lambda at: self._columns[at].leave)
            if not self._columns[soonest].leave:
                break
            kept.remove(soonest)
        whole = console.options.update_width(self._width(kept, beside))
        rendered = console.render_lines(self._rich(kept, beside), whole, pad=False)
        heading, rule, *rows = (
            Text.assemble(*((part.text, part.style or "") for part in line)) for line in rendered
        )
        rule.truncate(width)
        yield heading
        if below:
            yield Text(GAP + self._note, style="dim")
        yield rule
        room = max(width - len(GAP), LEAST_TEXT)
        for row, note in zip(rows, self._notes, strict=True):
            yield row
            if below and note:
                least = max(map(cell_len, note.split())) if self._ids else 0
                for line in Text(note).wrap(console, max(room, least)):
                    line.rstrip()
                    yield Text(GAP) + line

    def _width(self, kept: Sequence[int], beside: bool) -> int:
        """Columns of the terminal that nothing has to be cut for."""
        console = self._page.console
        endless = console.options.update_width(sys.maxsize)
        return console.measure(self._rich(kept, beside), options=endless).maximum

    def _rich(self, kept: Sequence[int], beside: bool) -> RichTable:
        table = RichTable(
            box=SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, 1, 0, 0),
            header_style="bold",
            border_style="dim",
        )
        for column in (self._columns[at] for at in kept):
            justify: JustifyMethod = "right" if column.number else "left"
            table.add_column(column.heading, style=column.style, justify=justify, no_wrap=True)
        if beside:
            table.add_column(self._note, no_wrap=True)
        for cells, note in zip(self._rows, self._notes, strict=True):
            table.add_row(*(Text(cells[at]) for at in kept), *([Text(note)] if beside else []))
        return table

    def _in_pipe(self) -> Iterator[Text]:
        rows = [[column.heading for column in self._columns], *self._rows]
        widths = [
            max(cell_len(heading), *(min(cell_len(cell), PAD) for cell in cells))
            for heading, *cells in zip(*rows, strict=True)
        ]
        for cells, note in zip(rows, [self._note, *self._notes], strict=True):
            line = ""
            for column, cell, width in zip(self._columns, cells, widths, strict=True):
                space = " " * (width - cell_len(cell))
                line += (space + cell if column.number else cell + space) + GAP
            yield Text(line + note)


def _text(words: str, style: str = "") -> Text:
    """Words as they are: whatever they hold, they are neither markup nor a control sequence."""
    return Text(one_line(words), style=style)


def _cell(column: Column, value: object) -> str:
    text = "" if value is None else one_line(str(value))
    return text if column.whole or column.number else clip(text, LABEL)
