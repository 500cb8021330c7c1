"""Answers other processes of the same user over the sockets of the knowledge bases.

One process owns the socket of a knowledge base. Sessions of hooks and MCP live in it and end with
it. Other processes with an editor follow it. When it ends, another process becomes the owner.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio

from vouch_sidecar.engine import Caller, Engine, Pushes
from vouch_sidecar.engine.changes import Changes
from vouch_sidecar.kb.runtime_folder import is_supported
from vouch_sidecar.operations.notifications import DidChangeSalience
from vouch_sidecar.operations.readiness import hook_limit, seconds_to_wait
from vouch_sidecar.surfaces.jsonl import answer, as_line, refusal, session_named
from vouch_sidecar.surfaces.local.address import is_own_user
from vouch_sidecar.surfaces.local.client import (
    MAX_LOCAL_MESSAGE,
    OF_AGENTS,
    PROCESS,
    carried,
)
from vouch_sidecar.surfaces.local.follower import FOLLOW, Audience, feed, follow, parts_in
from vouch_sidecar.surfaces.local.ownership import Ownership
from vouch_sidecar.surfaces.local.stopping import STOP_PROCESS
from vouch_sidecar.surfaces.stdio import at_end
from vouch_sidecar.version import __version__

CHECK_SECONDS = 1.0
"""Pause between checks whether the socket file exists and has an owner."""
RETRY_SECONDS = 0.1
IDLE_SECONDS = 60.0
MAX_CONNECTIONS = 64

log = logging.getLogger(__name__)

Request = Mapping[str, Any]
Handler = Callable[[Engine, Request, Caller, Callable[[], bool]], Awaitable[dict[str, Any]]]
"""Answers a request in the form of the JSONL surface; the last argument says whether the other side
still waits for it.
"""


class LocalServer:
    """The sockets of one engine. Call its methods on the event loop only."""

    def __init__(
        self,
        engine: Engine,
        answer_agent: Handler,
        audience: Audience | None = None,
        *,
        stop: Callable[[], object] | None = None,
    ) -> None:
        """`answer_agent` answers the methods in `OF_AGENTS`. `audience` is shown the rankings of
        other processes' sessions; None: nobody wants them. `stop` ends a resident process when
        somebody asks for that; it also gives up the socket if an editor asks for it. None: this is
        another process, which ends with its client.
        """
        self._engine = engine
        self._answer_agent = answer_agent
        self._audience = audience
        self._stop = stop
        self._requested: set[Path] = set()
        """The knowledge bases whose socket an editor has asked for."""
        self._connections = 0
        self._asked_at = engine.clock()

    @property
    def idle(self) -> float:
        """Seconds since the last connection ended; 0 while there is one."""
        return 0.0 if self._connections else self._engine.clock() - self._asked_at

    async def run(self) -> None:
        """Serve every knowledge base of the engine until cancelled. Returns at once if the system
        has no such sockets.
        """
        if not is_supported():
            return
        kept: dict[Path, anyio.CancelScope] = {}
        with Changes(self._engine) as changes:
            async with anyio.create_task_group() as tasks:
                while True:
                    wanted = set(self._engine.collections)
                    for root in set(kept) - wanted:
                        kept.pop(root).cancel()
                    for root in wanted - set(kept):
                        scope = kept[root] = anyio.CancelScope()
                        tasks.start_soon(self._keep, root, scope)
                    await changes.wait(CHECK_SECONDS)

    async def _keep(self, root: Path, scope: anyio.CancelScope) -> None:
        """Own the socket of a knowledge base, or follow its owner until it can be owned."""
        warned = False
        with scope:
            while True:
                try:
                    owned = Ownership.take(root, self._engine.env)
                    if owned is not None:
                        await self.own(root, owned)
                        if root in self._requested:
                            self._requested.discard(root)
                            await anyio.sleep(CHECK_SECONDS)
                    elif self._audience is None:
                        await anyio.sleep(CHECK_SECONDS)
                    else:
                        with suppress(OSError):  # the owner is about to listen, or about to end
                            audience = self._audience
                            tell = functools.partial(self._tell_as_here, root, audience)
                            env = self._engine.env
                            await follow(root, env, tell, audience.parts, audience.viewer)
                        await anyio.sleep(RETRY_SECONDS)
                except OSError as error:
                    if not warned:
                        log.warning("no other process is served: %s", error.strerror or error)
                    warned = True
                    await anyio.sleep(CHECK_SECONDS)

    async def own(self, root: Path, owned: Ownership) -> None:
        """Answer on a socket while its file exists and no editor asks for it."""
        connected = functools.partial(self._serve_client, root)
        engine = self._engine
        engine.owned.add(root)
        forget = at_end(owned.release)
        server = await asyncio.start_unix_server(
            connected, sock=owned.listener, limit=MAX_LOCAL_MESSAGE
        )
        try:
            while owned.holds() and root not in self._requested:
                await anyio.sleep(CHECK_SECONDS)
        finally:
            server.close()
            forget()
            engine.owned.discard(root)
            owned.release()

    async def _serve_client(
        self, root: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self._connections >= MAX_CONNECTIONS or not is_own_user(writer.get_extra_info("socket")):
            writer.close()
            return
        self._connections += 1
        try:
            while line := await _next_line(reader):
                request = _read(line)
                if request.get("method") == FOLLOW:
                    params = request.get("params")
                    everything = isinstance(params, dict) and params.get("all") is True
                    if self._stop is not None and not everything:
                        self._requested.add(root)
                        return
                    caller = Caller("socket", env=_env(request), roots=frozenset({root}))
                    session_ids = None if everything else self._engine.sessions.shared(root)
                    pushes = Pushes(self._engine, caller, session_ids, parts_in(params))
                    await feed(self._engine, root, pushes, reader, writer)
                    return
                is_awaited = functools.partial(_is_open, reader)
                writer.write(as_line(await self._answer(root, line, request, is_awaited)))
                await writer.drain()
                if request.get("method") == STOP_PROCESS and self._stop is not None:
                    self._stop()
        except (OSError, ValueError):  # the client left, or sent too long a line
            log.debug("a local connection ended early")
        except Exception as error:
            log.error("a local connection failed: %s", type(error).__name__)
        finally:
            self._connections -= 1
            self._asked_at = self._engine.clock()
            writer.close()

    async def _answer(
        self, root: Path, line: bytes, request: Request, is_awaited: Callable[[], bool]
    ) -> dict[str, Any]:
        engine, method = self._engine, request.get("method")
        roots = _roots(request) or frozenset({root})
        if self._stop is not None:
            self._serve_also(roots)
        if not roots <= engine.collections.keys():
            return refusal(request.get("id"), "not_served", "not all of these are served here")
        for_person = request.get("reader") == "person"
        caller = Caller("socket", env=_env(request), roots=roots, is_model=not for_person)
        own = _OWN_METHODS.get(method) if isinstance(method, str) else None
        if own is not None:
            return own(self, request, caller)
        if isinstance(method, str) and method.startswith(OF_AGENTS):
            answered = await self._answer_agent(engine, request, caller, is_awaited)
        else:
            answered = await answer(engine, line, caller)
            if (session_id := session_named(request)) is not None:
                engine.sessions.share(session_id, roots)
        return answered

    def _about_process(self, request: Request, caller: Caller) -> dict[str, Any]:
        about = {
            "process": os.getpid(),
            "resident": self._stop is not None,
            "version": __version__,
            "limit": hook_limit(self._engine, caller),
            "wait": seconds_to_wait(self._engine),
        }
        return _result(request, about)

    def _about_stopping(self, request: Request, _: Caller) -> dict[str, Any]:
        """What a process that is about to end served; `_serve_client` ends it after the answer."""
        if self._stop is None:
            reason = "this process ends with its client"
            return refusal(request.get("id"), "not_resident", reason)
        return _result(request, sorted(map(str, self._engine.collections)))

    def _serve_also(self, roots: Iterable[Path]) -> None:
        """Serve more knowledge bases: whoever asks about several may find a process for each."""
        for root in roots:
            if root not in self._engine.collections:
                self._engine.serve_guest(root)

    def _tell_as_here(self, root: Path, audience: Audience, push: DidChangeSalience) -> None:
        """Tell with this process's generation, and its own name for this collection in rows."""
        served, registry = self._engine.collections.get(root), self._engine.registry
        name = None if served is None else registry.shown_name(served, Caller())
        rows = {
            field: [row.model_copy(update={"collection": name}) for row in getattr(push, field)]
            for field in ("salience", "fresh")
        }
        audience.show(push.model_copy(update={**rows, "generation": self._engine.generation}))


