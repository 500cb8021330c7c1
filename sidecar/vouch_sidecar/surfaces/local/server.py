"""Answers other processes of the same user, for every knowledge base that the engine serves.

Of the resident processes of a knowledge base one owns its socket. The others keep a connection to
it, over which they tell each other the texts of sessions that calls name; when it breaks, one of
them takes over.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.abc

from vouch_sidecar.engine import Caller, Engine, Keeper
from vouch_sidecar.surfaces.hook.events import EVENTS, edited_file, limit_of, respond
from vouch_sidecar.surfaces.jsonl import answer
from vouch_sidecar.surfaces.keeping import indexed
from vouch_sidecar.surfaces.local.address import peer_uid, socket_path
from vouch_sidecar.surfaces.local.relay import Relay

if TYPE_CHECKING:
    from vouch_sidecar.surfaces.local.post import Post

__all__ = ["LocalServer"]

CHECK_SECONDS = 1.0
"""How often it is looked whether the socket stands and what is served has changed."""
RETRY_SECONDS = 0.1
IDLE_SECONDS = 60.0
MAX_LINE = 8 << 20
MAX_CONNECTIONS = 64
HOOK = "hook."

log = logging.getLogger(__name__)


class LocalServer:
    """The sockets of one engine. Belongs to its event loop."""

    def __init__(self, engine: Engine, keeper: Keeper) -> None:
        self._engine = engine
        self._keeper = keeper
        self._relay = Relay(engine)
        self._connections = 0

    async def run(self) -> None:
        """Serve until cancelled; knowledge bases come and go meanwhile. Returns at once where the
        system has no such sockets.
        """
        if sys.platform == "win32":
            return
        kept: dict[Path, anyio.CancelScope] = {}
        async with anyio.create_task_group() as tasks:
            with self._relay:
                while True:
                    wanted = set(self._engine.collections)
                    for root in set(kept) - wanted:
                        kept.pop(root).cancel()
                    for root in wanted - set(kept):
                        scope = kept[root] = anyio.CancelScope()
                        tasks.start_soon(self._keep, root, scope)
                    await self._change()

    async def _change(self) -> None:
        """Wait until something was published, for a while."""
        published = anyio.Event()
        self._engine.listeners.add(published.set)
        try:
            with anyio.move_on_after(CHECK_SECONDS):
                await published.wait()
                await anyio.sleep(RETRY_SECONDS)
        finally:
            self._engine.dismiss(published.set)

    async def _keep(self, root: Path, scope: anyio.CancelScope) -> None:
        from vouch_sidecar.surfaces.local.post import Post  # needs fcntl

        warned = False
        with scope:
            while True:
                try:
                    post = Post.take(root, self._engine.env)
                    if post is None:
                        await self._join(root)
                    else:
                        await self._own(root, post)
                except OSError as error:
                    if not warned:
                        log.warning("no other process is served: %s", error.strerror or error)
                    warned = True
                    await anyio.sleep(CHECK_SECONDS)

    async def _own(self, root: Path, post: Post) -> None:
        """Serve on a socket while it can be found."""
        connected = functools.partial(self._connected, root)
        server = await asyncio.start_unix_server(connected, sock=post.listener, limit=MAX_LINE)
        try:
            while post.stands():
                await anyio.sleep(CHECK_SECONDS)
        finally:
            server.close()
            post.leave()

    async def _join(self, root: Path) -> None:
        """Stay connected to the owner for as long as there is one."""
        path = socket_path(root, self._engine.env)
        try:
            reader, writer = await asyncio.open_unix_connection(path, limit=MAX_LINE)
        except OSError:  # it is about to listen, or about to end
            await anyio.sleep(RETRY_SECONDS)
            return
        if not _is_own_user(writer):
            writer.close()
            await anyio.sleep(CHECK_SECONDS)
            return
        writer.write(b'{"method":"join"}\n')
        await self._relay.exchange(root, reader, writer)

    async def _connected(
        self, root: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self._connections >= MAX_CONNECTIONS or not _is_own_user(writer):
            writer.close()
            return
        self._connections += 1
        try:
            while line := await _next_line(reader):
                request = _read(line)
                if request is not None and request.get("method") == "join":
                    await self._relay.exchange(root, reader, writer, first=True)
                    return
                said = await self._answer(root, line, request)
                writer.write(json.dumps(said, separators=(",", ":")).encode("ascii") + b"\n")
                await writer.drain()
        except (OSError, ValueError):  # gone, or a line too long to be a request
            log.debug("a local connection ended early")
        finally:
            self._connections -= 1
            writer.close()

    async def _answer(
        self, root: Path, line: bytes, request: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        engine = self._engine
        caller = Caller(connection="socket", root=root, env={})
        method = None if request is None else request.get("method")
        if request is None or not isinstance(method, str) or not method.startswith(HOOK):
            await indexed(engine, CHECK_SECONDS)
            answered = answer(engine, line, caller)
            engine.touch()
            return answered
        event = method.removeprefix(HOOK)
        if event == "limit":
            return {"id": request.get("id"), "ok": True, "result": limit_of(engine)}
        payload = request.get("params")
        if event not in EVENTS or not isinstance(payload, dict):
            error = {"code": "invalid_request", "message": "there is no such event"}
            return {"id": request.get("id"), "ok": False, "error": error}
        await indexed(engine, limit_of(engine))
        if (path := edited_file(payload)) is not None:
            self._keeper.poke([path])
        try:
            result = respond(engine, event, payload, caller)
        except Exception as error:
            log.error("%s failed: %s", event, type(error).__name__)  # its text may hold a prompt
            result = None
        engine.touch()
        return {"id": request.get("id"), "ok": True, "result": result}


async def _next_line(reader: asyncio.StreamReader) -> bytes:
    """A line; nothing from who has left, or says nothing for long."""
    with anyio.move_on_after(IDLE_SECONDS):
        return await reader.readline()
    return b""


def _read(line: bytes) -> Mapping[str, Any] | None:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return request if isinstance(request, dict) else None


def _is_own_user(writer: asyncio.StreamWriter) -> bool:
    return peer_uid(writer.get_extra_info("socket")) in (None, os.getuid())
