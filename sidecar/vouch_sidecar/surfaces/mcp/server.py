"""The answers of the MCP server, as JSON objects of the protocol.

`sdk` passes them to the SDK.

The process that holds the user's socket answers. Where none does, or this one's environment sets a
model, this process makes an engine.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.operations import OPERATIONS, Operation
from vouch_sidecar.operations.readiness import READY_SECONDS
from vouch_sidecar.surfaces.agent_requests import answer_agent, content, refused
from vouch_sidecar.surfaces.local.client import (
    PROCESS,
    SOON_SECONDS,
    TOOL,
    UnansweredError,
    ask,
)
from vouch_sidecar.surfaces.mcp.arguments import read
from vouch_sidecar.surfaces.mcp.tools import TOOL_PREFIX, input_schema, tools
from vouch_sidecar.surfaces.projects import UNFILLED, Projects, path_of

log = logging.getLogger(__name__)

MCP_NAME = "vouch-sidecar"
HOLDER_SECONDS = READY_SECONDS + 1.0
"""Time limit for the holder's answer to a question, while there is no engine here; then it is
`SOON_SECONDS`.
"""

Object = dict[str, Any]
Folders = Callable[[], Awaitable[Iterable[str]]]
"""Asks the client for its folders, as file URIs."""


class UnknownError(Exception):
    """There is no such tool. The message is for the client."""


class Answers:
    """Answers the requests of one client, one after another, on the event loop.

    `begin` makes an engine for the knowledge bases of `projects`, and follows the disk for it.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        projects: Projects,
        begin: Callable[[], Engine],
        *,
        every_tool: bool,
    ) -> None:
        self._env = env
        self._projects = projects
        self._begin = begin
        self._engine: Engine | None = None
        self._turn = anyio.Lock()
        self._tools = tools(every=every_tool)

    async def begin_unless_served(self) -> None:
        """Begin to read the knowledge bases, if no process serves them."""
        try:
            await self._ask_holder(PROCESS, {}, self._projects.named(), SOON_SECONDS)
        except UnansweredError:
            self._own_engine()

    async def answer(self, method: str, params: Any, folders: Folders | None = None) -> Object:
        """The result of a request. `folders` gives those that the client names. Raises
        `UnknownError`.
        """
        if method == "tools/list":
            return {"tools": self._tools}
        name = params.name
        operation = OPERATIONS.get(name.removeprefix(TOOL_PREFIX))
        if not name.startswith(TOOL_PREFIX) or operation is None:
            raise UnknownError("there is no such tool")
        given, notes = read(operation, input_schema(operation.name), params.arguments or {})
        root = given.get("root")
        if isinstance(root, str) and (root in (".", "./") or UNFILLED in root):
            del given["root"]  # the project, whichever it is
        try:
            async with self._turn:
                if isinstance(root := given.get("root"), str):
                    given["root"] = root = path_of(root)
                named = [] if folders is None or self._projects.is_chosen else await folders()
                roots = self._projects.named(named)
                if isinstance(root, str):
                    roots = self._projects.of(root)
                result = await self._called(operation, given, roots)
        except Exception as error:  # the error's text may hold a prompt
            log.error("a tool failed: %s", type(error).__name__)
            return refused("internal_error: internal error")
        if not roots:
            result["content"] = content(self._projects.why_none())["content"]
            result["isError"] = UNFILLED in str(self._projects.start)  # a mistake to be mended
        result["content"] += [part for note in notes for part in content(note)["content"]]
        return result

    async def _called(
        self, operation: Operation[Any, Any], params: Object, roots: frozenset[Path]
    ) -> Object:
        """The result of a tool, from the process that holds the socket, else from this one."""
        method = f"{TOOL}{operation.name}"
        if roots:
            with suppress(UnansweredError):
                seconds = HOLDER_SECONDS if self._engine is None else SOON_SECONDS
                return await self._ask_holder(method, params, roots, seconds)
        engine = self._own_engine()
        for root in roots - engine.collections.keys():
            engine.serve_from(root)
        caller = Caller("mcp", roots=roots, is_model=True)
        if not roots:
            params = {name: value for name, value in params.items() if name != "root"}
        request = {"method": method, "params": params}
        result: Object = (await answer_agent(engine, request, caller, lambda: True))["result"]
        return result

    async def _ask_holder(
        self, method: str, params: Object, roots: frozenset[Path], seconds: float
    ) -> Object:
        """The result that the holder of the socket gives. Raises `UnansweredError`."""
        asked = partial(ask, roots, method, params, env=self._env, timeout=seconds)
        result: Object = await anyio.to_thread.run_sync(asked, abandon_on_cancel=True)
        return result

    def _own_engine(self) -> Engine:
        """The engine of this process, made when it is first needed."""
        self._engine = self._engine or self._begin()
        return self._engine
