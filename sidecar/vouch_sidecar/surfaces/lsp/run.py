"""Runs the process of the language server: its streams, tasks and exit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase
from typing import BinaryIO

import anyio
from anyio.to_thread import run_sync as in_worker
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdoutWriter

from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.operations.notifications import DidChangeSalience
from vouch_sidecar.surfaces.local.follower import follow
from vouch_sidecar.surfaces.local.user_socket import Ownership
from vouch_sidecar.surfaces.lsp.features import register_all
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.socket_server import LocalServer
from vouch_sidecar.surfaces.stdio import claim_streams, end_with_client, leave

LAST_ANSWERS = 1.0
"""Seconds to answer pending requests after the end of the input."""
MAX_HEADER = 1 << 16
"""Bytes of a line of a header."""


def run_stdio(env: Mapping[str, str], owned: Ownership | None = None) -> None:
    """Serve one client over the standard streams, then end the process. `owned`: the socket, if
    this process took it.
    """
    anyio.run(_serve, env, owned, *claim_streams())


async def _serve(
    env: Mapping[str, str], owned: Ownership | None, source: RawIOBase, sink: BinaryIO
) -> None:
    engine = Engine(env=env)
    follower, server = DiskFollower(engine), Sidecar(engine)
    end_with_client(sink.fileno())
    register_all(server)
    async with anyio.create_task_group() as tasks:
        local = LocalServer(engine.env, tasks, engine)
        tasks.start_soon(follower.run)
        tasks.start_soon(local.run, owned, partial(_follow, server))
        server.protocol.set_writer(StdoutWriter(sink))
        leave(await converse(server, BufferedReader(source)))


async def _follow(server: Sidecar) -> None:
    """Follow the holder about the window's knowledge bases, until it ends or these change."""
    window = server.engine
    roots = frozenset(window.registry.window)

    def lasts() -> bool:
        return roots == window.registry.window

    def tell(push: DidChangeSalience) -> None:
        if not push.salience or lasts():
            shown = push.model_copy(update={"generation": window.generation})
            server.protocol.notify("vouch/didChangeSalience", shown)

    if roots:
        await follow(roots, window.env, tell, server.parts, server.caller.viewer, lasts=lasts)


async def converse(server: Sidecar, stream: BufferedReader | BytesIO) -> int:
    """Answer messages until the client says `exit` or its stream ends. Returns the exit code.

    A message is read once the last one is handled: what is sent faster waits in the pipe. All
    threads of the loop may be busy with long answers, so reading has one of its own.
    """
    own_thread = anyio.CapacityLimiter(1)
    read = partial(in_worker, _message, stream, abandon_on_cancel=True, limiter=own_thread)
    with suppress(ValueError, OverflowError, MemoryError):  # a header is none
        while message := await read():
            try:
                server.protocol.handle_message(json.loads(message))
            except SystemExit as ended:  # pygls raises it on `exit`
                return 1 if ended.code else 0
            except Exception as error:  # it is no message
                server.report_server_error(error, JsonRpcException)
    await server.protocol.settled(LAST_ANSWERS)
    return 1


def _message(stream: BufferedReader | BytesIO) -> bytes:
    """The next message of a stream, empty at its end. Raises ValueError where its length is none,
    OverflowError or MemoryError where it is too long.
    """
    length = 0
    while header := stream.readline(MAX_HEADER).strip():
        name, _, value = header.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return stream.read(max(0, length))
