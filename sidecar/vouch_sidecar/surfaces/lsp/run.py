"""The language server's process: its streams, its end, the engine that connections share."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from io import BufferedReader
from types import FrameType
from typing import BinaryIO

import anyio

from vouch_sidecar.engine import Engine, Keeper
from vouch_sidecar.surfaces.keeping import beside
from vouch_sidecar.surfaces.local.server import LocalServer
from vouch_sidecar.surfaces.lsp.features import FEATURES
from vouch_sidecar.surfaces.lsp.framing import Frame, Framing
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.stdio import claim_streams, die_soon, leave
from vouch_sidecar.surfaces.streams import Outbox, arriving

__all__ = ["run_stdio", "run_tcp"]

PARENT_POLL = 0.5
FAILED = 1

log = logging.getLogger(__name__)


def run_stdio(env: Mapping[str, str]) -> None:
    """Serve one client over the standard streams, then end the process."""
    source, sink = claim_streams()
    anyio.run(_serve_stdio, env, source, sink)


def run_tcp(env: Mapping[str, str], host: str, port: int) -> None:
    """Serve any number of clients, each with a server of its own on one engine, until a signal."""
    anyio.run(_serve_tcp, env, host, port)


class End:
    """The end of the process: asked for from anywhere, waited for on the loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()

    def ask(self) -> None:
        """End soon, even when the loop never gets to it. From any thread."""
        die_soon(FAILED)
        try:
            self._loop.call_soon_threadsafe(self._event.set)
        except RuntimeError:  # the loop is closed
            return

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.ask()

    async def wait(self) -> None:
        await self._event.wait()


def _build(engine: Engine, keeper: Keeper, outbox: Outbox) -> Sidecar:
    server = Sidecar(engine, keeper, outbox)
    for register in FEATURES:
        register(server)
    return server


class _Pump:
    """Hands messages to a server, in order, until it has an exit code or they end."""

    def __init__(self, server: Sidecar) -> None:
        self.ended = asyncio.Event()
        self._server = server
        self._framing = Framing()
        self._waiting: deque[Frame | None] = deque()
        self._loop = asyncio.get_running_loop()

    def take(self, data: bytes) -> None:
        """Take bytes as they come; none at the end. A message that is alone is handed over at once:
        a turn of the loop would be a sixth of what an empty request takes.
        """
        if self.ended.is_set():
            return
        idle = not self._waiting
        self._waiting.extend(self._framing.feed(data) if data else (None,))
        if idle and self._waiting:
            self._hand_over()

    def _hand_over(self) -> None:
        message = self._waiting.popleft()
        if message is not None:
            self._server.receive(message)
        if message is None or self._server.exit_code is not None:
            self.ended.set()
        elif self._waiting:
            self._loop.call_soon(self._hand_over)  # what a message started runs before the next one


async def _pump(server: Sidecar, stream: BufferedReader, on_end: Callable[[], None]) -> None:
    pump = _Pump(server)
    with arriving(stream, pump.take, on_end):
        await pump.ended.wait()


async def _serve_stdio(env: Mapping[str, str], source: BufferedReader, sink: BinaryIO) -> None:
    end = End()
    engine, keeper = _engine(env)
    outbox = Outbox(sink, on_broken=end.ask)
    server = _build(engine, keeper, outbox)
    local = LocalServer(engine, keeper, partial(server.tell, "vouch/didChangeSalience"))
    _end_on_signals(end)

    async def serve() -> None:
        await _pump(server, source, on_end=lambda: die_soon(FAILED))
        end.ask()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(beside, keeper.run)
        tasks.start_soon(beside, local.run)
        tasks.start_soon(_watch_parent, server, end)
        tasks.start_soon(serve)
        await end.wait()
        outbox.close()
        leave(FAILED if server.exit_code is None else server.exit_code)


async def _serve_tcp(env: Mapping[str, str], host: str, port: int) -> None:
    end = End()
    engine, keeper = _engine(env)
    _end_on_signals(end)
    loop = asyncio.get_running_loop()
    listener = socket.create_server((host, port))
    print("listening on {}:{}".format(*listener.getsockname()[:2]), file=sys.stderr)  # noqa: T201

    async with anyio.create_task_group() as tasks:

        def connected(client: socket.socket) -> None:
            tasks.start_soon(_serve_connection, engine, keeper, client)

        threading.Thread(target=_accept, args=(listener, loop, connected), daemon=True).start()
        tasks.start_soon(beside, keeper.run)
        tasks.start_soon(beside, LocalServer(engine, keeper).run)
        await end.wait()
        leave(FAILED)


def _accept(
    listener: socket.socket,
    loop: asyncio.AbstractEventLoop,
    connected: Callable[[socket.socket], None],
) -> None:
    while True:
        client, _ = listener.accept()
        loop.call_soon_threadsafe(connected, client)


async def _serve_connection(engine: Engine, keeper: Keeper, client: socket.socket) -> None:
    outbox = Outbox(client.makefile("wb"), on_broken=lambda: None)
    server = _build(engine, keeper, outbox)
    try:
        await _pump(server, client.makefile("rb"), on_end=lambda: None)
    finally:
        server.close()
        await anyio.to_thread.run_sync(outbox.close)
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)  # a thread still waits for its end
        client.close()


def _engine(env: Mapping[str, str]) -> tuple[Engine, Keeper]:
    engine = Engine(env=env)
    return engine, Keeper(engine)


def _end_on_signals(end: End) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end.on_signal)


async def _watch_parent(server: Sidecar, end: End) -> None:
    """End when the parent, or the client that gave its process id, is gone."""
    parent = os.getppid()
    clients: list[int] = []

    def connected() -> None:
        # An id from another process namespace names nothing here, and is not watched.
        if server.process_id is not None and _is_alive(server.process_id):
            clients.append(server.process_id)

    server.on_start.insert(0, connected)
    while os.getppid() == parent and all(map(_is_alive, clients)):
        await anyio.sleep(PARENT_POLL)
    end.ask()


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError, ValueError):
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    """Where `os.kill` would end the process instead of asking after it."""
    import ctypes

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - unknown to checkers elsewhere
    synchronize, timed_out = 0x0010_0000, 0x102
    handle = kernel.OpenProcess(synchronize, False, pid)
    if not handle:
        return False
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == timed_out)
    finally:
        kernel.CloseHandle(handle)
