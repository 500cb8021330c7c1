"""The client of a socket whose owner hangs."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.surfaces.local import client
from vouch_sidecar.surfaces.local.address import socket_path
from vouch_sidecar.surfaces.local.client import SOON_SECONDS, UnansweredError, ask
from vouch_sidecar.version import __version__


class Silent(socket.socket):
    """A connection on which nothing comes in time; it keeps the limits and what is sent."""

    def __init__(self) -> None:
        super().__init__(socket.AF_UNIX)
        self.limits: list[float] = []
        self.sent: list[bytes] = []

    def settimeout(self, value: float | None, /) -> None:
        super().settimeout(value)
        self.limits.append(value or 0.0)

    def sendall(self, data: Any, *_: Any) -> None:
        self.sent.append(bytes(data))

    def recv(self, *_: Any) -> bytes:
        raise TimeoutError


def test_a_holder_that_hangs_is_given_up_before_it_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Silent() as connected:
        monkeypatch.setattr(client, "connect", lambda *_: connected)
        with pytest.raises(UnansweredError):
            ask([Path("/kb")], "kb.status", {}, env={}, timeout=100)
        assert max(connected.limits) <= SOON_SECONDS
        assert [b'"process"' in line for line in connected.sent] == [True]


def test_who_has_a_model_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "connect", lambda *_: pytest.fail("it asked"))
    with pytest.raises(UnansweredError):
        ask([], "kb.status", {}, env={"VOUCH_SIDECAR_SEMANTIC_MODEL": "/m"}, timeout=1)


def test_each_version_has_a_socket_of_its_own() -> None:
    env = {"XDG_RUNTIME_DIR": "/run/x"}
    assert socket_path(env) == socket_path(env, __version__) != socket_path(env, "0.0.1")
