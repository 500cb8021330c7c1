"""The process ends within two seconds of its client's end, however that comes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

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


def test_what_is_no_header_ends_it_without_a_traceback(start: Start) -> None:
    client = start()
    client.send_bytes(b"Content-Length: " + b"9" * 5_000 + b"\r\n")
    assert client.ended(10) == 1
    client.dispose()
    assert not client.errors


@pytest.mark.parametrize("after", [0.0, 0.7])
def test_the_death_of_the_client_that_gave_its_id(start: Start, after: float) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as editor:
        client = start()
        client.initialize(processId=editor.pid)
        time.sleep(after)
        assert client.process.poll() is None
        editor.kill()
        editor.wait()
        assert client.ended() == 1


def test_an_id_that_names_no_process_here_is_not_watched(start: Start, root: Path) -> None:
    client = start()
    client.initialize(root, processId=2**22 + 1)
    time.sleep(1.2)
    assert client.request("vouch/status")["version"]
