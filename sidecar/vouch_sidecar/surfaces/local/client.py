"""Asks the process that serves a knowledge base, over its socket. Standard library only. Blocks."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from math import inf
from time import monotonic
from typing import Any, Literal

from vouch_sidecar.kb.discovery import is_setting
from vouch_sidecar.kb.runtime_folder import is_supported, usable_folder
from vouch_sidecar.surfaces.local.address import is_own_user, socket_path

Reader = Literal["model", "person"]
"""Who reads an answer."""

MAX_LOCAL_MESSAGE = 8 << 20
"""Bytes of a message over the socket, either way."""
PROCESS = "process"
"""The method by which a process says what it is: its id as `process`, whether it is `resident`, its
`version`, the seconds that a hook may take as `limit`, and those that a first answer may have to
`wait` to be whole.
"""
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


class UnansweredError(Exception):
    """No process serves the knowledge bases, it refuses, or its answer is of no use."""


class Process:
    """A connection to a process that serves knowledge bases.

    `roots` are the knowledge bases to ask; the process refuses unless it serves all of them. Viewer
    and settings in `env` are sent along, because the process has another environment. `left`
    returns the seconds until the time limit.
    """

    def __init__(
        self,
        connected: socket.socket,
        roots: list[str],
        env: Mapping[str, str],
        left: Callable[[], float],
    ) -> None:
        self._socket = connected
        self._common = {"roots": roots, "env": carried(env)}
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

    def about(self) -> Mapping[str, Any]:
        """What the process is (`PROCESS`); empty if it doesn't say within `SOON_SECONDS`."""
        result = (self.ask(PROCESS, {}, seconds=SOON_SECONDS) or {}).get("result")
        return result if isinstance(result, dict) else {}

    def give_up(self) -> None:
        """End the connection, from any thread: the process then knows that nobody waits for it."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _set_timeout(self, until: float) -> None:
        self._socket.settimeout(max(min(self._left(), until - monotonic()), LEAST_SECONDS))


def in_order(roots: Iterable[str | os.PathLike[str]]) -> list[str]:
    """The knowledge bases in the order in which their processes are asked."""
    return sorted(os.fspath(root) for root in roots)


def processes(
    roots: Iterable[str | os.PathLike[str]], env: Mapping[str, str], left: Callable[[], float]
) -> Iterator[Process]:
    """Connect to the processes that serve these knowledge bases, one after another. Each connection
    closes before the next one opens.
    """
    asked = in_order(roots) if is_supported() else []
    for root in asked:
        connected = connect(socket_path(root, env), env, max(left(), LEAST_SECONDS))
        if connected is not None:
            with connected:
                yield Process(connected, asked, env, left)


def connect(path: str, env: Mapping[str, str], timeout: float) -> socket.socket | None:
    """A connection to a socket's owner; None without one, or if it is another user's process."""
    connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        usable_folder(env)
        connected.settimeout(timeout)
        connected.connect(path)
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
    version: str | None = None,
    on_connected: Callable[[Process], object] = lambda _: None,
) -> dict[str, Any] | None:
    """Ask the first process that serves all of these knowledge bases, and has this `version` if one
    is given. Returns its answer in the form of the JSONL surface, or the last refusal.

    None if there is no such process, or no valid answer within `timeout` seconds and those that a
    process which began a moment ago needs to answer in whole. A process that hangs is given up
    after `SOON_SECONDS`. What `on_connected` raises ends this before the process is asked.
    """
    until = monotonic() + timeout
    answered = None

    def left() -> float:
        return until - monotonic()

    for process in processes(roots, env, left):
        on_connected(process)
        about = process.about()
        if version not in (None, about.get("version")):
            continue
        wait = about.get("wait")
        until += wait if isinstance(wait, int | float) else 0.0
        answered = process.ask(method, params, reader) or answered
        if answered is not None and answered.get("ok") is True:
            break
    return answered


def result_of(answered: Mapping[str, Any] | None) -> Any:
    """The result that an answer of `ask` holds. Raises `UnansweredError` if there is none."""
    if answered is None or answered.get("ok") is not True:
        raise UnansweredError
    return answered.get("result")


def carried(env: Mapping[str, object]) -> dict[str, str]:
    """The variables of an environment that go with a question: the viewer, and settings."""
    return {
        name: value
        for name, value in env.items()
        if isinstance(value, str) and (name in VIEWER_VARIABLES or is_setting(name))
    }
