"""Lines of JSON over the standard streams."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from functools import partial
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO

from anyio.to_thread import run_sync as in_worker

from vouch_sidecar.surfaces.stdio import leave

MAX_LINE = 64 << 20
"""Bytes of one line of a client."""
CUT = b"a line that is too long"


async def lines_of(source: RawIOBase) -> AsyncIterator[bytes]:
    """The lines of a stream. The last needs no line end; a line that is too long yields `CUT`."""
    is_cut = False
    with BufferedReader(source) as lines:
        read = partial(lines.readline, MAX_LINE)
        while line := await in_worker(read, abandon_on_cancel=True):
            is_part = len(line) == MAX_LINE and not line.endswith(b"\n")
            if not is_part:
                yield CUT if is_cut else line
            is_cut = is_part
    if is_cut:
        yield CUT


async def send(sink: BinaryIO, line: bytes) -> None:
    """Write a line; the process ends where nobody reads."""
    await in_worker(_write, sink, line, abandon_on_cancel=True)


def _write(sink: BinaryIO, line: bytes) -> None:
    try:
        sink.write(line)
        sink.flush()
    except (OSError, ValueError):
        leave(0)


def as_line(answered: Mapping[str, Any]) -> bytes:
    """An object as a line of JSON."""
    return json.dumps(answered, separators=(",", ":")).encode("ascii") + b"\n"
