"""Answers other processes of the same user over the user's socket.

One process holds it: an editor's language server, or the resident that a hook starts. Sessions of
hooks and MCP live in it and end with it. A language server that finds it held follows the holder,
and holds it, or follows again, when that ends.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import TaskGroup

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.discovery import FORCED
from vouch_sidecar.surfaces.agent_requests import answer_agent
from vouch_sidecar.surfaces.jsonl import answer, refusal, session_named
from vouch_sidecar.surfaces.lines import as_line
from vouch_sidecar.surfaces.local.client import (
    MAX_LOCAL_MESSAGE,
    OF_AGENTS,
    PROCESS,
    STOP_PROCESS,
    carried,
    has_sockets,
)
from vouch_sidecar.surfaces.local.engines import CHECK_SECONDS, IDLE_SECONDS, Engines
from vouch_sidecar.surfaces.local.follower import FOLLOW, feed
from vouch_sidecar.surfaces.local.ownership import Ownership
from vouch_sidecar.surfaces.stdio import at_end, leave
from vouch_sidecar.version import __version__

SILENT_SECONDS = 60.0
"""For so long a connection may be without a request."""
NICENESS = 10
"""Priority of a resident after its first answer, for which a prompt waits."""

log = logging.getLogger(__name__)

Request = Mapping[str, Any]


class LocalServer:
    """The user's socket, in this process. Call its methods on the event loop only."""

    def __init__(
        self, env: Mapping[str, str], tasks: TaskGroup, window: Engine | None = None
    ) -> None:
        """`window` is the engine of an editor. Without one this is a resident process."""
        self._env = env
        self._window = window
        self._engines = Engines(env, tasks, window)
        self._connections = 0
        self._asked_at = anyio.current_time()

    async def run(self, owned: Ownership | None, follow: Callable[[], Awaitable[None]]) -> None:
        """Hold the socket, or follow its holder until it can be held; until cancelled. `owned`: it
        is this process's already.
        """
        while has_sockets():
            try:
                owned = owned or Ownership.take(self._env)
                if owned is not None:
                    await self.own(owned)
                else:
                    await follow()
            except OSError as error:
                log.debug("no other process is served: %s", error.strerror or error)
            owned = None
            await anyio.sleep(CHECK_SECONDS)

    async def own(self, owned: Ownership) -> None:
        """Answer on the socket while its file exists; a resident until it was idle for long."""
        forget = at_end(owned.release)
        server = await asyncio.start_unix_server(
            self._serve_client, sock=owned.listener, limit=MAX_LOCAL_MESSAGE
        )
        try:
            while owned.holds() and not (self._window is None and self._is_idle()):
                await anyio.sleep(CHECK_SECONDS)
        finally:
            server.close()
            forget()
            owned.release()

    def _is_idle(self) -> bool:
        is_long = anyio.current_time() - self._asked_at > IDLE_SECONDS
        return is_long and not self._connections

    async def _serve_client(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer the one request of a connection."""
        self._connections += 1
        try:
            line = await asyncio.wait_for(reader.readline(), SILENT_SECONDS)
            request = json.loads(line)
            if not isinstance(request, dict):
                raise ValueError
            method, caller = request.get("method"), _caller(request)
            if method == FOLLOW:
                await feed(self._engines, caller, request["params"], reader, writer)
                return
            # The other side never closes one direction alone.
            answered = await self._answer(request, caller, lambda: not reader.at_eof())
            writer.write(as_line(answered))
            await writer.drain()
            if self._window is None:
                if method == STOP_PROCESS:
                    leave(0)
                os.nice(max(0, NICENESS - os.nice(0)))
        except (OSError, ValueError):  # the client left, or sent no request
            log.debug("a local connection ended early")
        except Exception as error:
            log.error("a local connection failed: %s", type(error).__name__)
        finally:
            self._connections -= 1
            self._asked_at = anyio.current_time()
            writer.close()

    async def _answer(
        self, request: Request, caller: Caller, is_awaited: Callable[[], bool]
    ) -> dict[str, Any]:
        method, is_resident = request.get("method"), self._window is None
        if method == STOP_PROCESS:
            if not is_resident:
                return refusal(None, "not_resident", "this process ends with its client")
            return {"ok": True, "result": None}
        if method == PROCESS:
            about = {"process": os.getpid(), "resident": is_resident, "version": __version__}
            return {"ok": True, "result": about}
        if not caller.roots:
            return refusal(None, "invalid_request", "roots: must name knowledge bases")
        engine = self._engines.of(caller.roots, (caller.env or {}).get(FORCED, ""))
        if isinstance(method, str) and method.startswith(OF_AGENTS):
            return await answer_agent(engine, request, caller, is_awaited)
        answered = await answer(engine, request, caller)
        if (session := engine.sessions.peek(session_named(request) or "")) is not None:
            session.shared_for |= caller.roots
        return answered


def _caller(request: Request) -> Caller:
    """Who asks, with the viewer and the settings that come with a request, about the knowledge
    bases that it names, and that are there.
    """
    env, given = request.get("env"), request.get("roots")
    named = [root for root in given if isinstance(root, str)] if isinstance(given, list) else []
    roots = frozenset(path for path in map(Path, named) if path.is_absolute() and path.is_dir())
    is_model = request.get("reader") != "person"
    sent = carried(env) if isinstance(env, dict) else {}
    return Caller("socket", env=sent, roots=roots, is_model=is_model)
