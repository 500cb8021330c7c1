"""Prints what is shown of a result, in a pipe or on a terminal, or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from vouch_sidecar.kb.sanitize import escaped
from vouch_sidecar.operations.table import FileUri, Shown, Table, Verbatim, Words, cell_text

_PARTS = {part.__name__: part for part in (Words, Table, Verbatim, FileUri)}


def packed(shown: Sequence[Shown]) -> str:
    """What is shown as JSON, for another process to print."""

    def as_object(part: Any) -> dict[str, Any]:
        return {"part": type(part).__name__} | {n: getattr(part, n) for n in part.__slots__}

    return json.dumps(shown, default=as_object)


def unpacked(text: str) -> list[Shown]:
    """What `packed` made a text of."""

    def as_part(found: dict[str, Any]) -> Any:
        return _PARTS[found.pop("part")](**found) if "part" in found else found

    parts: list[Shown] = json.loads(text, object_hook=as_part)
    return parts


def print_answer(told: Mapping[str, Any]) -> int:
    """Print the answer to a command, as `OperationCommand.told` has it. Returns the exit code."""
    if told["json"] is None:
        show(unpacked(told["shown"]), header=told["header"])
    else:
        print_json(told["json"])
    return int(told["code"])


def print_json(data: Mapping[str, Any]) -> None:
    """Print an object as JSON, in ASCII unless the encoding of standard output is UTF-8."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    text = json.dumps(data, indent=2, ensure_ascii=encoding != "utf8")
    sys.stdout.write(f"{escaped(text)}\n")


def show(shown: Iterable[Shown], *, header: bool = False) -> None:
    """Print to standard output, as a terminal or a pipe needs it. `header`: in a pipe, tables begin
    with the columns' names.
    """
    is_terminal = sys.stdout.isatty()
    above: Shown | None = None
    for part in shown:
        if isinstance(part, Verbatim):
            sys.stdout.write(f"{part.text}\n")
        elif part.to == "model" or (part.to == "terminal" and not is_terminal):
            continue
        elif isinstance(part, Words) and part.aside:
            sys.stderr.write(f"{cell_text(part.text)}\n")
        elif is_terminal:
            from vouch_sidecar.surfaces.console.terminal import print_part  # a pipe needs no rich

            beside_table = isinstance(part, Table) or isinstance(above, Table)
            print_part(part, apart=above is not None and beside_table)
        elif isinstance(part, Words):
            _record(part.record)
        else:
            for row in chain([part.columns] if header and part.rows else [], part.rows):
                _record([*([part.section] if part.section else []), *row])
        if part.rows if isinstance(part, Table) else part.text:
            above = part


def _record(values: Iterable[object]) -> None:
    if row := [cell_text(value) for value in values]:
        sys.stdout.write("\t".join(row) + "\n")
