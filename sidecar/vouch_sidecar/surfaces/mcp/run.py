"""Runs the process of `vouch-sidecar mcp`: one client over the standard streams."""

from __future__ import annotations

import json
import logging
import re
import signal
from collections.abc import Mapping
from io import RawIOBase
from pathlib import Path
from typing import BinaryIO

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage, JSONRPCRequest

from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.engine.changed import Changed
from vouch_sidecar.surfaces.background import in_background
from vouch_sidecar.surfaces.lines import lines_of, send
from vouch_sidecar.surfaces.local.client import SOON_SECONDS
from vouch_sidecar.surfaces.mcp.sdk import build
from vouch_sidecar.surfaces.mcp.server import HOLDER_SECONDS, Answers
from vouch_sidecar.surfaces.projects import Projects
from vouch_sidecar.surfaces.stdio import claim_streams, end_with_client, leave

INTERRUPTED = 130
LAST_SECONDS = SOON_SECONDS + HOLDER_SECONDS
"""How long to wait for answers after the end of the input, the first ones included, also where the
socket's holder hangs. A client that allows less ends the process.
"""
ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


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

        answers = Answers(env, projects, begin, every_tool=every_tool)
        tasks.start_soon(in_background, answers.begin_unless_served)
        server, client = build(answers), Client()
        tasks.start_soon(client.read, source)
        tasks.start_soon(client.write, sink)
        await server.run(*client.streams, server.create_initialization_options())


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
        self._changed = Changed()

    async def read(self, source: RawIOBase) -> None:
        async for line in lines_of(source):
            try:
                message = JSONRPCMessage.model_validate_json(_well_formed(line))
            except (ValueError, RecursionError):
                continue
            if isinstance(message.root, JSONRPCRequest):
                self._unanswered.add(message.root.id)
            await self._asked.send(SessionMessage(message))
        with anyio.move_on_after(LAST_SECONDS):
            while self._unanswered:
                await self._changed.since(self._changed.count)
        leave(0)

    async def write(self, sink: BinaryIO) -> None:
        async for answer in self._answered:
            said = answer.message.model_dump_json(by_alias=True, exclude_none=True)
            await send(sink, said.encode() + b"\n")
            self._unanswered.discard(getattr(answer.message.root, "id", ""))
            self._changed.bump()


def _well_formed(line: bytes) -> str:
    """A line with lone surrogates replaced: the SDK does not take a message that contains one.
    Raises ValueError.
    """
    text = line.decode("utf-8", "replace")
    if ESCAPED_SURROGATE.search(text):
        text = json.dumps(json.loads(text), ensure_ascii=False)
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
