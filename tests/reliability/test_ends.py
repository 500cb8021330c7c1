"""Every process ends within two seconds of its client, and leaves empty lock files at most."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
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


def greeting(command: str, root: Path) -> bytes:
    """What a client sends first, to be answered."""
    if command == "jsonl":
        return b'{"id": 1, "method": "kb.status"}\n'
    params = INITIALIZE[command] | ({"rootUri": root.as_uri()} if command == "lsp" else {})
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    body = json.dumps(asked).encode()
    if command == "mcp":
        return body + b"\n"
    return framed(body)


def launched(command: str, root: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [COMMAND, command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=root,
        env=environment(env),
    )


def started(command: str, root: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A process that has begun to answer."""
    process = launched(command, root, env)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(greeting(command, root))
    process.stdin.flush()
    assert process.stdout.read(1)
    return process


def hang_up(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()


def terminate(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)


def stop_reading(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None
    process.stdout.close()


End = Callable[[subprocess.Popen[bytes]], None]


@pytest.mark.parametrize("end", [hang_up, terminate])
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_left(here: tuple[Path, Mapping[str, str]], command: str, end: End) -> None:
    folder, env = here
    with started(command, folder / "kb", env) as process:
        if command == "lsp":
            until(lambda: sockets(folder), "it owns no socket")
        end(process)
        process.wait(SECONDS)
        stop_reading(process)
    assert sockets(folder) == []


@pytest.mark.parametrize("command", ["mcp", "jsonl"])
def test_who_is_read_by_nobody_ends(here: tuple[Path, Mapping[str, str]], command: str) -> None:
    """Its input stays open."""
    folder, env = here
    with started(command, folder / "kb", env) as process:
        stop_reading(process)
        assert process.wait(SECONDS) == 1
    assert sockets(folder) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_the_parent_dies_and_somebody_else_holds_the_pipes(
    here: tuple[Path, Mapping[str, str]], command: str
) -> None:
    folder, env = here
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    script = (
        "import subprocess, time;"
        f"p = subprocess.Popen([{str(COMMAND)!r}, {command!r}], stdin={to_server},"
        f" stdout={from_server}, cwd={str(folder / 'kb')!r});"
        "print(p.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=[to_server, from_server],
        env=environment(env),
    )
    try:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        os.write(from_client, greeting(command, folder / "kb"))
        assert os.read(to_client, 1)
        parent.kill()
        parent.wait()
        until(lambda: not alive(server), "it outlives its parent", SECONDS)
    finally:
        parent.kill()
        for descriptor in (to_server, from_client, to_client, from_server):
            os.close(descriptor)
        assert parent.stdout is not None
        parent.stdout.close()
    assert sockets(folder) == []


def alive(pid: int) -> bool:
    """Whether a process runs; one that nobody waits for counts as ended."""
    with suppress(FileNotFoundError):
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    return False


@pytest.mark.parametrize("command", COMMANDS)
def test_the_input_ends_during_the_first_index(
    here: tuple[Path, Mapping[str, str]], command: str
) -> None:
    """The index is never built: a claim of it takes forever to be looked at."""
    folder, env = here
    root = folder / "kb"
    for number in range(3_000):
        write(root, f"claims/c{number}.yaml", claim(f"c{number}", entities=["vault"]))
    with launched(command, root, env) as process:
        hang_up(process)
        process.wait(SECONDS)
        assert process.stdout is not None
        assert process.stdout.read() == b""
    assert sockets(folder) == []


ORPHAN = """
import os, sys, time
from vouch_sidecar.surfaces import entry

parent = os.getppid()
os.write(1, b"imported")
while os.getppid() == parent:
    time.sleep(0.01)
sys.argv = ["vouch-sidecar", *sys.argv[1:]]
entry.main()
"""
START = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", *sys.argv[1:]])
time.sleep(600)
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_whose_parent_dies_while_it_starts_ends(
    here: tuple[Path, Mapping[str, str]], command: str
) -> None:
    """Although somebody else holds both ends of its streams."""
    folder, env = here
    parent = subprocess.Popen(
        [sys.executable, "-c", START, ORPHAN, command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder / "kb",
        env=environment(env),
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    assert parent.stdout.read(8) == b"imported"
    parent.kill()
    parent.wait()
    assert parent.stdout.read() == b"", "its end of the stream stays open while it runs"
    for stream in (parent.stdin, parent.stdout):
        stream.close()
