"""Keeps a connection open until every request is answered.

The SDK drops requests under way when its input ends. A client that writes all its requests and
closes the pipe would get no answer.
"""

from __future__ import annotations

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

__all__ = ["Incoming", "Outgoing", "Pending"]

LAST_SECONDS = 5.0
"""How long after the end of the input answers are waited for."""
CANCELLED = "notifications/cancelled"

Item = SessionMessage | Exception


class Pending:
    """The requests of one connection that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[object] = set()
        self._none = anyio.Event()

    def came(self, item: Item) -> None:
        """A message of the client."""
        message = None if isinstance(item, Exception) else item.message
        if isinstance(message, JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == CANCELLED:
            self._done((message.params or {}).get("requestId"))

    def went(self, item: SessionMessage) -> None:
        """A message to the client."""
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._done(item.message.id)

    async def settled(self) -> None:
        """Wait until there are none, for `LAST_SECONDS` at most."""
        with anyio.move_on_after(LAST_SECONDS):
            while self._ids:
                self._none = anyio.Event()
                await self._none.wait()

    def _done(self, request_id: object) -> None:
        if isinstance(request_id, str | int):
            self._ids.discard(request_id)
        if not self._ids:
            self._none.set()


class Incoming(ObjectReceiveStream[Item]):
    """What comes from the client; it ends when every request has its answer."""

    def __init__(self, inner: ReadStream[Item], pending: Pending) -> None:
        self._inner = inner
        self._pending = pending

    async def receive(self) -> Item:
        try:
            item = await self._inner.receive()
        except anyio.EndOfStream:
            await self._pending.settled()
            raise
        self._pending.came(item)
        return item

    async def aclose(self) -> None:
        await self._inner.aclose()


class Outgoing(ObjectSendStream[SessionMessage]):
    """What goes to the client."""

    def __init__(self, inner: WriteStream[SessionMessage], pending: Pending) -> None:
        self._inner = inner
        self._pending = pending

    async def send(self, item: SessionMessage, /) -> None:
        await self._inner.send(item)
        self._pending.went(item)

    async def aclose(self) -> None:
        await self._inner.aclose()
