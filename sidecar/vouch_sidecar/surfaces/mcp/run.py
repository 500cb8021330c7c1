"""Runs the process of `vouch-sidecar mcp`: one client over the standard streams."""

from __future__ import annotations

import json
import logging
import re
import signal
from collections.abc import Mapping
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from threading import Condition
from typing import IO, Any, BinaryIO

import anyio
from mcp.server.stdio import stdio_server

from vouch_sidecar.engine import DiskFollower, Engine
from vouch_sidecar.surfaces.background import in_background
from vouch_sidecar.surfaces.local.client import SOON_SECONDS
from vouch_sidecar.surfaces.mcp.sdk import build
from vouch_sidecar.surfaces.mcp.server import HOLDER_SECONDS, Answers
from vouch_sidecar.surfaces.projects import Projects
from vouch_sidecar.surfaces.stdio import MAX_MESSAGE, claim_streams, end_with_client, leave

INTERRUPTED = 130
LAST_SECONDS = SOON_SECONDS + HOLDER_SECONDS
"""How long to wait for answers after the end of the input, the first ones included, also where the
socket's holder hangs. A client that allows less ends the process.
"""
CANCELLED = "notifications/cancelled"
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
    unanswered = Unanswered()
    lines = RequestLines(BufferedReader(source), unanswered)
    answers = AnswerLines(sink, unanswered)
    projects = Projects(env, start, is_chosen=is_chosen)
    anyio.run(_serve, env, projects, every_tool, lines, answers)


class Unanswered:
    """The requests of the client that have no answer yet, as its lines and ours say. The SDK drops
    them when its input ends: a client that writes all and closes the pipe would get no answers.
    """

    def __init__(self) -> None:
        self._ids: set[object] = set()
        self._changed = Condition()

    def asked(self, line: str) -> None:
        message = _object(line)
        if message.get("method") == CANCELLED:
            params = message.get("params")
            self._done(params.get("requestId") if isinstance(params, dict) else None)
        elif "method" in message and message.get("jsonrpc") == "2.0":
            with self._changed:
                self._ids |= _ids(message.get("id"))

    def answered(self, line: str) -> None:
        message = _object(line)
        if "method" not in message:
            self._done(message.get("id"))

    def wait(self) -> None:
        """Wait until there are none, for at most `LAST_SECONDS`."""
        with self._changed:
            self._changed.wait_for(lambda: not self._ids, LAST_SECONDS)

    def _done(self, request_id: object) -> None:
        with self._changed:
            self._ids -= _ids(request_id)
            self._changed.notify_all()


def _ids(request_id: object) -> set[object]:
    return {request_id} if isinstance(request_id, str | int) else set()


def _object(line: str) -> dict[str, Any]:
    """The object in a line of JSON; {} without one."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


class RequestLines(TextIOWrapper):
    """The client's lines; the last one is followed by the end once all of them are answered. Lone
    surrogates are replaced: the SDK does not answer a request that contains one. Of a line that is
    too long an empty one is left, which the SDK passes over.
    """

    def __init__(self, source: IO[bytes], unanswered: Unanswered) -> None:
        super().__init__(source, encoding="utf-8", errors="replace")
        self._unanswered = unanswered

    def readline(self, _size: int = -1) -> str:  # type: ignore[override]
        line = super().readline(MAX_MESSAGE)
        if len(line) == MAX_MESSAGE and not line.endswith("\n"):
            while line and not line.endswith("\n"):
                line = super().readline(MAX_MESSAGE)
            return "\n"
        if not line:
            self._unanswered.wait()
        if ESCAPED_SURROGATE.search(line) and (message := _object(line)):
            text = json.dumps(message, ensure_ascii=False)
            line = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") + "\n"
        self._unanswered.asked(line)
        return line


class AnswerLines(TextIOWrapper):
    """Our lines to the client."""

    def __init__(self, sink: BinaryIO, unanswered: Unanswered) -> None:
        super().__init__(sink, encoding="utf-8")
        self._unanswered = unanswered

    def write(self, line: str) -> int:
        written = super().write(line)
        self.flush()
        self._unanswered.answered(line)
        return written


async def _serve(
    env: Mapping[str, str],
    projects: Projects,
    every_tool: bool,
    lines: RequestLines,
    output: AnswerLines,
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
            await server.run(source, sink, server.create_initialization_options())
        leave(0)
