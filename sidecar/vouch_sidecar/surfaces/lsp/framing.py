"""Reads and writes LSP messages with headers, through the interface of pygls' loop."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable

from vouch_sidecar.surfaces.streams import MAX_MESSAGE, Outbox

# Searched anywhere in a line: the rest of a message of unknown length may precede the next header
# on the same line.
LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,12})[ \t]*\r?\n", re.IGNORECASE)
# A web page can send a POST with a length and a body to a loopback port.
HTTP = re.compile(rb"^[A-Z]+ \S+ HTTP/")
BLANK = (b"\r\n", b"\n")


class MessageReader:
    """Reads messages from a stream and gives each to pygls with a simple header.

    Calls `refuse` with the reason for each unreadable message and goes on with the next. Awaits
    `room` before each message.
    """

    def __init__(
        self,
        stream: asyncio.StreamReader,
        refuse: Callable[[str], None],
        room: Callable[[], Awaitable[None]],
    ) -> None:
        self._stream = stream
        self._room = room
        self._refuse = refuse
        self._body: bytes | None = None
        self._is_first = True

    async def readline(self) -> bytes:
        """First the header line with the length, then the blank line; b"" at the end."""
        if self._body is not None:
            return b"\r\n"
        await self._room()
        await asyncio.sleep(0)  # lets tasks of the last message run first
        try:
            self._body = await self._next()
        except asyncio.IncompleteReadError:
            return b""
        return b"Content-Length: %d\r\n" % len(self._body)

    async def readexactly(self, _size: int) -> bytes:
        """The body of the message whose header was read."""
        body, self._body = self._body or b"", None
        return body

    async def _next(self) -> bytes:
        """The next body. Raises IncompleteReadError at the end of the stream."""
        while True:
            length = await self._length()
            if length is None:
                self._refuse("message without a valid Content-Length")
            elif length > MAX_MESSAGE:
                self._refuse(f"message of more than {MAX_MESSAGE} bytes")
            elif length == 0:
                self._refuse("the message is empty")
            else:
                return await self._stream.readexactly(length)

    async def _length(self) -> int | None:
        """Read the next header. Returns the length in it; None without a valid one."""
        length, is_first, self._is_first = None, self._is_first, False
        while (line := await self._line()) not in BLANK:
            if is_first and HTTP.search(line):
                raise asyncio.IncompleteReadError(line, None)
            if match := LENGTH.search(line):
                length = int(match[1])
        return length

    async def _line(self) -> bytes:
        """The next line; only the end of a line that is longer than the stream's limit."""
        while True:
            try:
                return await self._stream.readuntil(b"\n")
            except asyncio.LimitOverrunError as error:
                await self._stream.readexactly(error.consumed)


class MessageWriter:
    """Puts a header before each body that pygls writes."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    def write(self, body: bytes) -> None:
        self._outbox.send(frame(body))

    def close(self) -> None:
        self._outbox.close()


def frame(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
