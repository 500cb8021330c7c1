"""Keeps a connection open until every request is answered.

The SDK drops pending requests when its input ends: a client that writes all requests and closes the
pipe would get no answers.
"""

from __future__ import annotations

from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream

from vouch_sidecar.surfaces.local.client import SOON_SECONDS
from vouch_sidecar.surfaces.mcp.server import HOLDER_SECONDS

LAST_SECONDS = SOON_SECONDS + HOLDER_SECONDS
"""How long to wait for answers after the end of the input, the first ones included, also where the
socket's holder hangs. A client that allows less ends the process.
"""
CANCELLED = "notifications/cancelled"


class Pending:
    """The requests of one connection that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[object] = set()
        self._none = anyio.Event()

    def received(self, item: object) -> None:
        """Record a message of the client."""
        message = _message(item)
        method, request_id = getattr(message, "method", None), getattr(message, "id", None)
        if method == CANCELLED:
            self._done((getattr(message, "params", None) or {}).get("requestId"))
        elif method is not None and request_id is not None:
            self._ids.add(request_id)

    def sent(self, item: object) -> None:
        """Record a message to the client."""
        message = _message(item)
        if not hasattr(message, "method"):
            self._done(getattr(message, "id", None))

    async def settled(self) -> None:
        """Wait until every request is answered, for at most `LAST_SECONDS`."""
        with anyio.move_on_after(LAST_SECONDS):
            while self._ids:
                self._none = anyio.Event()
                await self._none.wait()

    def _done(self, request_id: object) -> None:
        if isinstance(request_id, str | int):
            self._ids.discard(request_id)
        if not self._ids:
            self._none.set()


def _message(item: object) -> object:
    """The JSON-RPC message in an item of the SDK's streams, which wrap it twice."""
    message = getattr(item, "message", None)
    return getattr(message, "root", message)


class Incoming(ObjectReceiveStream[Any]):
    """The SDK's stream from the client, made to end only when every request is answered."""

    def __init__(self, inner: Any, pending: Pending) -> None:
        self._inner = inner
        self._pending = pending

    async def receive(self) -> Any:
        try:
            item = await self._inner.receive()
        except anyio.EndOfStream:
            await self._pending.settled()
            raise
        self._pending.received(item)
        return item

    async def aclose(self) -> None:
        await self._inner.aclose()


class Outgoing(ObjectSendStream[Any]):
    """The SDK's stream to the client, which records answers."""

    def __init__(self, inner: Any, pending: Pending) -> None:
        self._inner = inner
        self._pending = pending

    async def send(self, item: Any, /) -> None:
        await self._inner.send(item)
        self._pending.sent(item)

    async def aclose(self) -> None:
        await self._inner.aclose()
