"""Runs commands as a person does: in a pipe, or on a terminal of some width."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path

from tests.protocol.client import COMMAND, environment, run_command
from tests.surfaces.courier import COURIER

STYLE = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(width: int, *args: str, cwd: Path = COURIER) -> list[str]:
    """The lines that a terminal of a width shows, without their styles."""
    return STYLE.sub("", printed(width, *args, cwd=cwd)).splitlines()


def printed(width: int, *args: str, cwd: Path, **env: str) -> str:
    """What a command prints on a terminal of a width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    whole = environment({"TERM": "xterm-256color", **env})
    whole.pop("COLUMNS", None)
    with subprocess.Popen([COMMAND, *args], stdout=theirs, cwd=cwd, env=whole) as process:
        os.close(theirs)
        text = b"".join(_read(ours)).decode()
    os.close(ours)
    assert process.returncode == 0
    return text


def _read(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(descriptor, 65_536)
        except OSError:  # how the end of a terminal shows on Linux
            return
        if not data:
            return
        yield data


def run(
    cwd: Path, *args: str, code: int = 0, given: str = "", **env: str
) -> subprocess.CompletedProcess[str]:
    """Run a command; `given` is its standard input."""
    return run_command(*args, cwd=cwd, env=env, said=given, code=code)
