"""What people read in a shell: lines and tables as wide as the terminal.

In a pipe a row is a line of values between tabs, whole, for `cut` and `grep`. On a terminal ids are
never cut nor wrapped, so that they can be copied, and every cut is marked by an ellipsis. Importing
this imports rich: operations get a page.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TextIO
from urllib.parse import unquote, urlsplit

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from vouch_sidecar.kb.plain import clip, one_line, printable

__all__ = ["Look", "Page", "Table"]

TEXT = 300
"""Characters of a text that a terminal shows, where it is not what was asked for."""
LEAST = 12
"""Columns of a terminal that a name needs to wrap well; a text needs twice as many."""
GAP = 2
"""Columns between two columns of a table."""
INDENT = "  "
HASH = re.compile(r"[0-9a-f]{64}")
SHORT_HASH = 12

Part = str | tuple[str, str]
"""Words, or words with a style of rich."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a caller wants to read, and from which folder."""

    on_terminal: bool = False
    width: int | None = None
    header: bool = False
    explain: bool = False
    folder: str = ""


class Page:
    """Standard output and standard error, or files that hold what another process prints there."""

    def __init__(self, look: Look, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.look = look
        self._out = out or sys.stdout
        self._errors = err or sys.stderr
        if out is None:
            self.console = Console(highlight=False)
        else:
            self.console = Console(
                file=out,
                width=look.width,
                height=0,  # else a dumb terminal of this process's decides on the width
                highlight=False,
                force_terminal=look.on_terminal,
                color_system="standard" if look.on_terminal else None,
                no_color=False,
            )

    @property
    def on_terminal(self) -> bool:
        return self.look.on_terminal

    def line(self, *parts: Part) -> None:
        """Print words on a line of a terminal, which breaks between them."""
        if self.on_terminal:
            self.console.print(*(_text(p) if isinstance(p, str) else _text(*p) for p in parts))

    def uncut(self, *parts: Part) -> None:
        """The same, on one line however long it is, so that all of it can be copied or clicked."""
        if self.on_terminal:
            texts = (_text(p) if isinstance(p, str) else _text(*p) for p in parts)
            self.console.print(*texts, soft_wrap=True)

    def record(self, *values: object) -> None:
        """Print a row in a pipe."""
        if not self.on_terminal:
            self._out.write("\t".join(map(_cell, values)) + "\n")

    def block(self, text: str) -> None:
        """Print lines as they are."""
        self._out.write(f"{text}\n")

    def space(self) -> None:
        """Print an empty line on a terminal."""
        if self.on_terminal:
            self.console.print()

    def nothing(self, message: str) -> None:
        """Say on standard error that there is nothing to show."""
        self._errors.write(f"{one_line(message)}\n")

    def clipped(self, text: str) -> str:
        """The beginning of a text."""
        return clip(one_line(text), TEXT)

    def artifact_id(self, artifact_id: str) -> str:
        """An id; of a hash, which nobody reads, the beginning on a terminal."""
        short = self.on_terminal and HASH.fullmatch(artifact_id)
        return f"{artifact_id[:SHORT_HASH]}…" if short else artifact_id

    def file(self, uri: str) -> str:
        """The path of a file from the folder that is asked from."""
        path = unquote(urlsplit(uri).path, errors="surrogateescape")
        return printable(os.path.relpath(path, self.look.folder or None))

    def table(self, section: str = "") -> Table:
        """An empty table. `section` is what its rows begin with in a pipe, where rows of other
        tables are printed as well.
        """
        return Table(self, section)

    def show(self, what: RichTable | Text) -> None:
        """Print something of rich's; a text on one line, however long it is."""
        self.console.print(what, soft_wrap=isinstance(what, Text))

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return self.console.width


@dataclass(frozen=True, slots=True)
class Column:
    """`wraps`: between which its values may go on on the next line, and from how many columns of
    the terminal on.
    """

    heading: str
    wraps: Literal["nowhere", "words", "ids"] = "nowhere"
    least: int = 0
    number: bool = False
    style: str = ""


class Table:
    """Columns, then rows, then `show`."""

    def __init__(self, page: Page, section: str) -> None:
        self._page = page
        self._section = section
        self._columns: list[Column] = []
        self._rows: list[list[str]] = []

    def key(self, heading: str) -> None:
        """Add a column of the ids that name the rows."""
        self._columns.append(Column(heading, style="bold"))

    def whole(self, heading: str) -> None:
        """Add a column of values that stay on their line."""
        self._columns.append(Column(heading))

    def number(self, heading: str) -> None:
        """Add a column of numbers."""
        self._columns.append(Column(heading, number=True))

    def short(self, heading: str) -> None:
        """Add a column of names or words."""
        self._columns.append(Column(heading, "words", LEAST))

    def text(self, heading: str) -> None:
        """Add a column of texts that may be long."""
        self._columns.append(Column(heading, "words", 2 * LEAST))

    def ids(self, heading: str) -> None:
        """Add a column of lists of ids."""
        self._columns.append(Column(heading, "ids"))

    def row(self, *values: object) -> None:
        """Add one value a column."""
        cells = list(map(_cell, values))
        if self._page.on_terminal:
            named = zip(self._columns, cells, strict=True)
            cells = [clip(cell, TEXT) if c.wraps == "words" else cell for c, cell in named]
        self._rows.append(cells)

    def show(self) -> None:
        """Print it."""
        if not self._page.on_terminal:
            self._show_in_pipe()
        elif self._fits(len(self._columns)):
            self._page.show(self._rich(self._rows))
        elif self._fits(len(self._columns) - 1):
            self._show_last_below()
        else:
            for row in self._rows:
                self._page.show(Text(row[0], style="bold"))
                others = zip(self._columns[1:], row[1:], strict=True)
                self._show_below(" · ".join(f"{c.heading} {cell}" for c, cell in others if cell))

    def _show_in_pipe(self) -> None:
        section = [self._section] if self._section else []
        if self._page.look.header:
            self._page.record(*section, *(column.heading for column in self._columns))
        for row in self._rows:
            self._page.record(*section, *row)

    def _least(self, at: int) -> int:
        """The columns of a terminal that a column of the table needs."""
        column, cells = self._columns[at], [row[at] for row in self._rows]
        if column.wraps == "ids":
            cells = [word for cell in cells for word in cell.split()]
        widest = max(map(cell_len, (column.heading, *cells)))
        return min(widest, column.least) if column.wraps == "words" else widest

    def _fits(self, columns: int) -> bool:
        """Whether the terminal has room for so many columns of the table beside each other."""
        return sum(self._least(at) + GAP for at in range(columns)) <= self._page.width

    def _show_last_below(self) -> None:
        """Print the last value of each row below the others."""
        heading = self._columns[-1].heading
        for number, row in enumerate(self._rows):
            self._page.show(self._rich([row[:-1]], header=number == 0))
            if row[-1]:
                self._show_below(row[-1] if heading == "text" else f"{heading}: {row[-1]}")

    def _show_below(self, text: str) -> None:
        ids = [len(word) for word in text.split() if word.isascii()]  # others may be broken
        room = max(self._page.width - len(INDENT), *ids, 1)
        for line in Text(text).wrap(self._page.console, room):
            line.rstrip()
            self._page.show(Text(INDENT, style="dim") + line)

    def _rich(self, rows: Sequence[Sequence[str]], header: bool = True) -> RichTable:
        """A table of these rows; where they are some of all, its columns are as wide as theirs."""
        columns = self._columns[: len(rows[0])]
        table = RichTable(
            box=SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, 1, 0, 0),
            header_style="bold",
            border_style="dim",
            show_header=header,
        )
        for at, column in enumerate(columns):
            table.add_column(
                column.heading,
                style=column.style,
                justify="right" if column.number else "left",
                no_wrap=column.wraps == "nowhere",
                min_width=self._least(at),
                width=None if rows is self._rows else self._least(at),
                overflow="fold",
            )
        for row in rows:
            table.add_row(*map(Text, row))
        return table


def _text(words: str, style: str = "") -> Text:
    """Words as they are: whatever they hold, they are neither markup nor a control sequence."""
    return Text(one_line(words), style=style)


def _cell(value: object) -> str:
    return "" if value is None else one_line(str(value))
