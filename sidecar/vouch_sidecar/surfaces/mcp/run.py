"""Runs the process of `vouch-sidecar mcp`: one client of the MCP SDK over the standard streams.

The process that holds the user's socket answers. Where none does, or this one's environment sets a
model, the engine of this process does.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import anyio
from anyio.to_thread import run_sync as in_worker
from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import McpError
from mcp.shared.message import SessionMessage

from vouch_sidecar import __version__
from vouch_sidecar.engine import Caller, Engine, running
from vouch_sidecar.kb.discovery import Found
from vouch_sidecar.kb.runtime_folder import READY_SECONDS
from vouch_sidecar.operations.operation import Operation, operations
from vouch_sidecar.operations.wire import OperationError
from vouch_sidecar.surfaces.agent_requests import Object, content, refused, tool_result
from vouch_sidecar.surfaces.jsonl import lines_of, send
from vouch_sidecar.surfaces.local.user_socket import (
    SOON_SECONDS,
    TOOL,
    ask,
    connect,
)
from vouch_sidecar.surfaces.mcp.tools import INSTRUCTIONS, TOOL_PREFIX, known, meant, tools
from vouch_sidecar.surfaces.projects import UNFILLED, Projects
from vouch_sidecar.surfaces.stdio import claim_streams, leave, well_formed

LAST_SECONDS = 2 * SOON_SECONDS + READY_SECONDS
"""How long to wait for answers after the end of the input, the first ones included, also where the
socket's holder hangs. A client that allows less ends the process.
"""
LOOK_SECONDS = 0.02
OFFERS_ROOTS = types.ClientCapabilities(roots=types.RootsCapability())

log = logging.getLogger(__name__)

Folders = Callable[[], Awaitable[Iterable[str]]]


def run_mcp(
    env: Mapping[str, str], start: Path, *, is_chosen: bool, every_tool: bool = False
) -> None:
    """Serve the knowledge base found from folder `start`, or from where the client says its project
    is unless `is_chosen`, until standard input ends, then end the process. `every_tool`: list all
    tools, not only those that a model needs.
    """
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    logging.getLogger("mcp").propagate = False  # the SDK's log may contain prompts
    source, sink = claim_streams()
    anyio.run(_serve, env, Projects(env, start, is_chosen=is_chosen), every_tool, source, sink)


async def _serve(
    env: Mapping[str, str], projects: Projects, every_tool: bool, source: BinaryIO, sink: BinaryIO
) -> None:
    engine, client = Engine(env=env), Client()
    if (connected := connect(env)) is not None:
        connected.close()
    else:  # its first call shall not wait for the first read
        engine.registry.add(projects.asked({}).places)
    server = server_of(Answers(projects, engine), every_tool=every_tool)
    async with anyio.create_task_group() as tasks, running(engine):
        tasks.start_soon(client.read, source)
        tasks.start_soon(client.write, sink)
        await server.run(*client.streams, server.create_initialization_options())


def server_of(answers: Answers, *, every_tool: bool) -> Server[Any, Any]:
    """The SDK's server, which sends `answers`. Its decorators would validate arguments, and quote
    invalid ones in errors.
    """
    server: Server[Any, Any] = Server("vouch-sidecar", __version__, INSTRUCTIONS)
    listed = types.ListToolsResult.model_validate({"tools": tools(every=every_tool)})

    async def folders() -> list[str]:
        """The client's roots; none where it names some that are no files."""
        session = server.request_context.session
        if session.check_client_capability(OFFERS_ROOTS):
            with anyio.move_on_after(SOON_SECONDS), suppress(McpError, ValueError):
                return [str(root.uri) for root in (await session.list_roots()).roots]
        return []

    async def list_tools(_: types.ListToolsRequest) -> types.ServerResult:
        return types.ServerResult(listed)

    async def call_tool(request: types.CallToolRequest) -> types.ServerResult:
        asked = request.params
        if (operation := operations().get(asked.name.removeprefix(TOOL_PREFIX))) is None:
            no_such = types.ErrorData(code=types.INVALID_PARAMS, message="there is no such tool")
            raise McpError(no_such)
        answered = await answers.called(operation, asked.arguments or {}, folders)
        return types.ServerResult(types.CallToolResult.model_validate(answered))

    server.request_handlers[types.ListToolsRequest] = list_tools
    server.request_handlers[types.CallToolRequest] = call_tool
    return server


