"""Moves bytes between blocking streams and the event loop: a thread reads, a thread writes."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from io import RawIOBase
from typing import BinaryIO

CHUNK = 1 << 16
"""Bytes read at once."""
FLUSH_SECONDS = 1.0
MAX_MESSAGE = 64 << 20
"""Bytes of one message, and of one line, of a client."""
MAX_WAITING = 8 << 20
"""With more unwritten bytes, no further request of the client is read."""
MOST = 64 << 20
"""With more unwritten bytes, the client counts as gone."""
ROOM_SECONDS = 0.02


class Outbox:
    """Writes to a stream in a separate thread, so that a client that stops reading blocks this
    thread only. `on_broken` is called if the client is gone or more than `MOST` bytes wait.
    """

    def __init__(self, stream: BinaryIO, on_broken: Callable[[], None]) -> None:
        self._stream = stream
        self._on_broken = on_broken
        self._waiting = 0
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._drain, name="outbox", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        if self._waiting > MOST:
            self._on_broken()
            return
        self._count(len(data))
        self._queue.put(data)

    async def room(self) -> None:
        """Wait until at most `MAX_WAITING` bytes are unwritten."""
        while self._waiting > MAX_WAITING:
            await asyncio.sleep(ROOM_SECONDS)

    def _count(self, size: int) -> None:
        with self._lock:
            self._waiting += size

    def close(self, timeout: float | None = FLUSH_SECONDS) -> None:
        """Write what is queued, for at most `timeout` seconds."""
        self._queue.put(None)
        self._thread.join(timeout)

    def _drain(self) -> None:
        try:
            while (data := self._queue.get()) is not None:
                self._stream.write(data)
                self._stream.flush()
                self._count(-len(data))
        except (OSError, ValueError):
            self._on_broken()


def reader_of(
    stream: RawIOBase, on_end: Callable[[], None], limit: int = CHUNK
) -> asyncio.StreamReader:
    """A reader for the running event loop, fed from a blocking stream that nothing else reads.

    The reading thread calls `on_end` at the end of the stream, even if the loop is busy. `limit` is
    the longest line in bytes.
    """
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit, loop)

    def read() -> None:
        try:
            while data := _read(stream):
                loop.call_soon_threadsafe(reader.feed_data, data)
            loop.call_soon_threadsafe(reader.feed_eof)
        except RuntimeError:  # the loop is closed
            return
        on_end()

    threading.Thread(target=read, name="reader", daemon=True).start()
    return reader


def _read(stream: RawIOBase) -> bytes:
    """The next bytes, at most `CHUNK`; b"" at the end. Blocks."""
    try:
        return stream.read(CHUNK) or b""
    except (OSError, ValueError):
        return b""
