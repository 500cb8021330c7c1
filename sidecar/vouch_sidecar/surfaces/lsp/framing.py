"""Messages with a header on a byte stream: one that is malformed costs no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["MAX_BODY", "Frame", "Framing", "Malformed", "frame"]

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


class Framing:
    """Finds the bodies of messages in bytes as they come."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None
        self._in_body = False
        self._tail = b""

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The messages that end in this."""
        self._buffer += data
        while self._has_header() and (message := self._body()) is not None:
            yield message

    def _has_header(self) -> bool:
        """Whether the header has ended, as far as it has come."""
        while not self._in_body and (line := self._line()):
            if match := LENGTH.search(self._tail + line):
                self._length = int(match[1])
            elif not self._tail and line in (b"\r\n", b"\n"):
                self._in_body = True
            self._tail = b"" if line.endswith(b"\n") else line[-TAIL:]
        return self._in_body

    def _line(self) -> bytes:
        """The next line, or a part of a long one; empty while neither has come."""
        end = self._buffer.find(b"\n", 0, MAX_LINE) + 1
        if not end and len(self._buffer) >= MAX_LINE:
            end = MAX_LINE
        return self._take(end)

    def _body(self) -> Frame | None:
        """The message, or what is wrong with it; None while it has not come whole."""
        length = self._length
        if length is not None and length <= MAX_BODY and len(self._buffer) < length:
            return None
        self._in_body, self._length = False, None
        if length is None:
            return Malformed("message without a valid Content-Length")
        if length > MAX_BODY:
            return Malformed(f"message of more than {MAX_BODY} bytes")
        return self._take(length)

    def _take(self, size: int) -> bytes:
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken


def frame(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
