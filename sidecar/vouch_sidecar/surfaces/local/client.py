"""Asks the process that holds the user's socket. Standard library only. Blocks."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from math import inf
from time import monotonic
from typing import Any, Literal

from vouch_sidecar.kb.discovery import FORCED, is_setting
from vouch_sidecar.kb.runtime_folder import usable_folder
from vouch_sidecar.surfaces.local.address import has_sockets, is_own_user, socket_path

Reader = Literal["model", "person"]
"""Who reads an answer."""

MAX_LOCAL_MESSAGE = 8 << 20
"""Bytes of a message over the socket, either way."""
PROCESS = "process"
"""The method by which a process says what it is: its id as `process`, whether it is `resident`, its
`version`, the seconds that a hook may take as `limit`, and those that a first answer may have to
`wait` to be whole.
"""
STOP_PROCESS = "stop"
"""The method that ends a resident process; it answers with the roots that it served."""
HOOK, TOOL = "hook.", "tool."
"""What the methods begin with by which agents ask: an event of a hook or an operation as a tool of
MCP, whose names follow.
"""
OF_AGENTS = (HOOK, TOOL)
SOON_SECONDS = 2.0
"""Time limit for what a process answers at once, also while it reads its files for the first time.
One that is silent for so long hangs.
"""
LEAST_SECONDS = 0.001
"""Shortest timeout of a socket: 0 would make the socket non-blocking."""
VIEWER_VARIABLES = ("VOUCH_PROJECT", "VOUCH_AGENT")
MODEL = "VOUCH_SIDECAR_SEMANTIC_"
"""How the variables begin that set a model. A process that has one asks nobody."""


class UnansweredError(Exception):
    """No process holds the socket, it refuses, or its answer is of no use."""


class Process:
    """A connection to the process that holds the socket. Viewer and settings in `env` are sent
    along, because the process has another environment. `left` returns the seconds until the time
    limit.
    """

    def __init__(
        self,
        connected: socket.socket,
        roots: Iterable[str | os.PathLike[str]],
        env: Mapping[str, str],
        left: Callable[[], float],
    ) -> None:
        self._socket = connected
        self._common = {"roots": sorted(os.fspath(root) for root in roots), "env": carried(env)}
        self._left = left
        self._received = bytearray()

    def ask(
        self,
        method: str,
        params: Mapping[str, Any],
        reader: Reader = "model",
        seconds: float = inf,
    ) -> dict[str, Any] | None:
        """The answer, in the form of the JSONL surface; None if none comes in time, which is
        `seconds` at most. Then the connection is closed: an answer that comes late would be taken
        for that to the next question.
        """
        until = monotonic() + seconds
        asked = {"id": 1, "method": method, "params": params, "reader": reader, **self._common}
        try:
            self._set_timeout(until)
            self._socket.sendall(json.dumps(asked, separators=(",", ":")).encode("ascii") + b"\n")
            while b"\n" not in self._received:
                self._set_timeout(until)
                if len(self._received) > MAX_LOCAL_MESSAGE or not (
                    data := self._socket.recv(65_536)
                ):
                    self._socket.close()
                    return None
                self._received += data
            line, _, self._received = self._received.partition(b"\n")
            answered = json.loads(line)
        except (OSError, ValueError, RecursionError):
            self._socket.close()
            return None
        return answered if isinstance(answered, dict) else None

    def about(self, seconds: float = SOON_SECONDS) -> Mapping[str, Any]:
        """What the process is (`PROCESS`); empty if it doesn't say so in time."""
        result = (self.ask(PROCESS, {}, seconds=seconds) or {}).get("result")
        return result if isinstance(result, dict) else {}

    def give_up(self) -> None:
        """End the connection, from any thread: the process then knows that nobody waits for it."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _set_timeout(self, until: float) -> None:
        self._socket.settimeout(max(min(self._left(), until - monotonic()), LEAST_SECONDS))


def connect(
    env: Mapping[str, str], timeout: float = SOON_SECONDS, path: str | None = None
) -> socket.socket | None:
    """A connection to the holder of the socket, or of that at `path`; None without one, or if it is
    another user's process.
    """
    if not has_sockets():
        return None
    connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        usable_folder(env)
        connected.settimeout(max(timeout, LEAST_SECONDS))
        connected.connect(path or socket_path(env))
        if is_own_user(connected):
            return connected
    except OSError:
        pass
    connected.close()
    return None


def ask(
    roots: Iterable[str | os.PathLike[str]],
    method: str,
    params: Mapping[str, Any],
    *,
    env: Mapping[str, str],
    timeout: float,
    reader: Reader = "model",
    on_connected: Callable[[Process], object] = lambda _: None,
) -> Any:
    """The result that the holder of the socket gives of these knowledge bases. Raises
    `UnansweredError`, also if no valid answer comes within `timeout` seconds and those that a
    process which began a moment ago needs to answer in whole. A process that hangs is given up
    after `SOON_SECONDS`. What `on_connected` raises ends this before the process is asked.
    """
    until = monotonic() + timeout
    connected = None if asks_nobody(env) else connect(env, timeout)
    if connected is None:
        raise UnansweredError
    with connected:
        process = Process(connected, roots, env, lambda: until - monotonic())
        on_connected(process)
        wait = process.about().get("wait")
        until += wait if isinstance(wait, int | float) else 0.0
        answered = process.ask(method, params, reader)
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
