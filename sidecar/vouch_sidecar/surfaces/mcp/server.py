"""The answers of the MCP server, as JSON objects of the protocol.

`sdk1` and `sdk2` pass them to the installed version of the SDK.

The process that owns the socket of the knowledge base answers. Where none of this version does, or
the environment has settings, this process makes an engine, and tries to own the socket. From then
on it asks the socket's owner only where a call is about a session and another process owns it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import anyio
import anyio.to_thread

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.discovery import discover, has_settings
from vouch_sidecar.operations import OPERATIONS
from vouch_sidecar.operations.readiness import READY_SECONDS
from vouch_sidecar.surfaces.agent_requests import answer_agent, content, refused
from vouch_sidecar.surfaces.local.client import (
    HOOK,
    PROCESS,
    SOON_SECONDS,
    TOOL,
    Process,
    UnansweredError,
    ask,
    in_order,
    result_of,
)
from vouch_sidecar.surfaces.mcp.tools import TOOL_PREFIX, tools
from vouch_sidecar.version import __version__

log = logging.getLogger(__name__)

MCP_NAME = "vouch-sidecar"
OWNER_SECONDS = READY_SECONDS + 1.0
"""Time limit for the answer of the socket's owner to a question, while there is no engine here.
`SOON_SECONDS` is that for all else.
"""

Object = dict[str, Any]


class UnknownError(Exception):
    """There is no such tool. The message is for the client."""


class Asked(NamedTuple):
    """A request in the form in which any process that serves answers it (`answer_agent`)."""

    method: str
    params: Object
    start: Path
    """The folder from which its knowledge bases are found."""


class Answers:
    """Answers the requests of one client, one after another, on the event loop.

    `begin` makes an engine for the knowledge bases found from folder `start`, follows the disk for
    it, and serves them to other processes.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        start: Path,
        begin: Callable[[], Engine],
        *,
        every_tool: bool,
    ) -> None:
        self._env = env
        self._start = start
        self._begin = begin
        self._engine = begin() if has_settings(env) else None
        self._turn = anyio.Lock()
        self._tools = tools(every=every_tool)

    async def begin_unless_served(self) -> None:
        """Begin to read the knowledge bases, if no process serves them."""
        try:
            await self._ask_owner(Asked(PROCESS, {}, self._start), self._roots(self._start))
        except UnansweredError:
            self._own_engine()

    async def answer(self, method: str, params: Any) -> Object:
        """The result of a request. Raises `UnknownError`."""
        if method == "tools/list":
            return {"tools": self._tools}
        return await self._call(params.name, params.arguments or {})

    async def _call(self, name: str, arguments: Object) -> Object:
        """The result of a tool. Raises `UnknownError`."""
        asked = self._of_tool(name, arguments)
        try:
            result = await self._ask(asked)
        except Exception as error:  # the error's text may hold a prompt
            log.error("a tool failed: %s", type(error).__name__)
            return refused("internal_error: internal error")
        if asked.method.startswith(HOOK):
            # As JSON: Claude Code 2.1.197 ignores plain text from a tool (November 2026).
            return content(json.dumps(result, ensure_ascii=False) if result else "")
        called: Object = result
        return called

    def _of_tool(self, name: str, arguments: Object) -> Asked:
        """What a tool asks. Raises `UnknownError`."""
        if name == "hook_prompt":
            return self._of_hook("user-prompt-submit", arguments)
        if name == "hook_file":
            file = {key: arguments.get(key) for key in ("file_path", "content")}
            rest = {key: value for key, value in arguments.items() if key not in file}
            return self._of_hook("post-tool-use", {**rest, "tool_input": file})
        operation = name.removeprefix(TOOL_PREFIX)
        if not name.startswith(TOOL_PREFIX) or operation not in OPERATIONS:
            raise UnknownError("there is no such tool")
        return Asked(f"{TOOL}{operation}", arguments, self._start)

    def _of_hook(self, event: str, payload: Object) -> Asked:
        cwd = payload.get("cwd")
        cwd = cwd if isinstance(cwd, str) and cwd else str(self._start)
        return Asked(f"{HOOK}{event}", {**payload, "cwd": cwd}, Path(cwd))

    async def _ask(self, asked: Asked) -> Any:
        """The result of a request: from the process whose answer it is, else from this one."""
        async with self._turn:
            roots = self._roots(asked.start)
            if self._is_for_owner(asked, roots):
                with suppress(UnansweredError):
                    return await self._ask_owner(asked, roots)
            return await self._answer_here(asked, roots)

    def _is_for_owner(self, asked: Asked, roots: frozenset[Path]) -> bool:
        """Whether to ask the socket's owner, another process: about sessions, which live in it, and
        about all else while there is no engine here.
        """
        if not roots or self._engine is None:
            return bool(roots)
        names_session = isinstance(asked.params.get("session_id"), str)
        is_of_session = asked.method.startswith(HOOK) or names_session
        return is_of_session and self._engine.usage.kept(Path(in_order(roots)[0])) is None

    async def _ask_owner(self, asked: Asked, roots: frozenset[Path]) -> Any:
        """The result that the socket's owner gives. Raises `UnansweredError`."""
        is_question = self._engine is None and asked.method.startswith(TOOL)
        connections: list[Process] = []
        is_over = Event()

        def on_connected(process: Process) -> None:
            connections.append(process)
            if is_over.is_set():
                raise UnansweredError

        ask_it = partial(
            ask,
            roots,
            asked.method,
            asked.params,
            env=self._env,
            timeout=OWNER_SECONDS if is_question else SOON_SECONDS,
            version=None if asked.method.startswith(HOOK) else __version__,
            on_connected=on_connected,
        )
        try:
            return result_of(await anyio.to_thread.run_sync(ask_it, abandon_on_cancel=True))
        finally:  # the thread goes on where the call was cancelled
            is_over.set()
            for process in connections:
                process.give_up()

    async def _answer_here(self, asked: Asked, roots: frozenset[Path]) -> Any:
        is_of_hook = asked.method.startswith(HOOK)
        if is_of_hook and not roots:
            return None
        engine = self._own_engine()
        if not engine.collections:
            engine.serve_from(asked.start)
        roots &= engine.collections.keys()
        if is_of_hook and not roots:
            return None
        # Where no knowledge base was found at the start, tools ask those that hooks led to.
        caller = Caller("mcp", roots=roots or None, is_model=True)
        request = {"method": asked.method, "params": asked.params}
        answered = await answer_agent(engine, request, caller, lambda: True)
        return answered.get("result")

    def _own_engine(self) -> Engine:
        """The engine of this process, made when it is first needed."""
        self._engine = self._engine or self._begin()
        return self._engine

    def _roots(self, start: Path) -> frozenset[Path]:
        return frozenset(map(Path, discover(start, env=self._env)))
