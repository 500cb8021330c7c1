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


async def lines_of(source: RawIOBase) -> AsyncIterator[bytes]:
    """The lines of a stream. The last needs no line end. Of one that is too long only the
    beginning, which is no JSON.
    """
    with BufferedReader(source) as lines:
        read = partial(lines.readline, MAX_LINE)
        while line := await in_worker(read, abandon_on_cancel=True):
            yield line
            while len(line) == MAX_LINE and not line.endswith(b"\n"):  # its rest is passed over
                line = await in_worker(read, abandon_on_cancel=True)


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
