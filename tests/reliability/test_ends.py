"""Every process ends soon after its client, and leaves empty lock files at most."""

import signal
import sys
from contextlib import suppress
from subprocess import DEVNULL, PIPE, Popen
from typing import IO

import pytest

from tests.engine.processes import sockets, until
from tests.forks import Forked
from tests.protocol.client import GREETINGS, environment
from tests.reliability.conftest import Here

SECONDS = 30.0
"""The promise is two; a machine that does much else takes longer."""
ENDS = [(end, one) for end in ("hang up", "interrupt") for one in GREETINGS]
ENDS += [("stop reading", "mcp"), ("stop reading", "jsonl"), ("terminate", "lsp")]


class Launched(Popen[bytes]):
    stdin: IO[bytes]
    stdout: IO[bytes]


def greet(process: Launched | Forked, command: str) -> None:
    """Wait until a process begins to answer."""
    process.stdin.write(GREETINGS[command][0])
    process.stdin.flush()
    assert process.stdout.read(1)


@pytest.mark.parametrize(("end", "command"), ENDS)
def test_without_its_client_it_ends(here: Here, end: str, command: str) -> None:
    """Its input stays open, unless the client hangs up."""
    process = Forked([command], here[0] / "kb", environment(here[1]))
    with process.stdin, process.stdout, process.stderr:
        greet(process, command)
        match end:
            case "hang up":
                process.stdin.close()
            case "stop reading":
                process.stdout.close()
            case "interrupt":
                process.send_signal(signal.SIGINT)
            case _:
                until(lambda: sockets(here[0]), "it owns no socket")
                process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS) == 0 or end != "stop reading"
    assert sockets(here[0]) == []


def test_the_input_ends_during_the_first_index(here: Here) -> None:
    (held := here[0] / "held").touch()
    process = Forked(["lsp"], here[0] / "kb", environment({**here[1], "HELD_WHILE": str(held)}))
    with process.stdin, process.stdout, process.stderr:
        process.stdin.close()
        assert process.stdout.read() == b""
        process.wait(SECONDS)
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


@pytest.mark.parametrize(("command", "is_early"), [*((c, False) for c in GREETINGS), ("lsp", True)])
def test_whose_parent_dies_ends(here: Here, command: str, is_early: bool) -> None:
    """Although we hold both ends of its streams; `is_early`: it begins without a parent."""
    words = [sys.executable, "-c", PARENT, CHILD.format(waits=is_early), command]
    folder, env = here[0] / "kb", environment(here[1])
    with Launched(words, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd=folder, env=env) as parent:
        if is_early:
            assert parent.stdout.read(1)
        else:
            greet(parent, command)
        parent.kill()
        parent.stdout.read()  # until its end of the stream is closed
        with suppress(BrokenPipeError):
            parent.stdin.close()
    assert sockets(here[0]) == [] or is_early  # the next one clears what an early end leaves
