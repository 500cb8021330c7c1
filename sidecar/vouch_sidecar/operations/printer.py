"""Prints results for people in a shell: lines and tables as wide as the terminal.

In a pipe, a row is one line of uncut values separated by tabs, for `cut` and `grep`. On a terminal,
ids are never cut or wrapped, so that they can be copied; cut texts end with an ellipsis.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Literal
from urllib.parse import unquote, urlsplit

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from vouch_sidecar.kb.sanitize import clip, one_line, printable

CELL_CHARS = 300
"""Characters that a terminal shows of a text in a list."""
ColumnKind = Literal["key", "whole", "number", "short", "text", "ids"]
"""The kind of values in a table column: the ids of the rows, values that never wrap, numbers, names
or words, long texts, or lists of ids.
"""
WRAPPED: Mapping[ColumnKind, int] = {"short": 12, "text": 24}
"""The kinds that wrap, with the least width in terminal columns."""
GAP = 2
"""Terminal columns between two table columns."""
INDENT = "  "
SHA256_HEX = re.compile(r"[0-9a-f]{64}")
SHORT_HASH = 12

Part = str | tuple[str, str]
"""A text, or a text and its rich style."""


class Printer:
    """Prints to standard output, and to standard error what there is nothing of. `header`: in a
    pipe, tables begin with the columns' names.
    """

    def __init__(self, *, header: bool = False) -> None:
        self.on_terminal = sys.stdout.isatty()
        self.console = Console(highlight=False)
        self._header = header

    def line(self, *parts: Part) -> None:
        """On a terminal, print a line that wraps between words."""
        if self.on_terminal:
            self.console.print(*(_text(p) if isinstance(p, str) else _text(*p) for p in parts))

    def uncut(self, *parts: Part) -> None:
        """On a terminal, print a line without wrapping, so that it can be copied or clicked."""
        if self.on_terminal:
            texts = (_text(p) if isinstance(p, str) else _text(*p) for p in parts)
            self.console.print(*texts, soft_wrap=True)

    def record(self, *values: object) -> None:
        """In a pipe, print a row."""
        if not self.on_terminal:
            sys.stdout.write("\t".join(map(_cell, values)) + "\n")

    def block(self, text: str) -> None:
        """Print a text unchanged."""
        sys.stdout.write(f"{text}\n")

    def space(self) -> None:
        """On a terminal, print an empty line."""
        if self.on_terminal:
            self.console.print()

    def nothing(self, message: str) -> None:
        """Say on standard error what there is nothing of."""
        sys.stderr.write(f"{one_line(message)}\n")

    def clipped(self, text: str) -> str:
        """At most `CELL_CHARS` characters of a text, on one line."""
        return clip(one_line(text), CELL_CHARS)

    def marked(self, text: str, mark: str | None) -> str:
        """A text with a mark in brackets behind it, for a list; on a terminal, the text is cut so
        that the mark is seen.
        """
        if not mark:
            return text
        behind = f" ({one_line(mark)})"
        return (clip(text, CELL_CHARS - len(behind)) if self.on_terminal else text) + behind

    def artifact_id(self, artifact_id: str) -> str:
        """An id; on a terminal, a hash is shortened."""
        short = self.on_terminal and SHA256_HEX.fullmatch(artifact_id)
        return f"{artifact_id[:SHORT_HASH]}…" if short else artifact_id

    def file(self, uri: str) -> str:
        """The path of a file URI, relative to the working folder."""
        path = unquote(urlsplit(uri).path, errors="surrogateescape")
        return printable(os.path.relpath(path))

    def table(
        self, columns: Mapping[str, ColumnKind], rows: Iterable[Sequence[object]], section: str = ""
    ) -> None:
        """Print rows, if there are any; on a terminal under headings. In a pipe, `section` is the
        first value of each row, to tell several tables apart.
        """
        if self.on_terminal:
            if rows := list(rows):
                _Grid(self, columns, rows).show()
            return
        for row in chain([columns] if self._header else [], rows):
            self.record(*([section] if section else []), *row)

    def show(self, what: RichTable | Text) -> None:
        """Print a table or a text; a text is never wrapped."""
        self.console.print(what, soft_wrap=isinstance(what, Text))

    @property
    def width(self) -> int:
        """Width of the terminal in columns."""
        return self.console.width


class _Grid:
    """A table on a terminal."""

    def __init__(
        self, page: Printer, columns: Mapping[str, ColumnKind], rows: Iterable[Sequence[object]]
    ) -> None:
        self._page = page
        self._headings = [*columns]
        self._kinds = [*columns.values()]
        self._rows = [
            [
                clip(_cell(value), CELL_CHARS) if kind in WRAPPED else _cell(value)
                for kind, value in zip(self._kinds, row, strict=True)
            ]
            for row in rows
        ]

    def show(self) -> None:
        """Print the table in the widest layout that fits."""
        if self._fits(len(self._kinds)):
            self._page.show(self._rich(self._rows))
        elif self._fits(len(self._kinds) - 1):
            self._show_last_below()
        else:
            for row in self._rows:
                self._page.show(Text(row[0], style="bold"))
                others = zip(self._headings[1:], row[1:], strict=True)
                self._show_below(" · ".join(f"{name} {cell}" for name, cell in others if cell))

    def _least(self, at: int) -> int:
        """The least width of a table column, in terminal columns."""
        kind, cells = self._kinds[at], [row[at] for row in self._rows]
        if kind == "ids":
            cells = [word for cell in cells for word in cell.split()]
        widest = max(map(cell_len, (self._headings[at], *cells)))
        return min(widest, WRAPPED.get(kind, widest))

    def _fits(self, columns: int) -> bool:
        """Whether the first `columns` columns fit beside each other."""
        return sum(self._least(at) + GAP for at in range(columns)) <= self._page.width

    def _show_last_below(self) -> None:
        """Print the last value of each row below the others."""
        heading = self._headings[-1]
        for number, row in enumerate(self._rows):
            self._page.show(self._rich([row[:-1]], header=number == 0))
            if row[-1]:
                self._show_below(row[-1] if heading == "text" else f"{heading}: {row[-1]}")

    def _show_below(self, text: str) -> None:
        ids = [len(word) for word in text.split() if word.isascii()]  # others may break anywhere
        room = max(self._page.width - len(INDENT), *ids, 1)
        for line in Text(text).wrap(self._page.console, room):
            line.rstrip()
            self._page.show(Text(INDENT, style="dim") + line)

    def _rich(self, rows: Sequence[Sequence[str]], header: bool = True) -> RichTable:
        """A table of these rows; a part of all rows gets fixed widths, so that the parts align."""
        table = RichTable(
            box=SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, 1, 0, 0),
            header_style="bold",
            border_style="dim",
            show_header=header,
        )
        for at, kind in enumerate(self._kinds[: len(rows[0])]):
            table.add_column(
                self._headings[at],
                style="bold" if kind == "key" else "",
                justify="right" if kind == "number" else "left",
                no_wrap=kind not in WRAPPED and kind != "ids",
                min_width=self._least(at),
                width=None if rows is self._rows else self._least(at),
                overflow="fold",
            )
        for row in rows:
            table.add_row(*map(Text, row))
        return table


def _text(words: str, style: str = "") -> Text:
    """A text that rich does not read as markup, without control sequences."""
    return Text(one_line(words), style=style)


def _cell(value: object) -> str:
    return "" if value is None else one_line(str(value))
