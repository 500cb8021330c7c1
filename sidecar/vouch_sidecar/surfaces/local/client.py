"""Asks the process that owns a knowledge base's socket. Standard library only, blocking."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from time import monotonic
from typing import Any

from vouch_sidecar.surfaces.local.address import peer_uid, socket_path, usable_folder

__all__ = ["Question", "ask", "reach", "viewer_of"]

MAX_ANSWER = 8 << 20


class Question:
    """A connection for questions; they are answered in the order in which they were sent."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._received = bytearray()

    def send(self, method: str, params: Mapping[str, Any], timeout: float) -> bool:
        """Whether the other side took it."""
        line = json.dumps({"id": 1, "method": method, "params": params}, separators=(",", ":"))
        try:
            self._socket.settimeout(max(timeout, 0.001))
            self._socket.sendall(line.encode("ascii") + b"\n")
        except OSError:
            return False
        return True

    def answer(self, timeout: float) -> dict[str, Any] | None:
        """The next answer, as the JSONL surface gives it; None without one in so many seconds."""
        deadline = monotonic() + timeout
        try:
            while b"\n" not in self._received:
                self._socket.settimeout(max(deadline - monotonic(), 0.001))
                if len(self._received) > MAX_ANSWER or not (data := self._socket.recv(65_536)):
                    return None
                self._received += data
            line, _, self._received = self._received.partition(b"\n")
            answered = json.loads(line)
        except (OSError, ValueError, RecursionError):
            return None
        return answered if isinstance(answered, dict) else None

    def close(self) -> None:
        self._socket.close()


def reach(
    root: str | os.PathLike[str], *, timeout: float, env: Mapping[str, str]
) -> Question | None:
    """A connection to the owner of a knowledge base's socket; None when there is no owner, or
    when it is another user's.
    """
    if not hasattr(socket, "AF_UNIX"):
        return None
    connected = None
    try:
        usable_folder(env)
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connected.settimeout(max(timeout, 0.001))
        connected.connect(socket_path(root, env))
        if peer_uid(connected) in (None, os.getuid()):
            return Question(connected)
    except OSError:
        pass
    if connected is not None:
        connected.close()
    return None


def ask(
    root: str | os.PathLike[str],
    method: str,
    params: Mapping[str, Any],
    *,
    timeout: float,
    env: Mapping[str, str],
) -> dict[str, Any] | None:
    """One question, `kb.…` or `hook.…`, to the owner of a knowledge base's socket; its answer in
    the form of the JSONL surface.

    None when there is no owner, when it says nothing in `timeout` seconds, or nothing sensible.
    """
    deadline = monotonic() + timeout
    question = reach(root, timeout=timeout, env=env)
    if question is None:
        return None
    try:
        if not question.send(method, params, deadline - monotonic()):
            return None
        return question.answer(deadline - monotonic())
    finally:
        question.close()


def viewer_of(env: Mapping[str, str]) -> dict[str, str | None]:
    """Who asks, by a process's environment, which the owner of the socket does not know."""
    return {"project": env.get("VOUCH_PROJECT"), "agent": env.get("VOUCH_AGENT")}