_OWN_METHODS: Mapping[str, Callable[[LocalServer, Request, Caller], dict[str, Any]]] = {
    PROCESS: LocalServer._about_process,
    STOP_PROCESS: LocalServer._about_stopping,
}
"""What is asked of the process itself. All else is an event of an agent, or an operation."""


def _result(request: Request, result: object) -> dict[str, Any]:
    return {"id": request.get("id"), "ok": True, "result": result}


async def _next_line(reader: asyncio.StreamReader) -> bytes:
    """The next line; b"" if the other side has left or is silent for `IDLE_SECONDS`."""
    with anyio.move_on_after(IDLE_SECONDS):
        return await reader.readline()
    return b""


def _is_open(reader: asyncio.StreamReader) -> bool:
    """Whether the other side is still there: it never closes one direction alone."""
    return not reader.at_eof()


def _read(line: bytes) -> Request:
    """The request in a line; {} if the line is no JSON object."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return request if isinstance(request, dict) else {}


def _env(request: Request) -> dict[str, str]:
    """The viewer and the settings that come with a request."""
    env = request.get("env")
    return carried(env) if isinstance(env, dict) else {}


def _roots(request: Request) -> frozenset[Path]:
    """The knowledge bases that a request names."""
    roots = request.get("roots")
    paths = roots if isinstance(roots, list) else []
    return frozenset(Path(root) for root in paths if isinstance(root, str))
