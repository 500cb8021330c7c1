"""Asks the process that owns the socket of a knowledge base. Standard library only. Blocks."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import monotonic
from typing import Any

from vouch_sidecar.kb.discovery import NO_SETTINGS, SETTINGS
from vouch_sidecar.kb.runtime_folder import is_supported, usable_folder
from vouch_sidecar.surfaces.local.address import is_own_user, socket_path

MAX_ANSWER = 8 << 20
WAIT = "wait"
"""The method that returns how many seconds an answer may have to wait to be whole."""
LEAST_SECONDS = 0.001
"""Shortest timeout of a socket: 0 would make the socket non-blocking."""


class Owner:
    """A connection to the process that owns a socket. It answers questions in their order.

    `roots` are the knowledge bases to ask; the owner refuses unless it serves all of them. Settings
    in `env` are sent along, because the owner has another environment. `left` returns the seconds
    until the time limit.
    """

    def __init__(
        self,
        connected: socket.socket,
        roots: list[str],
        env: Mapping[str, str],
        left: Callable[[], float],
    ) -> None:
        self._socket = connected
        self._common = {"roots": roots, "env": settings_in(env)}
        self._left = left
        self._received = bytearray()

    def send(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a question. If sending fails, `answer` returns None."""
        asked = {"id": 1, "method": method, "params": params, **self._common}
        line = json.dumps(asked, separators=(",", ":")).encode("ascii") + b"\n"
        try:
            self._set_timeout()
            self._socket.sendall(line)
        except OSError:
            return

    def answer(self) -> dict[str, Any] | None:
        """The next answer, in the form of the JSONL surface; None if none comes in time."""
        try:
            while b"\n" not in self._received:
                self._set_timeout()
                if len(self._received) > MAX_ANSWER or not (data := self._socket.recv(65_536)):
                    return None
                self._received += data
            line, _, self._received = self._received.partition(b"\n")
            answered = json.loads(line)
        except (OSError, ValueError, RecursionError):
            return None
        return answered if isinstance(answered, dict) else None

    def _set_timeout(self) -> None:
        self._socket.settimeout(max(self._left(), LEAST_SECONDS))


def owners(
    roots: Iterable[str | os.PathLike[str]], env: Mapping[str, str], left: Callable[[], float]
) -> Iterator[Owner]:
    """Connect to the owners of these knowledge bases' sockets, one after another. Each connection
    closes before the next one opens.
    """
    asked = sorted(os.fspath(root) for root in roots) if is_supported() else []
    for root in asked:
        connected = connect(socket_path(root, env), env, max(left(), LEAST_SECONDS))
        if connected is not None:
            with connected:
                yield Owner(connected, asked, env, left)


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
    timeout: float,
    env: Mapping[str, str],
) -> dict[str, Any] | None:
    """Ask one question of the first owner that serves all of these knowledge bases. Returns its
    answer in the form of the JSONL surface, or the last refusal.

    None if there is no owner, or no valid answer within `timeout` seconds and those that an owner
    which began a moment ago needs to answer in whole.
    """
    until = monotonic() + timeout
    answered = None

    def left() -> float:
        return until - monotonic()

    for owner in owners(roots, env, left):
        owner.send(WAIT, {})
        owner.send(method, params)
        told = (owner.answer() or {}).get("result")
        until += told if isinstance(told, int | float) else 0.0
        answered = owner.answer() or answered
        if answered is not None and answered.get("ok") is True:
            break
    return answered


def settings_in(env: Mapping[str, object]) -> dict[str, str]:
    """The variables of an environment that are settings of this program."""
    return {
        name: value
        for name, value in env.items()
        if name.startswith(SETTINGS) and name not in NO_SETTINGS and isinstance(value, str)
    }


def viewer_of(env: Mapping[str, str]) -> dict[str, str | None]:
    """The viewer in an environment, to be sent along: the owner has another environment."""
    return {"project": env.get("VOUCH_PROJECT"), "agent": env.get("VOUCH_AGENT")}
