"""The process ends within two seconds of its client's end, however that comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.protocol.client import COMMAND, Client, environment
from tests.protocol.conftest import Start


def test_shutdown_and_exit(client: Client) -> None:
    assert client.shut_down() == 0


def test_exit_alone(client: Client) -> None:
    client.notify("exit")
    assert client.ended() == 1


def test_exit_before_initialize(start: Start) -> None:
    client = start()
    client.notify("exit")
    assert client.ended(5) == 1  # the imports come first


def test_the_end_of_input(client: Client) -> None:
    client.hang_up()
    assert client.ended() == 1


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


def test_the_death_of_the_parent(tmp_path: Path) -> None:
    """The server's input stays open in this process when its parent is killed."""
    reading, writing = os.pipe()
    script = (
        "import subprocess, sys, time;"
        f"p = subprocess.Popen([{str(COMMAND)!r}, 'lsp'], stdin={reading}, pass_fds=[{reading}]);"
        "print(p.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=[reading],
        env=environment({}),
        cwd=tmp_path,
    )
    assert parent.stdout is not None
    server = int(parent.stdout.readline())
    body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
    os.write(writing, b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    assert parent.stdout.readline()  # it is up
    parent.kill()
    parent.wait()
    try:
        assert ends(server, 2.0)
    finally:
        parent.stdout.close()
        os.close(reading)
        os.close(writing)


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


def ends(pid: int, seconds: float) -> bool:
    """Whether a process that is not our child ends in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    return False
