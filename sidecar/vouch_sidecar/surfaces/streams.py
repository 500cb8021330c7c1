"""Moves messages between blocking streams and the event loop, in order, without blocking it."""

from __future__ import annotations

import asyncio
import os
import queue
import select
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import BinaryIO

__all__ = ["Lines", "Outbox", "arriving", "incoming"]

FLUSH = 1.0
AT_ONCE = getattr(select, "PIPE_BUF", 512)
"""Bytes that a pipe takes whole where it takes any."""
AT_MOST = 1 << 16
"""Bytes that are read at once."""


class Outbox:
    """Writes to a stream in order. A client that stops reading stops no loop: only what is small
    and can be written at once is written by the caller, all else by a thread of its own.

    `on_broken` is called when the other side is gone, on either thread.
    """

    def __init__(self, stream: BinaryIO, on_broken: Callable[[], None]) -> None:
        self._stream = stream
        self._on_broken = on_broken
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._waiting = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._drain, name="outbox", daemon=True)
        self._thread.start()

    def send(self, data: bytes) -> None:
        with self._lock:
            at_once = not self._waiting and len(data) <= AT_ONCE and _is_writable(self._stream)
            self._waiting += not at_once
        if at_once:
            self._write(data)
        else:
            self._queue.put(data)

    def close(self, timeout: float | None = FLUSH) -> None:
        """Write what is queued, for at most so many seconds."""
        self._queue.put(None)
        self._thread.join(timeout)

    def _drain(self) -> None:
        while (data := self._queue.get()) is not None and self._write(data):
            with self._lock:
                self._waiting -= 1

    def _write(self, data: bytes) -> bool:
        """Whether the other side is still there."""
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError):
            self._on_broken()
            return False
        return True


def _is_writable(stream: BinaryIO) -> bool:
    """Whether so little can be written without waiting; on Windows, of a pipe nobody knows."""
    try:
        return bool(select.select((), (stream,), (), 0)[1])
    except (OSError, ValueError):
        return False


async def incoming(stream: BufferedReader, on_end: Callable[[], None]) -> AsyncIterator[bytes]:
    """Bytes as they come, until the stream ends; see `arriving`. Between two of them, the loop gets
    its turn.
    """
    inbox: asyncio.Queue[bytes] = asyncio.Queue()
    with arriving(stream, inbox.put_nowait, on_end):
        while data := await inbox.get():
            yield data
            if not inbox.empty():
                await asyncio.sleep(0)


@contextmanager
def arriving(
    stream: BufferedReader, take: Callable[[bytes], None], on_end: Callable[[], None]
) -> Iterator[None]:
    """For the length of a block, the loop hands over bytes as they come; none when the stream has
    ended. Nothing else may read it.

    `on_end` is called then, by a thread of its own, whether or not the loop has come that far.
    """
    loop = asyncio.get_running_loop()
    descriptor = stream.fileno()

    def read() -> None:
        data = _read(descriptor)
        if not data:
            loop.remove_reader(descriptor)
        take(data)

    def read_on() -> None:
        data = b"first"
        while data:
            data = _read(descriptor)
            try:
                loop.call_soon_threadsafe(take, data)
            except RuntimeError:  # the loop is closed
                return
        on_end()

    def wait_for_end() -> None:
        _wait_for_end(descriptor)
        on_end()

    watched = _watches(loop, descriptor, read)
    threading.Thread(target=wait_for_end if watched else read_on, daemon=True).start()
    try:
        yield
    finally:
        if watched:
            loop.remove_reader(descriptor)


def _watches(loop: asyncio.AbstractEventLoop, descriptor: int, read: Callable[[], None]) -> bool:
    """Have the loop call `read` when there is something to read; False where it can't, as with a
    file or on Windows. A thread that reads costs each message 0.06 ms.
    """
    if not hasattr(select, "poll"):
        return False
    try:
        loop.add_reader(descriptor, read)
    except (OSError, NotImplementedError):
        return False
    return True


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, AT_MOST)
    except OSError:
        return b""


def _wait_for_end(descriptor: int) -> None:
    """Wait until the other side is gone, whatever it left to be read."""
    poll = select.poll()
    poll.register(descriptor, getattr(select, "POLLRDHUP", 0))
    poll.poll()


class Lines:
    """Finds lines in bytes as they come. Of one that is too long, just more than `most` bytes are
    kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._begun = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that end in this, without their end."""
        *ended, rest = data.split(b"\n")
        for part in ended:
            self._go_on(part)
            yield self.rest()
        self._go_on(rest)

    def rest(self) -> bytes:
        """What was begun and has not ended; it is gone then."""
        line = bytes(self._begun)
        self._begun.clear()
        return line

    def _go_on(self, part: bytes) -> None:
        self._begun += part[: max(0, self._most + 1 - len(self._begun))]
