"""Runs the process of the language server: its streams, tasks and exit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from functools import partial
from io import RawIOBase
from typing import BinaryIO

import anyio
from pygls.io_ import run_async

from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.surfaces.agent_requests import answer_agent
from vouch_sidecar.surfaces.background import in_background
from vouch_sidecar.surfaces.local.ownership import taken_early
from vouch_sidecar.surfaces.local.server import LocalServer
from vouch_sidecar.surfaces.lsp.features import features
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.stdio import claim_streams, die_soon, end_with_client, is_alive, leave
from vouch_sidecar.surfaces.streams import MAX_MESSAGE, Outbox, reader_of

CLIENT_POLL = 0.5
LAST_ANSWERS = 1.0
"""Seconds to answer pending requests after the end of the input."""
FAILED = 1


def run_stdio(env: Mapping[str, str]) -> None:
    """Serve one client over the standard streams, then end the process."""
    anyio.run(_serve, env, *claim_streams())


async def _serve(env: Mapping[str, str], source: RawIOBase, sink: BinaryIO) -> None:
    end_with_client(sink.fileno())
    engine = Engine(env=env)
    follower = DiskFollower(engine)
    server = Sidecar(engine)
    for register in features():
        register(server)
    outbox = Outbox(sink, on_broken=lambda: leave(FAILED))
    async with anyio.create_task_group() as tasks:
        local = LocalServer(engine.env, answer_agent, tasks, window=engine, audience=server)
        tasks.start_soon(in_background, follower.run)
        tasks.start_soon(in_background, partial(local.run, taken_early()))
        tasks.start_soon(_end_with_editor, server)
        code = await _converse(server, source, outbox)
        outbox.close()
        leave(code)


async def _converse(server: Sidecar, source: RawIOBase, outbox: Outbox) -> int:
    """Answer messages until the client says `exit` or its stream ends. Returns the exit code."""
    reader = _InTurn(reader_of(source, lambda: die_soon(FAILED), MAX_MESSAGE), outbox)
    protocol, report = server.protocol, server.report_server_error
    protocol.set_writer(outbox)
    try:
        await run_async(threading.Event(), reader, protocol, error_handler=report)
    except SystemExit as ended:  # pygls raises it on `exit`
        return FAILED if ended.code else 0
    except (asyncio.IncompleteReadError, ValueError):  # cut short, or no protocol at all
        pass
    await protocol.settled(LAST_ANSWERS)
    return FAILED


class _InTurn:
    """What pygls reads from: before each message the tasks of the last one begin, and a client that
    reads no answers is read no further.
    """

    def __init__(self, stream: asyncio.StreamReader, outbox: Outbox) -> None:
        self.readexactly = stream.readexactly
        self._stream, self._outbox = stream, outbox

    async def readline(self) -> bytes:
        await asyncio.sleep(0)
        await self._outbox.room()
        return await self._stream.readline()


async def _end_with_editor(server: Sidecar) -> None:
    """End the process when the one that the client named is gone: the parent may be a wrapper."""
    while server.client is None or is_alive(server.client):
        await anyio.sleep(CLIENT_POLL)
    leave(FAILED)
