"""Asks the process that holds the user's socket. Standard library only. Blocks."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterable, Mapping
from time import monotonic
from typing import Any, Literal

from vouch_sidecar.kb.discovery import FORCED, is_setting
from vouch_sidecar.kb.runtime_folder import usable_folder
from vouch_sidecar.surfaces.local.address import has_sockets, socket_path

Reader = Literal["model", "person"]
"""Who reads an answer."""

MAX_LOCAL_MESSAGE = 8 << 20
"""Bytes of a message over the socket, either way."""
PROCESS = "process"
"""The method by which a process says what it is: its id as `process`, whether it is `resident`, and
its `version`.
"""
STOP_PROCESS = "stop"
"""The method that ends a resident process; it answers with the roots that it served."""
HOOK, TOOL = "hook.", "tool."
"""What the methods begin with by which agents ask: an event of a hook or an operation as a tool of
MCP, whose names follow.
"""
OF_AGENTS = (HOOK, TOOL)
SOON_SECONDS = 2.0
"""Time limit for a process that has read its files."""
BEGINNING_SECONDS = 10.0
"""For so long after a process took the socket, its answers may have to wait for what it reads."""
LEAST_SECONDS = 0.001
"""Shortest timeout of a socket: 0 would make the socket non-blocking."""
VIEWER_VARIABLES = ("VOUCH_PROJECT", "VOUCH_AGENT")
MODEL = "VOUCH_SIDECAR_SEMANTIC_"
"""How the variables begin that set a model. A process that has one asks nobody."""


class UnansweredError(Exception):
    """No process holds the socket, it refuses, or its answer is of no use."""


class Process:
    """A connection to the process that holds the socket. Viewer and settings in `env` are sent
    along, because the process has another environment.
    """

    def __init__(
        self,
        connected: socket.socket,
        roots: Iterable[str | os.PathLike[str]],
        env: Mapping[str, str],
    ) -> None:
        self._socket = connected
        self._common = {"roots": sorted(os.fspath(root) for root in roots), "env": carried(env)}

    def ask(
        self, method: str, params: Mapping[str, Any], seconds: float, reader: Reader = "model"
    ) -> dict[str, Any] | None:
        """The answer, in the form of the JSONL surface; None if none comes within `seconds`. Ask
        once: a late answer would be taken for that to the next question.
        """
        until = monotonic() + seconds
        asked = {"id": 1, "method": method, "params": params, "reader": reader, **self._common}
        received = bytearray()
        try:
            self._socket.settimeout(max(seconds, LEAST_SECONDS))
            self._socket.sendall(json.dumps(asked, separators=(",", ":")).encode("ascii") + b"\n")
            while not received.endswith(b"\n") and len(received) <= MAX_LOCAL_MESSAGE:
                self._socket.settimeout(max(until - monotonic(), LEAST_SECONDS))
                if not (data := self._socket.recv(1 << 16)):
                    return None
                received += data
            answered = json.loads(received)
        except (OSError, ValueError, RecursionError):
            return None
        return answered if isinstance(answered, dict) else None


def connect(
    env: Mapping[str, str], timeout: float = SOON_SECONDS, path: str | None = None
) -> socket.socket | None:
    """A connection to the holder of the socket, or of that at `path`; None without one. The folder
    of the socket is closed to other users.
    """
    if not has_sockets():
        return None
    connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        usable_folder(env)
        connected.settimeout(max(timeout, LEAST_SECONDS))
        connected.connect(path or socket_path(env))
        return connected
    except OSError:
        connected.close()
        return None


def is_beginning(env: Mapping[str, str]) -> bool:
    """Whether the holder of the socket took it a moment ago."""
    try:
        return time.time() - os.stat(socket_path(env)).st_mtime < BEGINNING_SECONDS
    except OSError:
        return True


def ask(
    roots: Iterable[str | os.PathLike[str]],
    method: str,
    params: Mapping[str, Any],
    *,
    env: Mapping[str, str],
    timeout: float,
    reader: Reader = "model",
) -> Any:
    """The result that the holder of the socket gives of these knowledge bases. Raises
    `UnansweredError`, also if no valid answer comes within `timeout` seconds, or those that a
    process which began a moment ago needs.
    """
    connected = None if asks_nobody(env) else connect(env, timeout)
    if connected is None:
        raise UnansweredError
    with connected:
        process = Process(connected, roots, env)
        more = BEGINNING_SECONDS if is_beginning(env) else 0.0
        answered = process.ask(method, params, timeout + more, reader)
    if answered is None or answered.get("ok") is not True:
        raise UnansweredError
    return answered.get("result")


def asks_nobody(env: Mapping[str, str]) -> bool:
    """Whether the environment sets a model, which no other process has loaded."""
    return any(name.startswith(MODEL) for name in env)


def carried(env: Mapping[str, object]) -> dict[str, str]:
    """The variables of an environment that go with a question: the viewer, settings, and the
    knowledge base that it names.
    """
    sent = {
        name: value
        for name, value in env.items()
        if isinstance(value, str) and (name in (*VIEWER_VARIABLES, FORCED) or is_setting(name))
    }
    return {**sent, FORCED: os.path.abspath(sent[FORCED])} if sent.get(FORCED) else sent