@dataclass
class Answers:
    """Answers the calls of one client, one after another, on the event loop. `engine` serves the
    knowledge bases of `projects` where no other process does.
    """

    projects: Projects
    engine: Engine
    _turn: anyio.Lock = field(default_factory=anyio.Lock)

    async def called(
        self, operation: Operation[Any, Any], arguments: Object, folders: Folders
    ) -> Object:
        """The result of a tool. `folders` gives those that the client names."""
        params, notes = known(operation, arguments)
        try:
            async with self._turn:
                result = await self._result(operation, meant(operation, params), folders)
        except OperationError as error:
            result = refused(f"{error.code}: {error}")
        except Exception as error:  # the error's text may hold a prompt
            log.error("a tool failed: %s", type(error).__name__)
            result = refused("internal_error: internal error")
        result["content"] += [part for note in notes for part in content(note)["content"]]
        return result

    async def _result(
        self, operation: Operation[Any, Any], params: Object, folders: Folders
    ) -> Object:
        projects, root = self.projects, params.pop("root", None)
        # Where it names none, the project is meant, whichever it is.
        if is_named := root is not None and root not in (".", "./") and UNFILLED not in root:
            params["root"] = root
        is_open = not (is_named or projects.is_chosen)
        found = projects.asked(params, await folders() if is_open else ())
        if found.places:
            return await self._answered(operation, params, found)
        result = await self._answered(operation, {**params, "root": None}, found)
        why = content(projects.why_none(found, is_named=is_named))
        return {**result, **why, "isError": UNFILLED in str(projects.start)}

    async def _answered(
        self, operation: Operation[Any, Any], params: Object, found: Found
    ) -> Object:
        """The result of a tool, from the process that holds the socket, else from this one."""
        method, places, env = TOOL + operation.name, frozenset(found.places), self.engine.env
        is_patient = not self.engine.registry.collections
        held = partial(ask, places, method, params, env=env, is_patient=is_patient)
        answered: Object | None = await in_worker(held, abandon_on_cancel=True)
        if answered is not None:
            return answered
        self.engine.registry.add(places)
        caller = Caller(places=places, is_model=True)
        return await tool_result(self.engine, operation, params, caller)


class Client:
    """The client's messages, for the SDK. The SDK drops what is under way at the end of its input,
    so that a client that writes all and closes the pipe would get no answers: it learns of no end,
    and the process ends once all is answered.
    """

    def __init__(self) -> None:
        self._asked, asked = anyio.create_memory_object_stream[SessionMessage | Exception]()
        answered, self._answered = anyio.create_memory_object_stream[SessionMessage]()
        self.streams = asked, answered
        self._unanswered: set[str | int] = set()

    async def read(self, source: BinaryIO) -> None:
        async for line in lines_of(source):
            try:
                # The SDK takes no message with a lone surrogate.
                said = json.dumps(json.loads(line.decode("utf-8", "replace")), ensure_ascii=False)
                message = types.JSONRPCMessage.model_validate_json(well_formed(said))
            except (ValueError, RecursionError):
                continue
            if isinstance(message.root, types.JSONRPCRequest):
                self._unanswered.add(message.root.id)
            await self._asked.send(SessionMessage(message))
        with anyio.move_on_after(LAST_SECONDS):
            while self._unanswered:
                await anyio.sleep(LOOK_SECONDS)
        leave(0)

    async def write(self, sink: BinaryIO) -> None:
        async for answer in self._answered:
            said = answer.message.model_dump_json(by_alias=True, exclude_none=True)
            await send(sink, said.encode() + b"\n")
            self._unanswered.discard(getattr(answer.message.root, "id", ""))
