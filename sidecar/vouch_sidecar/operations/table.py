"""What is shown of a result: lines and tables, for a terminal, a pipe or a model.

In a pipe, a row is one line of uncut values separated by tabs, for `cut` and `grep`. On a terminal,
ids are never cut or wrapped, so that they can be copied. A model reads the first rows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Literal

from vouch_sidecar.kb.paths import path_in
from vouch_sidecar.kb.sanitize import clip, one_line, printable

CELL_CHARS = 300
"""Characters of a text in a list, where it is not a pipe."""
MODEL_ROWS = 10
NOT_READ = "Not everything is read yet; ask again."
ColumnKind = Literal["key", "whole", "number", "short", "text", "ids"]
"""The kind of values in a column: the ids of the rows, values that never wrap, numbers, names or
words, long texts, or lists of ids.
"""
WRAPPED: Mapping[ColumnKind, int] = {"short": 12, "text": 28}
"""The kinds that wrap, with the least width in terminal columns."""
Reader = Literal["all", "people", "terminal", "model"]
"""Whom a part is for; people read a terminal or a pipe."""


@dataclass(frozen=True, slots=True)
class FileUri:
    """The URI of a file, shown as its path from the working folder; to a model from `.vouch/`."""

    uri: str


@dataclass(frozen=True, slots=True)
class Words:
    """Words on a line, which a pipe does not have; it has the `record` instead, if there is one.
    `aside`: what is not found or left out, which goes to standard error.
    """

    text: str | FileUri = ""
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


def by_collection(
    several: bool,
    columns: Mapping[str, ColumnKind],
    rows: Iterable[Sequence[object]],
    section: str = "",
) -> Table:
    """A table whose column `collection` is there where rows may be of several."""
    shown = [several or name != "collection" for name in columns]
    cells = [[*compress(row, shown)] for row in rows]
    return Table(dict(compress(columns.items(), shown)), cells, section)


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A text that is printed as it is: it is safe, and may have several lines."""

    text: str


Shown = Words | Table | Verbatim


def labelled(label: str, values: Sequence[str | None], said: str, style: str = "") -> list[Words]:
    """A line of values, as in `said`, whose record begins with a label; none without a value."""
    present = [*filter(None, values)]
    text = said.format(", ".join(present))
    return [Words(text, style, (label, *present))] if present else []


def for_model(shown: Iterable[Shown]) -> str:
    """What is shown of a result as a text for a model, each line of it safe."""
    from vouch_sidecar.retrieval.blocks.block import safe

    lines: list[str] = []
    for part in shown:
        if isinstance(part, Verbatim):
            lines.append(part.text)
        elif part.to not in ("all", "model"):
            continue
        elif isinstance(part, Words):
            lines += [safe(str(_from_vouch(part.text)))] if part.text else []
        else:
            lines += [f"- {safe(_row_for_model(part, row))}" for row in part.rows[:MODEL_ROWS]]
            more = len(part.rows) - MODEL_ROWS
            lines += [f"and {more} more"] if more > 0 else []
    return "\n".join(lines)


def _from_vouch(value: object) -> object:
    """A value; of a file its path, of one in a knowledge base from `.vouch/`."""
    if not isinstance(value, FileUri):
        return value
    path = path_in(value.uri)
    before, _, below = path.rpartition("/.vouch/")
    return f".vouch/{below}" if before else path


def _row_for_model(table: Table, row: Sequence[object]) -> str:
    parts: list[str] = []
    for (heading, kind), value in zip(table.columns.items(), row, strict=True):
        text = clipped(_from_vouch(value))
        if text and text not in parts:
            parts.append(f"{heading} {text}" if kind in ("number", "ids") else text)
    return " · ".join(parts)


def marked(text: str, mark: str | None) -> str:
    """A text behind its mark, which stands in front, so that it is never cut."""
    return f"({mark}) {text}" if mark else text


def clipped(value: object) -> str:
    """A value of which a list shows the beginning."""
    return clip(cell_text(value), CELL_CHARS)


def cell_text(value: object) -> str:
    if isinstance(value, FileUri):
        return printable(os.path.relpath(path_in(value.uri, "surrogateescape")))
    return "" if value is None else one_line(str(value))
