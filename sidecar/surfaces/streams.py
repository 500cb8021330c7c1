"""Moves messages between blocking streams and the event loop, in order, without blocking it."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Callable
from typing import BinaryIO, TypeVar

__all__ = ["Outbox", "incoming"]

FLUSH = 1.0

T = TypeVar("T")


class Outbox:
    """Writes to a stream from a thread of its own: a client that stops reading stops no loop.

    `on_broken` is called on that thread when the other side is gone.
    """

    def __init__(self, stream: BinaryIO, on_broken: Callable[[], None]) -> None:
        self._stream = stream
        self._on_broken = on_broken
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._drain, name="outbox", daemon=True)
        self._thread.start()

    def send(self, data: bytes) -> None:
        self._queue.put(data)

    def close(self, timeout: float | None = FLUSH) -> None:
        """Write what is queued, for at most so many seconds."""
        self._queue.put(None)
        self._thread.join(timeout)

    def _drain(self) -> None:
        try:
            while (data := self._queue.get()) is not None:
                self._stream.write(data)
                self._stream.flush()
        except (OSError, ValueError):
            self._on_broken()


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
