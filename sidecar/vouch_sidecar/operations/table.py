"""What is shown of a result: lines and tables, printed for a terminal, a pipe or a model.

In a pipe, a row is one line of uncut values separated by tabs, for `cut` and `grep`. On a terminal,
ids are never cut or wrapped, so that they can be copied. A model reads the first rows.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from vouch_sidecar.kb.sanitize import clip, one_line, printable
from vouch_sidecar.retrieval.blocks.block import safe

CELL_CHARS = 300
"""Characters of a text in a list, where it is not a pipe."""
MODEL_ROWS = 10
GAP = 2
SHORT_HASH = 12
SHA256_HEX = re.compile(r"[0-9a-f]{64}")
ColumnKind = Literal["key", "whole", "number", "short", "text", "ids"]
"""The kind of values in a column: the ids of the rows, values that never wrap, numbers, names or
words, long texts, or lists of ids.
"""
WRAPPED: Mapping[ColumnKind, int] = {"short": 12, "text": 24}
"""The kinds that wrap, with the least width in terminal columns."""
Reader = Literal["all", "people", "terminal", "pipe", "model"]
"""Whom a part is for; people read a terminal or a pipe."""


class Marked(NamedTuple):
    """A text with a mark in brackets behind it, which is never cut."""

    text: str
    mark: str | None


class File(str):
    """The URI of a file, shown as its path from the working folder; to a model from `.vouch/`."""


@dataclass(frozen=True, slots=True)
class Line:
    """Words on a line, which a pipe does not have; it has the `record` instead, if there is one.
    `aside`: what is not found or left out, which goes to standard error.
    """

    text: str = ""
    style: str = ""
    record: Sequence[object] = ()
    aside: bool = False
    to: Reader = "all"
    whole: bool = False
    """Whether a terminal does not wrap it, so that it can be copied or clicked."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings. In a pipe, `section` is the first value of each row, to tell several
    tables apart.
    """

    columns: Mapping[str, ColumnKind]
    rows: Sequence[Sequence[object]]
    section: str = ""
    to: Reader = "all"


@dataclass(frozen=True, slots=True)
class Block:
    """A text that is printed as it is: it is safe, and may have several lines."""

    text: str


Shown = Line | Table | Block


def show(shown: Iterable[Shown], *, header: bool = False) -> None:
    """Print to standard output, as a terminal or a pipe needs it. `header`: in a pipe, tables begin
    with the columns' names.
    """
    console = Console(highlight=False) if sys.stdout.isatty() else None
    is_first = True
    for part in shown:
        if isinstance(part, Block):
            sys.stdout.write(f"{part.text}\n")
        elif part.to in ("model", "terminal" if console is None else "pipe"):
            continue
        elif isinstance(part, Line):
            _show_line(part, console)
        elif not part.rows:
            continue
        elif console is not None:
            if not is_first:
                console.print()
            _show_table(part, console)
        else:
            for row in chain([part.columns] if header else [], part.rows):
                _record([*([part.section] if part.section else []), *row])
        is_first = False


def for_model(shown: Iterable[Shown]) -> str:
    """The same for a model, each line of it safe."""
    lines: list[str] = []
    for part in shown:
        if isinstance(part, Block):
            lines.append(part.text)
        elif part.to not in ("all", "model"):
            continue
        elif isinstance(part, Line):
            lines += [safe(str(_for_model(part.text)))] if part.text else []
        else:
            lines += [f"- {safe(_row_for_model(part, row))}" for row in part.rows[:MODEL_ROWS]]
            more = len(part.rows) - MODEL_ROWS
            lines += [f"and {more} more"] if more > 0 else []
    return "\n".join(lines)


def _for_model(value: object) -> object:
    """A value; of a file its path, of one in a knowledge base from `.vouch/`."""
    if not isinstance(value, File):
        return value
    path = unquote(urlsplit(value).path)
    below = path.rpartition("/.vouch/")
    return f".vouch/{below[2]}" if below[1] else path


def _row_for_model(table: Table, row: Sequence[object]) -> str:
    parts: list[str] = []
    for (heading, kind), value in zip(table.columns.items(), row, strict=True):
        text = _clipped(_for_model(value))
        if text and text not in parts:
            parts.append(f"{heading} {text}" if kind in ("number", "ids") else text)
    return " · ".join(parts)


def _show_line(line: Line, console: Console | None) -> None:
    if line.aside:
        sys.stderr.write(f"{one_line(line.text)}\n")
    elif console is None:
        _record(line.record)
    elif line.text:
        words = Text(_path(line.text), style=line.style)
        console.print(words, soft_wrap=line.whole or isinstance(line.text, File))


def _record(values: Iterable[object]) -> None:
    if row := [_cell(value) for value in values]:
        sys.stdout.write("\t".join(row) + "\n")


def _show_table(table: Table, console: Console) -> None:
    """Print a table; where it is wider than the terminal, each row in lines of its own."""
    kinds = table.columns
    rows = [
        [
            _short(_clipped(v) if kind in WRAPPED else _cell(v))
            for v, kind in zip(row, kinds.values(), strict=True)
        ]
        for row in table.rows
    ]
    least = [
        _least(kind, [heading, *(row[at] for row in rows)])
        for at, (heading, kind) in enumerate(kinds.items())
    ]
    if sum(width + GAP for width in least) > console.width:
        for row in rows:
            _show_row([*kinds], row, console)
        return
    shown = RichTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for (heading, kind), width in zip(kinds.items(), least, strict=True):
        shown.add_column(
            heading,
            style="bold" if kind == "key" else "",
            justify="right" if kind == "number" else "left",
            no_wrap=kind not in WRAPPED and kind != "ids",
            min_width=width,
            overflow="fold",
        )
    for row in rows:
        shown.add_row(*map(Text, row))
    console.print(shown)


def _show_row(headings: Sequence[str], row: Sequence[str], console: Console) -> None:
    """Print a row: its id, and below it what the others hold."""
    console.print(Text(row[0], style="bold"), soft_wrap=True)
    others = zip(headings[1:], row[1:], strict=True)
    below = Text(" · ".join(f"{name} {cell}" for name, cell in others if cell))
    ids = max((len(word) for word in below.plain.split() if word.isascii()), default=1)
    for line in below.wrap(console, max(console.width - GAP, ids)):
        line.rstrip()
        console.print(Text(" " * GAP) + line, soft_wrap=True)


def _least(kind: ColumnKind, cells: Sequence[str]) -> int:
    """The least width of a column."""
    parts = [word for cell in cells for word in cell.split()] if kind == "ids" else cells
    widest = max(map(cell_len, parts), default=0)
    return min(widest, WRAPPED.get(kind, widest))


def _clipped(value: object) -> str:
    """A value of which a list shows the beginning, with its mark."""
    if isinstance(value, Marked) and value.mark:
        behind = f" ({one_line(value.mark)})"
        return clip(one_line(value.text), CELL_CHARS - len(behind)) + behind
    return clip(_cell(value), CELL_CHARS)


def _cell(value: object) -> str:
    if isinstance(value, Marked):
        return one_line(value.text) + (f" ({one_line(value.mark)})" if value.mark else "")
    return "" if value is None else _path(value if isinstance(value, str) else str(value))


def _path(text: str) -> str:
    if not isinstance(text, File):
        return one_line(text)
    return printable(os.path.relpath(unquote(urlsplit(text).path, errors="surrogateescape")))


def _short(cell: str) -> str:
    """A hash by its beginning."""
    return f"{cell[:SHORT_HASH]}…" if SHA256_HEX.fullmatch(cell) else cell
