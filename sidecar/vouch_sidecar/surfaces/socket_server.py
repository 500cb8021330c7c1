"""Answers other processes of the same user over the user's socket.

One process holds it: an editor's language server, or the resident that a hook starts. Sessions of
hooks and MCP live in it and end with it. A language server that finds it held subscribes to the
holder's pushes, and holds it, or subscribes again, when that ends.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import logging
import signal
import time
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import Any

import anyio
from anyio import from_thread
from anyio.abc import TaskGroup
from anyio.to_thread import run_sync as in_worker

from vouch_sidecar.engine import Caller, Engine, running
from vouch_sidecar.engine.sessions import Sessions
from vouch_sidecar.kb.discovery import SERVED_BY, BaseInTree, is_setting
from vouch_sidecar.kb.runtime_folder import is_supported
from vouch_sidecar.operations.call import perform
from vouch_sidecar.operations.operation import Operation, operations
from vouch_sidecar.operations.wire import Result
from vouch_sidecar.surfaces.agent_requests import EVENTS, respond, tool_result
from vouch_sidecar.surfaces.hook.client import END, note_serving
from vouch_sidecar.surfaces.hook.payload import session_of
from vouch_sidecar.surfaces.jsonl import as_line, refusal
from vouch_sidecar.surfaces.local.user_socket import (
    CHECK_SECONDS,
    HOOK,
    LINE,
    MAX_LOCAL_MESSAGE,
    MAY_WAIT,
    STOP_PROCESS,
    TOOL,
    WAITS,
    Ownership,
    carried,
)
from vouch_sidecar.surfaces.pushing import SUBSCRIBE, subscriber_for
from vouch_sidecar.surfaces.stdio import leave

IDLE_SECONDS = 2 * 3600.0
"""An engine that nobody asked for so long ends, and so does a resident process."""

SHELLS = 8
"""Shells that are answered at a time: each waits in a thread of its own."""

log = logging.getLogger(__name__)

Request = Mapping[str, Any]


def run_resident(env: Mapping[str, str], owned: Ownership) -> None:
    """Serve others without a client, then end the process."""

    async def serve() -> None:
        async with anyio.create_task_group() as tasks:
            await LocalServer(env, tasks).own(owned)
            leave(0)

    signal.signal(signal.SIGTERM, lambda *_: leave(0))
    anyio.run(serve)


class LocalServer:
    """The engines of this process, and the user's socket. Call its methods on the event loop only.

    Each set of knowledge bases has an engine of its own, so that nobody sees, or waits for, what
    somebody else asked about. They follow the disk in a task group.
    """

    def __init__(
        self, env: Mapping[str, str], tasks: TaskGroup, editor: Engine | None = None
    ) -> None:
        """`editor` is the engine of an editor, which answers what is about its own knowledge bases.
        Without one this is a resident process.
        """
        self._env = env
        self._tasks = tasks
        self._editor = editor
        self._made: dict[Hashable, Engine] = {}
        """By what is asked about."""
        self.sessions = Sessions(time.monotonic) if editor is None else editor.sessions
        self._asked_at: dict[Engine | None, float] = {None: anyio.current_time()}
        """When somebody asked each of these, and anything at all."""
        self._lines = anyio.CapacityLimiter(SHELLS)

    async def run(self, owned: Ownership | None, subscribe: Callable[[], Awaitable[None]]) -> None:
        """Hold the socket, or `subscribe` to its holder until it can be held; until cancelled.
        `owned`: it is this process's already.
        """
        while is_supported():
            try:
                owned = owned or Ownership.take(self._env)
                if owned is None:
                    await subscribe()
                else:
                    await self.own(owned)
            except Exception as error:  # its message may hold what was typed
                log.debug("no other process is served: %s", type(error).__name__)
            owned = None
            await anyio.sleep(CHECK_SECONDS)

    async def own(self, owned: Ownership) -> None:
        """Answer on the socket while its file exists; a resident until it was idle for long."""
        atexit.register(owned.release)
        server = await asyncio.start_unix_server(
            self._serve_client, sock=owned.listener, limit=MAX_LOCAL_MESSAGE
        )
        note_serving(self._env)
        try:
            while owned.holds():
                await anyio.sleep(CHECK_SECONDS)
                if self._editor is None and self._is_idle(None):
                    return
        finally:
            server.close()
            atexit.unregister(owned.release)
            owned.release()

    def engine_for(self, caller: Caller) -> Engine:
        """The engine that answers a caller: for his knowledge bases, the one that his environment
        names, and the folders of other users that it allows.
        """
        editor, places, env = self._editor, caller.places or frozenset(), caller.env or {}
        named = {name: env[name] for name in SERVED_BY if env.get(name)}
        asked = places, *named.items()
        if (
            editor is not None
            and places <= editor.registry.own
            # One that was made for these answers until that of the editor has read its own.
            and (asked not in self._made or editor.registry.has_looked)
        ):
            self._made.pop(asked, None)
            return editor
        if (engine := self._made.get(asked)) is None:
            # What else askers set comes with their questions.
            own = {
                n: value
                for n, value in self._env.items()
                if n not in SERVED_BY and not is_setting(n)
            }
            engine = Engine(env=own | named, sessions=self.sessions)
            self._made[asked] = engine
            self._tasks.start_soon(self._run, asked, engine)
        self._asked_at[engine] = anyio.current_time()
        if not places <= engine.registry.own:  # one may have been away
            engine.registry.add(places)
        return engine

    def engines(self) -> list[Engine]:
        """All engines of the process: that of the editor, and those for others who ask."""
        return [one for one in (self._editor, *self._asked_at) if one is not None]

    async def _run(self, asked: Hashable, engine: Engine) -> None:
        """Follow the disk for an engine until nobody asked it for `IDLE_SECONDS`."""
        async with running(engine):
            while self._made.get(asked) is engine:
                await anyio.sleep(CHECK_SECONDS)
                if self._is_idle(engine):
                    self._made.pop(asked, None)
            del self._asked_at[engine]

    def _is_idle(self, engine: Engine | None) -> bool:
        return anyio.current_time() - self._asked_at[engine] > IDLE_SECONDS

    async def _serve_client(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer the one request of a connection."""
        self._asked_at[None] = anyio.current_time()
        left = None
        try:
            request = json.loads(await reader.readline())
            left = asyncio.ensure_future(_until_left(reader))
            if request["method"] == STOP_PROCESS:
                if self._editor is None:
                    leave(0)
                answered = {"ok": False}  # an editor's process ends with its client
            elif request["method"] == SUBSCRIBE:
                subscriber = subscriber_for(_caller(request), request["params"], writer)
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(subscriber.keep_told, self.engines, self.sessions)
                    await left
                    tasks.cancel_scope.cancel()
                return
            else:
                answered = await self._answer(request, replace(_caller(request), left=left))
            writer.write(as_line(answered))
            await writer.drain()
        except (OSError, ValueError):  # the client left, or sent no request
            log.debug("a local connection ended early")
        except Exception as error:
            log.error("a local connection failed: %s", type(error).__name__)
        finally:
            if left is not None:
                left.cancel()
            writer.close()

    async def _answer(self, request: Request, caller: Caller) -> dict[str, Any]:
        method, params = request["method"], request["params"]
        if method == LINE:
            from vouch_sidecar.surfaces.console.operation_commands import told  # brings click

            async def answer(
                places: Iterable[BaseInTree], operation: Operation[Any, Any], asked: dict[str, Any]
            ) -> Result:
                shell = replace(caller, places=frozenset(places))
                return await perform(self.engine_for(shell), operation, asked, shell, until="later")

            result = await in_worker(
                told,
                params,
                request["env"],
                lambda *asked: from_thread.run(answer, *asked),
                limiter=self._lines,
            )
            return {"ok": result is not None, "result": result}
        event, tool = method.removeprefix(HOOK), method.removeprefix(TOOL)
        if event == END and isinstance(params, dict) and (ended := session_of(params)):
            self.sessions.end(ended)
            return {"ok": True, "result": None}
        if not caller.places:  # whose texts would count for all that the engine of an editor serves
            return refusal(None, "invalid_request", "places: must name knowledge bases")
        engine = self.engine_for(caller)
        if event in EVENTS and isinstance(params, dict):
            if not request.get(WAITS, True) and any(
                collection.ready_at > engine.clock() for collection in engine.registry.asked(caller)
            ):
                return {"ok": False, MAY_WAIT: True}
            return {"ok": True, "result": await respond(engine, event, params, caller)}
        if method.startswith(TOOL) and (operation := operations().get(tool)) is not None:
            return {"ok": True, "result": await tool_result(engine, operation, params, caller)}
        return refusal(None, "method_not_found", "there is no such method")


async def _until_left(reader: asyncio.StreamReader) -> None:
    """Wait until the other side closes, which says nothing behind its request and never closes one
    direction alone.
    """
    with suppress(OSError):
        await reader.read(1)


def _caller(request: Request) -> Caller:
    """Who asks, with the viewer and the settings that come with a request, about the knowledge
    bases that it names.
    """
    is_model = request["method"] not in (LINE, SUBSCRIBE)
    return Caller(
        env=carried(request["env"]),
        places=frozenset(map(BaseInTree, request["places"])),
        is_model=is_model,
        until=request.get("until", inf),
    )
