"""Talks to a language server within this process, through pygls' own reading loop."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from io import BytesIO
from typing import Any

from pygls.io_ import StdinAsyncReader, run_async
from pygls.lsp.server import LanguageServer
from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.surfaces.lsp.features import register_all
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.engine.bases import until

Message = dict[str, Any]


class ShownText:
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


def sidecar_on(engine: Engine) -> Sidecar:
    """A language server with all features, which talks to nobody yet."""
    DiskFollower(engine)
    server = Sidecar(engine)
    register_all(server)
    return server


def framed(*messages: object) -> bytes:
    bodies = [json.dumps(message).encode() for message in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)


def heard(server: LanguageServer) -> list[Message]:
    """The list that everything which a server says from now on is added to."""
    said = ShownText()
    server.protocol.set_writer(said, include_headers=False)
    return said.messages


def talk(
    server: LanguageServer, data: bytes, is_over: Callable[[], bool] = lambda: True
) -> list[Message]:
    """What a server makes of bytes from a client, to their end, and until it `is_over`."""
    said = heard(server)

    async def main() -> None:
        await run_async(
            threading.Event(),
            StdinAsyncReader(BytesIO(data)),
            server.protocol,
            error_handler=server.report_server_error,
        )
        await until(is_over)

    asyncio.run(main())
    return said
