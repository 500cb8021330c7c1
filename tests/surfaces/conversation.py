"""Talks to a language server within this process, in pygls' loop where the server is not ours."""

from __future__ import annotations

import asyncio
import json
import threading
from functools import partial
from typing import Any

import pytest
from pygls.io_ import run_async
from pygls.lsp.server import LanguageServer
from vouch_sidecar.surfaces.lsp.cured import Protocol
from vouch_sidecar.surfaces.lsp.framing import MessageReader

__all__ = ["INITIALIZE", "Said", "call", "framed", "heard", "talk"]

Message = dict[str, Any]


class Said:
    """What a server writes, as messages."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def write(self, body: bytes) -> None:
        self.messages.append(json.loads(body))

    def close(self) -> None:
        """Nothing is open."""


def call(method: str, params: object = None, request: int | None = None) -> Message:
    """A request, or a notification where it has no number; without params where they are None."""
    message: Message = {"jsonrpc": "2.0", "method": method}
    if request is not None:
        message["id"] = request
    return message if params is None else {**message, "params": params}


INITIALIZE = call("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 0)


def framed(*messages: object) -> bytes:
    bodies = [json.dumps(message).encode() for message in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)


def heard(server: LanguageServer) -> list[Message]:
    """The list that everything which a server says from now on is added to."""
    said = Said()
    server.protocol.set_writer(said, include_headers=False)
    return said.messages


def talk(server: LanguageServer, data: bytes) -> list[Message]:
    """What a server answers to bytes from a client, to their end."""
    said = heard(server)

    async def main() -> None:
        stream = asyncio.StreamReader()
        stream.feed_data(data)
        stream.feed_eof()
        protocol = server.protocol
        if isinstance(protocol, Protocol):
            await protocol.listen(MessageReader(stream, pytest.fail, partial(asyncio.sleep, 0)))
        else:
            report = server.report_server_error
            await run_async(threading.Event(), stream, protocol, error_handler=report)

    asyncio.run(main())
    return said
