"""The client of a socket whose owner hangs."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.surfaces.local import client
from vouch_sidecar.surfaces.local.client import SOON_SECONDS, UnansweredError, ask


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
