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
Process = subprocess.Popen[bytes]
Here = tuple[Path, Mapping[str, str]]


def greeting(command: str, root: Path) -> bytes:
    """What a client sends first, to be answered."""
    if command == "jsonl":
        return b'{"id": 1, "method": "kb.status"}\n'
    params: dict[str, Any] = {"capabilities": {}}
    if command == "lsp":
        params |= {"processId": None, "rootUri": root.as_uri()}
    else:
        named = {"name": "test", "version": "1"}
        params |= {"protocolVersion": "2025-06-18", "clientInfo": named}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    body = json.dumps(asked).encode()
    return body + b"\n" if command == "mcp" else framed(body)


@contextmanager
def launched(here: Here, *args: str, greeted: str = "") -> Iterator[Process]:
    """A command, which has begun to answer if it is greeted."""
    folder, env = here
    with subprocess.Popen(
        args,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder / "kb",
        env=environment(env),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if greeted:
            process.stdin.write(greeting(greeted, folder / "kb"))
            process.stdin.flush()
            assert process.stdout.read(1)
        yield process


def hang_up(process: Process, _: Here) -> None:
    assert process.stdin is not None
    process.stdin.close()


def stop_reading(process: Process, _: Here) -> None:
    """Its input stays open."""
    assert process.stdout is not None
    process.stdout.close()


def terminate(process: Process, here: Here) -> None:
    until(lambda: sockets(here[0]), "it owns no socket")
    process.send_signal(signal.SIGTERM)


def interrupt(process: Process, _: Here) -> None:
    """Its input stays open."""
    process.send_signal(signal.SIGINT)


ENDS = [(end, one) for end in (hang_up, interrupt) for one in COMMANDS]
ENDS += [(stop_reading, one) for one in ("mcp", "jsonl")]


@pytest.mark.parametrize(("end", "command"), [*ENDS, (terminate, "lsp")])
def test_without_its_client_it_ends(here: Here, end: Any, command: str) -> None:
    with launched(here, str(COMMAND), command, greeted=command) as process:
        end(process, here)
        assert process.wait(SECONDS) == 0 or end is not stop_reading
    assert sockets(here[0]) == []


def test_the_input_ends_during_the_first_index(here: Here) -> None:
    for number in range(1_000):
        write(here[0] / "kb", f"claims/c{number}.yaml", claim(f"c{number}", entities=["vault"]))
    with launched(here, str(COMMAND), "lsp") as process:
        assert process.communicate(timeout=SECONDS)[0] == b""
    assert sockets(here[0]) == []


PARENT = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", *sys.argv[1:]])
time.sleep(600)
"""
CHILD = """
import os, sys, time
from vouch_sidecar.surfaces import entry

parent = os.getppid()
while {waits} and os.getppid() == parent:
    os.write(1, b"imported")
    time.sleep(0.01)
sys.argv = ["vouch-sidecar", *sys.argv[1:]]
entry.main()
"""


@pytest.mark.parametrize(("command", "is_early"), [*((c, False) for c in COMMANDS), ("lsp", True)])
def test_whose_parent_dies_ends(here: Here, command: str, is_early: bool) -> None:
    """Although somebody else, here we, holds both ends of its streams; `is_early`: it begins when
    it has no parent any more.
    """
    child = CHILD.format(waits=is_early)
    with launched(
        here, sys.executable, "-c", PARENT, child, command, greeted="" if is_early else command
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        if is_early:
            assert parent.stdout.read(1)
        parent.kill()
        parent.stdout.read()  # until its end of the stream is closed
        with suppress(BrokenPipeError):
            parent.stdin.close()
    assert sockets(here[0]) == [] or is_early  # the next one clears what an early end leaves
