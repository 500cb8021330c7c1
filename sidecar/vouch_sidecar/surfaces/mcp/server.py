"""The answers of the MCP server, as JSON objects of the protocol.

`sdk1` and `sdk2` pass them to the installed version of the SDK.

The process that owns the socket of the knowledge base answers. Where none of this version does, or
the environment has settings, this process makes an engine, and tries to own the socket. From then
on it asks the socket's owner, which may be itself, only where a call is about a session.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.collection import READY_SECONDS
from vouch_sidecar.kb.discovery import discover, has_settings
from vouch_sidecar.operations import OPERATIONS
from vouch_sidecar.surfaces import resources
from vouch_sidecar.surfaces.agent_requests import answer_agent, content, refused
from vouch_sidecar.surfaces.local.client import (
    HOOK,
    PROCESS,
    RESOURCE,
    SOON_SECONDS,
    TOOL,
    UnansweredError,
    ask,
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
    """There is no such tool or resource. The message is for the client."""


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
        self._begun = begin() if has_settings(env) else None
        self._turn = anyio.Lock()
        self._tools = tools(every=every_tool)

    async def begin_unless_served(self) -> None:
        """Begin to read the knowledge bases, if no process serves them."""
        try:
            await self._ask_owner(self._roots(self._start), PROCESS, {}, __version__)
        except UnansweredError:
            self._own_engine()

    async def answer(self, method: str, params: Any) -> Object:
        """The result of a request. Raises `UnknownError`."""
        match method:
            case "tools/list":
                return {"tools": self._tools}
            case "tools/call":
                return await self._call(params.name, params.arguments or {})
            case "resources/list":
                return {"resources": resources.RESOURCES}
            case "resources/templates/list":
                return {"resourceTemplates": resources.TEMPLATES}
        contents: Object | None
        async with self._turn:
            contents = await self._ask(RESOURCE, {"uri": str(params.uri)}, self._start)
        if contents is None:
            raise UnknownError("there is no such resource")
        return contents

    async def _call(self, name: str, arguments: Object) -> Object:
        """The result of a tool. Raises `UnknownError`."""
        try:
            async with self._turn:
                return await self._call_tool(name, arguments)
        except UnknownError:
            raise
        except Exception as error:  # the error's text may hold a prompt
            log.error("a tool failed: %s", type(error).__name__)
            return refused("internal_error: internal error")

    async def _call_tool(self, name: str, arguments: Object) -> Object:
        if name == "hook_prompt":
            return await self._call_hook("user-prompt-submit", arguments)
        if name == "hook_file":
            file = {key: arguments.get(key) for key in ("file_path", "content")}
            rest = {key: value for key, value in arguments.items() if key not in file}
            return await self._call_hook("post-tool-use", {**rest, "tool_input": file})
        operation = name.removeprefix(TOOL_PREFIX)
        if not name.startswith(TOOL_PREFIX) or operation not in OPERATIONS:
            raise UnknownError("there is no such tool")
        result: Object = await self._ask(f"{TOOL}{operation}", arguments, self._start)
        return result

    async def _call_hook(self, event: str, payload: Object) -> Object:
        """A hook's answer to an event, as JSON in the text of a tool's result.

        Claude Code 2.1.197 ignores plain text from a tool (November 2026).
        """
        cwd = payload.get("cwd")
        cwd = cwd if isinstance(cwd, str) and cwd else str(self._start)
        answered = await self._ask(f"{HOOK}{event}", {**payload, "cwd": cwd}, Path(cwd))
        return content(json.dumps(answered, ensure_ascii=False) if answered else "")

    async def _ask(self, method: str, params: Object, start: Path) -> Any:
        """The result of a request about the knowledge bases found from a folder."""
        roots = self._roots(start)
        is_of_hook = method.startswith(HOOK)
        if is_of_hook and not roots:
            return None
        if self._begun is not None:
            self._search_from(start)
        if self._begun is None or is_of_hook or isinstance(params.get("session_id"), str):
            version = None if is_of_hook else __version__
            with suppress(UnansweredError):
                return await self._ask_owner(roots, method, params, version)
        engine = self._own_engine()
        self._search_from(start)
        roots &= engine.collections.keys()
        if is_of_hook and not roots:
            return None
        # Where no knowledge base was found at the start, tools ask those that hooks led to.
        caller = Caller("mcp", roots=roots or None, is_model=True)
        request = {"method": method, "params": params}
        answered = await answer_agent(engine, request, caller, lambda: True)
        return answered.get("result")

    async def _ask_owner(
        self, roots: frozenset[Path], method: str, params: Object, version: str | None
    ) -> Any:
        """The result that the socket's owner gives. Raises `UnansweredError`."""
        is_question = self._begun is None and method.startswith((TOOL, RESOURCE))
        asked = partial(
            ask,
            roots,
            method,
            params,
            env=self._env,
            timeout=OWNER_SECONDS if is_question else SOON_SECONDS,
            version=version,
        )
        return result_of(await anyio.to_thread.run_sync(asked, abandon_on_cancel=True))

    def _own_engine(self) -> Engine:
        """The engine of this process, made when it is first needed."""
        self._begun = self._begun or self._begin()
        return self._begun

    def _search_from(self, start: Path) -> None:
        """Search for a knowledge base again, while none is served here."""
        engine = self._own_engine()
        if not engine.collections:
            engine.serve_from(start)

    def _roots(self, start: Path) -> frozenset[Path]:
        return frozenset(map(Path, discover(start, env=self._env)))
