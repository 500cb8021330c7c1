"""Asks the process that holds the user's socket, one for each version. Blocks.

Standard library only, and little of it: a hook waits for every import.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from vouch_sidecar.kb.discovery import FORCED, is_setting
from vouch_sidecar.kb.runtime_folder import is_supported, runtime_folder, usable_folder
from vouch_sidecar.version import __version__

Reader = Literal["model", "person"]
"""Who reads an answer."""
Folders = Iterable[str | os.PathLike[str]]

SUFFIX = ".sock"
MAX_LOCAL_MESSAGE = 8 << 20
"""Bytes of a message over the socket, either way."""
PROCESS = "process"
"""The method by which a process says what it is: its id as `process`, whether it is `resident`, and
its `version`.
"""
STOP_PROCESS = "stop"
"""The method that ends a resident process."""
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
"""How the variables begin that set a model. A process that has one asks nobody, as no other process
has loaded it.
"""


class UnansweredError(Exception):
    """No process holds the socket, it refuses, or its answer is of no use."""


def has_sockets() -> bool:
    """Whether processes of one user can ask each other. Windows lacks what this needs."""
    try:
        import fcntl  # noqa: F401 - for file locks
    except ImportError:
        return False
    return is_supported() and hasattr(socket, "AF_UNIX")


def socket_path(env: Mapping[str, str], version: str = __version__) -> str:
    """The path of the socket of a version's processes."""
    return os.path.join(runtime_folder(env), version + SUFFIX)


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


def question(
    roots: Folders,
    method: str,
    params: Mapping[str, Any],
    env: Mapping[str, str],
    reader: Reader = "model",
) -> dict[str, Any]:
    """A request about knowledge bases. Viewer and settings in `env` go with it, because the process
    that answers has another environment.
    """
    asked = {"method": method, "params": params, "reader": reader, "env": carried(env)}
    return {**asked, "roots": sorted(os.fspath(root) for root in roots)}


def exchange(
    connected: socket.socket, request: Mapping[str, Any], seconds: float
) -> dict[str, Any] | None:
    """The answer to a request, in the form of the JSONL surface; None if it is none, or none comes
    within `seconds`. Closes the connection.
    """
    try:
        with connected, connected.makefile("rb") as answers:
            connected.settimeout(max(seconds, LEAST_SECONDS))
            connected.sendall(json.dumps(request, separators=(",", ":")).encode("ascii") + b"\n")
            answered = json.loads(answers.readline(MAX_LOCAL_MESSAGE))
    except (OSError, ValueError, RecursionError):
        return None
    return answered if isinstance(answered, dict) else None


def is_beginning(env: Mapping[str, str]) -> bool:
    """Whether the holder of the socket took it a moment ago."""
    try:
        return time.time() - os.stat(socket_path(env)).st_mtime < BEGINNING_SECONDS
    except OSError:
        return True


def ask(
    roots: Folders,
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
    has_model = any(name.startswith(MODEL) for name in env)
    connected = None if has_model else connect(env, timeout)
    if connected is None:
        raise UnansweredError
    seconds = timeout + (BEGINNING_SECONDS if is_beginning(env) else 0.0)
    answered = exchange(connected, question(roots, method, params, env, reader), seconds)
    if answered is None or answered.get("ok") is not True:
        raise UnansweredError
    return answered.get("result")


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
