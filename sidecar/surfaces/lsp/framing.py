"""Messages with a header on a byte stream: one that is malformed costs no other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import BinaryIO

__all__ = ["MAX_BODY", "Frame", "Malformed", "frame", "read_frame"]

MAX_BODY = 64 * 1024 * 1024
MAX_LINE = 8192
# Searched for anywhere in a line: after a message of unknown length, its rest stands before the
# next header on the same line.
LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,12})[ \t]*\r?\n", re.IGNORECASE)
TAIL = 64


@dataclass(frozen=True, slots=True)
class Malformed:
    """A message that could not be read; the next one can."""

    reason: str


Frame = bytes | Malformed


def read_frame(stream: BinaryIO) -> Frame | None:
    """The next message's body; None at the end of the stream."""
    length: int | None = None
    tail = b""
    while line := stream.readline(MAX_LINE):
        if match := LENGTH.search(tail + line):
            length = int(match[1])
        elif not tail and line in (b"\r\n", b"\n"):
            return _body(stream, length)
        tail = b"" if line.endswith(b"\n") else line[-TAIL:]
    return None


def _body(stream: BinaryIO, length: int | None) -> Frame | None:
    if length is None:
        return Malformed("message without a valid Content-Length")
    if length > MAX_BODY:
        return Malformed(f"message of more than {MAX_BODY} bytes")
    body = stream.read(length)
    return body if len(body) == length else None


def frame(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
