"""The answers of the MCP server, as JSON objects of the protocol.

`sdk1` and `sdk2` pass them to the installed version of the SDK.

The process that owns the socket of the knowledge base, this one or another, answers calls that name
a session. This process answers all others, and all calls while nobody owns the socket.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from pydantic import ValidationError

from vouch_sidecar.engine import Caller, DiskFollower, Engine
from vouch_sidecar.kb.access import viewer_in
from vouch_sidecar.kb.discovery import discover
from vouch_sidecar.operations import (
    OPERATIONS,
    InvalidParamsError,
    Operation,
    Result,
    SearchFailedError,
    as_json,
    perform_async,
    refuse_unknown,
)
from vouch_sidecar.operations.context import ContextResult
from vouch_sidecar.operations.readiness import indexed, ready, seconds_to_wait
from vouch_sidecar.retrieval.blocks.block import safe
from vouch_sidecar.surfaces.hook.event_answers import prepare, respond
from vouch_sidecar.surfaces.hook.payload import edited_file
from vouch_sidecar.surfaces.local.client import ask
from vouch_sidecar.surfaces.mcp import resources
from vouch_sidecar.surfaces.mcp.resources import harmless
from vouch_sidecar.surfaces.mcp.tools import TOOL_PREFIX, tools

log = logging.getLogger(__name__)

MCP_NAME = "vouch-sidecar"
OWNER_SECONDS = 2.0
"""Time limit for an answer of the socket's owner."""

Object = dict[str, Any]


class UnknownError(Exception):
    """There is no such tool or resource. The message is for the client."""


class Answers:
    """Answers the requests of one client, one after another, on the event loop."""

    def __init__(
        self, engine: Engine, follower: DiskFollower, start: Path, *, every_tool: bool
    ) -> None:
        self._engine = engine
        self._follower = follower
        self._start = start
        self._caller = Caller(connection="mcp", is_model=True)
        self._turn = anyio.Lock()
        self._tools = tools(every=every_tool)

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
        return await self._read(str(params.uri))

    async def _call(self, name: str, arguments: Object) -> Object:
        """The result of a tool. Raises `UnknownError`."""
        try:
            async with self._turn:
                return await self._call_tool(name, arguments)
        except UnknownError:
            raise
        except InvalidParamsError as error:
            code = "missing_param" if error.missing else "invalid_request"
            return _refused(f"{code}: {safe(str(error))}")
        except SearchFailedError as error:
            return _refused(f"internal_error: {error}")
        except Exception as error:  # the error's text may hold a prompt
            log.error("a tool failed: %s", type(error).__name__)
            return _refused("internal_error: internal error")

    async def _read(self, uri: str) -> Object:
        """The contents of a resource. Raises `UnknownError`."""
        async with self._turn:
            await self._ready()
            try:
                text = await resources.read(self._engine, self._caller, uri)
            except InvalidParamsError:
                text = None
        if text is None:
            raise UnknownError("there is no such resource")
        return {"contents": [{"uri": uri, "mimeType": resources.JSON, "text": text}]}

    async def _call_tool(self, name: str, arguments: Object) -> Object:
        if name == "hook_prompt":
            return await self._call_hook("user-prompt-submit", arguments)
        if name == "hook_file":
            file = {key: arguments.get(key) for key in ("file_path", "content")}
            rest = {key: value for key, value in arguments.items() if key not in file}
            return await self._call_hook("post-tool-use", {**rest, "tool_input": file})
        operation = (
            OPERATIONS.get(name.removeprefix(TOOL_PREFIX)) if name.startswith(TOOL_PREFIX) else None
        )
        if operation is None:
            raise UnknownError("there is no such tool")
        return await self._call_operation(operation, arguments)

    async def _call_operation(self, operation: Operation[Any, Any], params: Object) -> Object:
        """The result of an operation, with texts made `harmless`, and its summary for a model."""
        await self._ready()
        refuse_unknown(operation, params, self._engine)
        result = await self._result(operation, params)
        structured = harmless(as_json(result))
        if isinstance(result, ContextResult):
            structured["text"] = result.text  # a block is safe and may have several lines
        shown = operation.result.model_validate(structured)
        views = [kb.view for kb in self._engine.serving(self._caller, viewer_in(params))]
        return {**_text(operation.readable(shown, views)), "structuredContent": structured}

    async def _result(self, operation: Operation[Any, Any], params: Object) -> Result:
        if isinstance(params.get("session_id"), str):
            roots = self._engine.collections
            answered = await self._ask_owner(roots, operation.kb_method, params)
            if answered is not None and "result" in answered:
                with suppress(ValidationError):  # an owner of another version
                    owners: Result = operation.result.model_validate(answered["result"])
                    return owners
        await ready(self._engine, operation, self._caller)
        result: Result = await perform_async(self._engine, operation, params, self._caller)
        return result

    async def _call_hook(self, event: str, payload: Object) -> Object:
        """A hook's answer to an event, as JSON in the text of a tool's result.

        Claude Code 2.1.197 ignores plain text from a tool (November 2026).
        """
        answered = await self._hook_output(event, payload)
        return _text(json.dumps(answered, ensure_ascii=False) if answered else "")

    async def _hook_output(self, event: str, payload: Object) -> Any:
        """A hook's answer to an event; None if there is nothing to say."""
        cwd = payload.get("cwd")
        cwd = cwd if isinstance(cwd, str) and cwd else str(self._start)
        payload = {**payload, "cwd": cwd}
        roots = frozenset(Path(root) for root in discover(cwd, env=self._engine.env))
        if not roots:
            return None
        self._search_from(Path(cwd))
        caller = replace(self._caller, roots=roots)
        await prepare(self._engine, event, caller)
        answered = await self._ask_owner(roots, f"hook.{event}", payload)
        if answered is not None and answered.get("ok") is True:
            return answered.get("result")
        if not roots <= self._engine.collections.keys():
            return None
        if (path := edited_file(payload)) is not None:
            self._follower.check_soon([Path(path)])
        return await respond(self._engine, event, payload, caller)

    async def _ask_owner(self, roots: Iterable[Path], method: str, params: Object) -> Object | None:
        """The answer of the socket's owner, which may be this process; None without one."""
        env = self._engine.env
        asked = partial(ask, list(roots), method, params, timeout=OWNER_SECONDS, env=env)
        return await anyio.to_thread.run_sync(asked)

    async def _ready(self) -> None:
        self._search_from(self._start)
        await indexed(self._engine, seconds_to_wait(self._engine))

    def _search_from(self, start: Path) -> None:
        """Search for a knowledge base again, while none is served."""
        if not self._engine.collections and self._engine.registry.add_start(start):
            self._follower.check_soon()


def _refused(message: str) -> Object:
    log.debug("refused: %s", message.partition(":")[0])
    return {**_text(message), "isError": True}


def _text(text: str) -> Object:
    return {"content": [{"type": "text", "text": text}]}
