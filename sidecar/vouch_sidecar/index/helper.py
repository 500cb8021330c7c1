"""A process that reads files for another one: their bytes come in, what they say goes out.

Its life is its standard input: it ends where that does, and, should a file keep it busy, by itself.
Frames are a length and a value that `marshal` takes; both ends are of one Python and one program.
"""

from __future__ import annotations

import faulthandler
import gc
import marshal
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any

from vouch_sidecar.index.documents import Prepared, prepare
from vouch_sidecar.index.rows import decoded, encoded
from vouch_sidecar.kb.reader import Reading, parse
from vouch_sidecar.kb.records import Problem, Severity

__all__ = ["LIMIT_SECONDS", "main", "receive", "send", "understood"]

NICE = 5
LIMIT_SECONDS = 20.0
"""How long one batch may take; then the process is none that can be relied on."""


def main() -> None:
    """Serve until the input ends."""
    gc.disable()  # files leave no cycles behind, and the end is near
    _give_way()
    source, sink = _streams()
    while (files := receive(source)) is not None:
        faulthandler.dump_traceback_later(LIMIT_SECONDS, exit=True)
        answers = marshal.dumps([_answer(path, data) for path, data in marshal.loads(files)])
        faulthandler.cancel_dump_traceback_later()
        send(sink, answers)


def _give_way() -> None:
    """Let whoever answers go first, where processors are few."""
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICE)


def _streams() -> tuple[IO[bytes], IO[bytes]]:
    """For frames alone; whatever else prints goes to standard error."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return source, sink


def send(stream: IO[bytes], frame: bytes) -> None:
    """Write one frame. Raises OSError or ValueError where nobody reads any more."""
    stream.write(len(frame).to_bytes(4, "big"))
    stream.write(frame)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read one frame; None at the end, in the middle of one as well."""
    head = stream.read(4)
    size = int.from_bytes(head, "big")
    frame = stream.read(size) if len(head) == 4 else b""
    return frame if len(head) == 4 and len(frame) == size else None


def _answer(path: str, data: bytes) -> tuple[Any, ...]:
    reading = parse(path, data)
    row = None if reading.artifact is None else encoded(prepare(reading.artifact))
    problems = tuple(
        (p.path, p.message, p.severity.value, p.line, p.column, p.field, p.wider)
        for p in reading.problems
    )
    return row, problems, reading.withhold


def understood(answers: bytes) -> list[tuple[Reading, Prepared | None]]:
    """What a helper read, with what it prepared."""
    return [_understood(*answer) for answer in marshal.loads(answers)]


def _understood(
    row: Sequence[Any] | None, problems: Sequence[Sequence[Any]], withhold: bool
) -> tuple[Reading, Prepared | None]:
    prepared = None if row is None else decoded(row)
    found = tuple(Problem(path, words, Severity(n), *at) for path, words, n, *at in problems)
    return Reading(None if prepared is None else prepared.artifact, found, withhold), prepared
