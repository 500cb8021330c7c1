"""The process ends within two seconds of its client's end, however that comes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.protocol.client import COMMAND, Client, environment
from tests.protocol.conftest import Start


def test_exit_alone(client: Client) -> None:
    client.notify("exit")
    assert client.ended() == 1


def test_exit_before_initialize(start: Start) -> None:
    client = start()
    client.notify("exit")
    assert client.ended(5) == 1  # the imports come first


def test_what_was_asked_before_the_end_of_input_is_answered(client: Client) -> None:
    asked = client.start("vouch/experts", {"topic": "jwt"})
    client.hang_up()
    assert client.answer(asked)["result"]["experts"]
    assert client.ended() == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals(client: Client, number: signal.Signals) -> None:
    client.process.send_signal(number)
    assert client.ended() == 1


def test_a_client_that_stops_reading_stops_nothing(tmp_path: Path) -> None:
    with subprocess.Popen(
        [COMMAND, "lsp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment({}),
        cwd=tmp_path,
    ) as process:
        assert process.stdin is not None
        body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
        message = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        for _ in range(3000):  # more answers than a pipe holds
            process.stdin.write(message)
        process.stdin.flush()
        process.stdin.close()
        assert process.wait(5) == 1  # the imports come first


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
