"""The process ends within two seconds of its client's end, however that comes."""

from __future__ import annotations

import pytest

from tests.protocol.client import Client
from tests.protocol.conftest import Start


def test_exit_alone(client: Client) -> None:
    client.notify("exit")
    assert client.ended() == 1


def test_what_is_asked_before_the_input_ends_is_answered(start: Start) -> None:
    client = start()
    asked = [client.start("initialize", {"capabilities": {}})]
    asked += [client.start(method) for method in ("vouch/status", "shutdown")]
    client.hang_up()
    assert all("result" in client.answer(request) for request in asked)
    assert client.ended() == 1


@pytest.mark.parametrize("digits", [14, 40, 5_000])
def test_what_is_no_header_ends_it_without_a_traceback(start: Start, digits: int) -> None:
    client = start()
    client.send_bytes(b"Content-Length: " + b"9" * digits + b"\r\n\r\n")
    assert client.ended(10) == 1
    client.dispose()
    assert not client.errors
