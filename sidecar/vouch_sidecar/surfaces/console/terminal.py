"""Prints lines and tables of results on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from vouch_sidecar.operations.table import (
    WRAPPED,
    FileUri,
    Table,
    Words,
    cell_text,
    clipped,
)

GAP = 2


def print_part(part: Words | Table, *, apart: bool) -> None:
    """Print a line or a table, `apart` from what is above it; nothing for one without content."""
    console = Console(highlight=False)
    if apart and (part.rows if isinstance(part, Table) else part.text):
        console.print()
    if isinstance(part, Table):
        _print_table(part, console)
    elif part.text:
        is_whole = part.whole or isinstance(part.text, FileUri)
        console.print(Text(cell_text(part.text), style=part.style), soft_wrap=is_whole)


def _print_table(table: Table, console: Console) -> None:
    """Print a table; where it is wider than the terminal, each row in lines of its own."""
    rows = [
        [
            clipped(value) if kind in WRAPPED else cell_text(value)
            for kind, value in zip(table.columns.values(), row, strict=True)
        ]
        for row in table.rows
    ]
    shown = RichTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    widths: list[tuple[int, int]] = []
    for (heading, kind), *cells in zip(table.columns.items(), *rows, strict=True):
        # Of a list of ids, each id is kept whole.
        parts = " ".join(cells).split() if kind == "ids" else cells
        least, most = (max(map(cell_len, [heading, *each])) for each in (parts, cells))
        widths.append((min(least, WRAPPED.get(kind, least)), most))
    spare = console.width + GAP - sum(least + GAP for least, _ in widths)
    fits, shares = spare >= 0, dict[int, int]()
    # What is left is shared by the columns that have to wrap; which needs less than that leaves it.
    needs = sorted((most - least, at) for at, (least, most) in enumerate(widths))
    for served, (need, at) in enumerate(needs):
        shares[at] = min(need, spare // (len(needs) - served))
        spare -= shares[at]
    for at, (heading, kind) in enumerate(table.columns.items()):
        shown.add_column(
            heading,
            style="bold" if kind == "key" else "",
            justify="right" if kind == "number" else "left",
            width=widths[at][0] + shares[at],
            overflow="fold",
        )
    for row in rows:
        if fits:
            shown.add_row(*map(Text, row))
        else:
            _print_row([*table.columns], row, console)
    if shown.rows:
        console.print(shown)


def _print_row(headings: Sequence[str], row: Sequence[str], console: Console) -> None:
    """Print a row: its id, and below it what the others hold."""
    console.print(Text(row[0], style="bold"), soft_wrap=True)
    others = zip(headings[1:], row[1:], strict=True)
    below = " · ".join(f"{name} {cell}" for name, cell in others if cell)
    console.print(Padding(Text(below), (0, 0, 0, GAP)))
