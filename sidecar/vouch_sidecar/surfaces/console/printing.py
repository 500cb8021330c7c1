"""Prints what is shown of a result, in a pipe or on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import chain

from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.operations.table import Shown, Verbatim, Words, cell_text


def show(shown: Iterable[Shown], *, header: bool = False) -> None:
    """Print to standard output, as a terminal or a pipe needs it. `header`: in a pipe, tables begin
    with the columns' names.
    """
    is_terminal, is_first = sys.stdout.isatty(), True
    for part in shown:
        if isinstance(part, Verbatim):
            sys.stdout.write(f"{part.text}\n")
        elif part.to == "model" or (part.to == "terminal" and not is_terminal):
            continue
        elif isinstance(part, Words) and part.aside:
            sys.stderr.write(f"{one_line(part.text)}\n")
        elif is_terminal:
            from vouch_sidecar.surfaces.console.terminal import print_part  # a pipe needs no rich

            print_part(part, apart=not is_first)
        elif isinstance(part, Words):
            _record(part.record)
        else:
            for row in chain([part.columns] if header and part.rows else [], part.rows):
                _record([*([part.section] if part.section else []), *row])
        is_first = False


def _record(values: Iterable[object]) -> None:
    if row := [cell_text(value) for value in values]:
        sys.stdout.write("\t".join(row) + "\n")
