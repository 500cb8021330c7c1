"""Runs the process of the language server: its streams, tasks and exit."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Mapping
from functools import partial
from io import RawIOBase
from typing import BinaryIO

import anyio
from pygls.exceptions import JsonRpcParseError
from pygls.io_ import run_async

from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.surfaces.agent_requests import answer_agent
from vouch_sidecar.surfaces.background import in_background
from vouch_sidecar.surfaces.local.ownership import taken_early
from vouch_sidecar.surfaces.local.server import LocalServer
from vouch_sidecar.surfaces.lsp.features import features
from vouch_sidecar.surfaces.lsp.framing import MessageReader, MessageWriter
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.orphan import is_orphan
from vouch_sidecar.surfaces.stdio import claim_streams, die_soon, is_alive, leave
from vouch_sidecar.surfaces.streams import MAX_MESSAGE, Outbox, reader_of

PARENT_POLL = 0.5
LAST_ANSWERS = 1.0
"""Seconds to answer pending requests after the end of the input."""
FAILED = 1


def run_stdio(env: Mapping[str, str]) -> None:
    """Serve one client over the standard streams, then end the process."""
    anyio.run(_serve, env, *claim_streams())


class ProcessExit:
    """The exit of the process: any thread may request it, the event loop waits for it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self._code = FAILED

    def request(self, code: int = FAILED) -> None:
        """End the process soon, even if the loop is stuck. The lowest requested code counts: if a
        client closes its streams right after `exit`, the code is 0.
        """
        self._code = min(code, self._code)
        die_soon(self._code)
        try:
            self._loop.call_soon_threadsafe(self._event.set)
        except RuntimeError:  # the loop is closed
            return

    async def wait(self) -> int:
        """Wait until the exit is requested, and return the code."""
        await self._event.wait()
        return self._code


async def _serve(env: Mapping[str, str], source: RawIOBase, sink: BinaryIO) -> None:
    end = ProcessExit()
    engine = Engine(env=env)
    follower = DiskFollower(engine)
    server = Sidecar(engine)
    for register in features():
        register(server)
    outbox = Outbox(sink, on_broken=end.request)
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signal_number, lambda *_: end.request())
    async with anyio.create_task_group() as tasks:
        local = LocalServer(engine.env, answer_agent, tasks, window=engine, audience=server)
        tasks.start_soon(in_background, follower.run)
        tasks.start_soon(in_background, partial(local.run, taken_early()))
        tasks.start_soon(_watch_parent, server, end)
        tasks.start_soon(_converse, server, source, outbox, end)
        code = await end.wait()
        outbox.close()
        leave(code)


async def _converse(server: Sidecar, source: RawIOBase, outbox: Outbox, end: ProcessExit) -> None:
    """Answer messages until the client says `exit` or its stream ends."""
    protocol = server.protocol
    stream = reader_of(source, on_end=lambda: die_soon(FAILED), limit=MAX_MESSAGE)
    reader = MessageReader(
        stream, lambda reason: protocol.refuse(JsonRpcParseError(reason)), outbox.room
    )
    protocol.set_writer(MessageWriter(outbox), include_headers=False)
    try:
        await run_async(threading.Event(), reader, protocol, error_handler=protocol.refuse)
    except SystemExit as ended:  # pygls raises it on `exit`
        end.request(FAILED if ended.code else 0)
    else:
        await protocol.settled(LAST_ANSWERS)
        end.request()


async def _watch_parent(server: Sidecar, end: ProcessExit) -> None:
    """Request the exit when the parent, or the client's process, is gone."""
    while not is_orphan() and (server.client is None or is_alive(server.client)):
        await anyio.sleep(PARENT_POLL)
    end.request()
