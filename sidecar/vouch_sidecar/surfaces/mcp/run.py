"""Runs the process of `vouch-sidecar mcp`: one client over the standard streams."""

from __future__ import annotations

import json
import logging
import re
import signal
from collections.abc import Mapping
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.surfaces.background import in_background
from vouch_sidecar.surfaces.mcp.pending import Incoming, Outgoing, Pending
from vouch_sidecar.surfaces.mcp.sdk import build
from vouch_sidecar.surfaces.mcp.server import Answers
from vouch_sidecar.surfaces.projects import Projects
from vouch_sidecar.surfaces.stdio import claim_streams, end_with_client, leave
from vouch_sidecar.surfaces.streams import MAX_MESSAGE

INTERRUPTED = 130
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
    # The SDK's thread that waits for a message can be neither interrupted nor cancelled.
    signal.signal(signal.SIGINT, lambda *_: leave(INTERRUPTED))
    source, sink = claim_streams()
    end_with_client(sink.fileno())
    lines = WellFormed(BufferedReader(source), encoding="utf-8", errors="replace")
    output = TextIOWrapper(sink, encoding="utf-8")
    projects = Projects(env, start, is_chosen=is_chosen)
    anyio.run(_serve, env, projects, every_tool, lines, output)


class WellFormed(TextIOWrapper):
    """Replaces lone surrogates in lines of JSON: the SDK does not answer a request that contains
    one. Of a line that is too long an empty one is left, which the SDK passes over.
    """

    def readline(self, _size: int = -1) -> str:  # type: ignore[override]
        line = super().readline(MAX_MESSAGE)
        if len(line) == MAX_MESSAGE and not line.endswith("\n"):
            while line and not line.endswith("\n"):
                line = super().readline(MAX_MESSAGE)
            return "\n"
        if not ESCAPED_SURROGATE.search(line):
            return line
        try:
            text = json.dumps(json.loads(line), ensure_ascii=False)
        except (ValueError, RecursionError):
            return line
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") + "\n"


async def _serve(
    env: Mapping[str, str],
    projects: Projects,
    every_tool: bool,
    lines: TextIOWrapper,
    output: TextIOWrapper,
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
        server = build(answers)
        streams = stdio_server(anyio.wrap_file(lines), anyio.wrap_file(output))
        async with streams as (source, sink):
            pending = Pending()
            incoming: Any = Incoming(source, pending)
            outgoing: Any = Outgoing(sink, pending)
            await server.run(incoming, outgoing, server.create_initialization_options())
        leave(0)
