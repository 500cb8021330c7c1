"""Moves messages between blocking streams and the event loop, in order, without blocking it."""

from __future__ import annotations

import asyncio
import queue
import select
import threading
from collections.abc import AsyncIterator, Callable
from typing import BinaryIO, TypeVar

__all__ = ["Outbox", "incoming"]

FLUSH = 1.0
AT_ONCE = getattr(select, "PIPE_BUF", 512)
"""Bytes that a pipe takes whole where it takes any."""

T = TypeVar("T")


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


async def incoming(
    stream: BinaryIO, read: Callable[[BinaryIO], T | None], on_end: Callable[[], None]
) -> AsyncIterator[T]:
    """What `read` finds in the stream until it gives None.

    `on_end` is called then, on the thread that reads, whether or not the loop has come that far.
    """
    loop = asyncio.get_running_loop()
    inbox: asyncio.Queue[T | None] = asyncio.Queue()

    def deliver() -> None:
        item: T | None
        more = True
        while more:
            try:
                item = read(stream)
            except (OSError, ValueError):
                item = None
            more = item is not None
            try:
                loop.call_soon_threadsafe(inbox.put_nowait, item)
            except RuntimeError:  # the loop is closed
                return
        on_end()

    threading.Thread(target=deliver, name="inbox", daemon=True).start()
    while (item := await inbox.get()) is not None:
        yield item
