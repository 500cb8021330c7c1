"""Runs the process of `vouch-sidecar mcp`: one client of the MCP SDK over the standard streams."""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import Mapping
from contextlib import suppress
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import McpError
from mcp.shared.message import SessionMessage

from vouch_sidecar import __version__
from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.surfaces.background import in_background
from vouch_sidecar.surfaces.lines import lines_of, send
from vouch_sidecar.surfaces.local.client import SOON_SECONDS
from vouch_sidecar.surfaces.mcp.answers import HOLDER_SECONDS, Answers
from vouch_sidecar.surfaces.mcp.tools import INSTRUCTIONS, operation_of, tools
from vouch_sidecar.surfaces.projects import Projects
from vouch_sidecar.surfaces.stdio import claim_streams, end_with_client, leave

MCP_NAME = "vouch-sidecar"
INTERRUPTED = 130
LAST_SECONDS = SOON_SECONDS + HOLDER_SECONDS
"""How long to wait for answers after the end of the input, the first ones included, also where the
socket's holder hangs. A client that allows less ends the process.
"""
LOOK_SECONDS = 0.02
OFFERS_ROOTS = types.ClientCapabilities(roots=types.RootsCapability())


def run_mcp(
    env: Mapping[str, str], start: Path, *, is_chosen: bool, every_tool: bool = False
) -> None:
    """Serve the knowledge base found from folder `start`, or from where the client says its project
    is unless `is_chosen`, until standard input ends, then end the process. `every_tool`: list all
    tools, not only those that a model needs.
    """
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    logging.getLogger("mcp").propagate = False  # the SDK's log may contain prompts
    # The thread that waits for a line can be neither interrupted nor cancelled.
    signal.signal(signal.SIGINT, lambda *_: leave(INTERRUPTED))
    source, sink = claim_streams()
    end_with_client(sink.fileno())
    anyio.run(_serve, env, Projects(env, start, is_chosen=is_chosen), every_tool, source, sink)


async def _serve(
    env: Mapping[str, str], projects: Projects, every_tool: bool, source: RawIOBase, sink: BinaryIO
) -> None:
    async with anyio.create_task_group() as tasks:

        def begin() -> Engine:
            engine = Engine(env=env)
            for root in projects.named():
                engine.registry.add_start(root)
            tasks.start_soon(in_background, DiskFollower(engine).run)
            return engine

        answers, client = Answers(env, projects, begin), Client()
        tasks.start_soon(in_background, answers.begin_unless_served)
        server = server_of(answers, every_tool=every_tool)
        tasks.start_soon(client.read, source)
        tasks.start_soon(client.write, sink)
        await server.run(*client.streams, server.create_initialization_options())


def server_of(answers: Answers, *, every_tool: bool) -> Server[Any, Any]:
    """The SDK's server, which sends `answers`. Its decorators would validate arguments, and quote
    invalid ones in errors.
    """
    server: Server[Any, Any] = Server(MCP_NAME, version=__version__, instructions=INSTRUCTIONS)
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
        if (operation := operation_of(asked.name)) is None:
            unknown = "there is no such tool"
            raise McpError(types.ErrorData(code=types.INVALID_PARAMS, message=unknown))
        answered = await answers.called(operation, asked.arguments or {}, folders)
        return types.ServerResult(types.CallToolResult.model_validate(answered))

    server.request_handlers[types.ListToolsRequest] = list_tools
    server.request_handlers[types.CallToolRequest] = call_tool
    return server


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

    async def read(self, source: RawIOBase) -> None:
        async for line in lines_of(source):
            try:
                message = types.JSONRPCMessage.model_validate_json(_well_formed(line))
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


def _well_formed(line: bytes) -> bytes:
    """A line without lone surrogates, with which the SDK takes no message. Raises ValueError."""
    said = json.loads(line.decode("utf-8", "replace"))
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")
