"""Every process ends soon after its client, and leaves empty lock files at most."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.engine.bases import write
from tests.engine.processes import sockets, until
from tests.kb.samples import claim
from tests.protocol.client import COMMAND, environment, framed

SECONDS = 30.0
"""The promise is two; a machine that does much else takes longer."""
COMMANDS = ["lsp", "mcp", "jsonl"]
INITIALIZE: dict[str, Any] = {
    "lsp": {"processId": None, "capabilities": {}, "rootUri": None},
    "mcp": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
Here = tuple[Path, Mapping[str, str]]


def greeting(command: str, root: Path) -> bytes:
    """What a client sends first, to be answered."""
    if command == "jsonl":
        return b'{"id": 1, "method": "kb.status"}\n'
    params = INITIALIZE[command] | ({"rootUri": root.as_uri()} if command == "lsp" else {})
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    body = json.dumps(asked).encode()
    return body + b"\n" if command == "mcp" else framed(body)


@contextmanager
def launched(command: str, here: Here) -> Iterator[subprocess.Popen[bytes]]:
    folder, env = here
    with subprocess.Popen(
        [COMMAND, command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder / "kb",
        env=environment(env),
    ) as process:
        yield process
    assert sockets(folder) == []


def greet(command: str, process: subprocess.Popen[bytes], root: Path) -> None:
    """Have it begun to answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(greeting(command, root))
    process.stdin.flush()
    assert process.stdout.read(1)


def hang_up(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()


def stop_reading(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None
    process.stdout.close()


@pytest.mark.parametrize("command", COMMANDS)
def test_whose_client_hangs_up_ends(here: Here, command: str) -> None:
    with launched(command, here) as process:
        greet(command, process, here[0] / "kb")
        hang_up(process)
        process.wait(SECONDS)


def test_a_language_server_that_is_told_to_end_gives_its_socket_up(here: Here) -> None:
    with launched("lsp", here) as process:
        greet("lsp", process, here[0] / "kb")
        until(lambda: sockets(here[0]), "it owns no socket")
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS)


@pytest.mark.parametrize("command", ["mcp", "jsonl"])
def test_who_is_read_by_nobody_ends(here: Here, command: str) -> None:
    """Its input stays open."""
    with launched(command, here) as process:
        greet(command, process, here[0] / "kb")
        stop_reading(process)
        assert process.wait(SECONDS) == 0


def test_the_input_ends_during_the_first_index(here: Here) -> None:
    for number in range(1_000):
        write(here[0] / "kb", f"claims/c{number}.yaml", claim(f"c{number}", entities=["vault"]))
    with launched("lsp", here) as process:
        hang_up(process)
        process.wait(SECONDS)
        assert process.stdout is not None
        assert process.stdout.read() == b""


PARENT = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", *sys.argv[1:]])
time.sleep(600)
"""
CHILD = """
import os, sys, time
from vouch_sidecar.surfaces import entry

parent = os.getppid()
os.write(1, b"imported")
while {waits} and os.getppid() == parent:
    time.sleep(0.01)
sys.argv = ["vouch-sidecar", *sys.argv[1:]]
entry.main()
"""


@pytest.mark.parametrize(
    ("command", "is_started"), [(one, True) for one in COMMANDS] + [("lsp", False)]
)
def test_whose_parent_dies_ends(here: Here, command: str, is_started: bool) -> None:
    """Although somebody else, here we, holds both ends of its streams."""
    folder, env = here
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, CHILD.format(waits=not is_started), command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder / "kb",
        env=environment(env),
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    assert parent.stdout.read(8) == b"imported"
    if is_started:
        greet(command, parent, folder / "kb")
    parent.kill()
    parent.wait()
    parent.stdout.read()  # until its end of the stream is closed
    for stream in (parent.stdin, parent.stdout):
        with suppress(BrokenPipeError):
            stream.close()
    assert sockets(folder) == [] or not is_started  # the next one clears what an early end leaves
