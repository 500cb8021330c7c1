"""Starts the command as a process of its own without its two seconds of imports: one process of a
test run has imported everything, and forks for each one that is asked for.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

MODULES = ("vouch_sidecar.surfaces.lsp.run", "vouch_sidecar.surfaces.jsonl")
COMMAND = Path(sys.executable).with_name("vouch-sidecar")
MAX_MESSAGE = 1 << 20


class Forked:
    """A running command, used as `subprocess.Popen` is. `program`: another one in place of it. With
    a `PYTHONPATH` it is a process that imports for itself.
    """

    def __init__(
        self,
        args: Sequence[str],
        cwd: Path | None,
        env: Mapping[str, str],
        program: Path | None = None,
    ) -> None:
        if program is None and env.get("PYTHONPATH"):
            program = COMMAND
        ends = [os.pipe() for _ in range(3)]
        (read_in, write_in), (read_out, write_out), (read_err, write_err) = ends
        self._ours, theirs = socket.socketpair()
        asked = {
            "args": [*args],
            "cwd": str(cwd or Path.cwd()),
            "env": dict(env),
            "program": program and str(program),
        }
        given = [read_in, write_out, write_err]
        with theirs:
            message = [json.dumps(asked).encode()]
            socket.send_fds(_parent()[0], message, [*given, theirs.fileno()])
        for descriptor in given:
            os.close(descriptor)
        self.stdin: IO[bytes] = os.fdopen(write_in, "wb")
        self.stdout: IO[bytes] = os.fdopen(read_out, "rb")
        self.stderr: IO[bytes] = os.fdopen(read_err, "rb")
        self.pid = int(self._ours.recv(32))
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """The exit code. Raises `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            self._ours.settimeout(timeout)
            try:
                self.returncode = int(self._ours.recv(32))
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired("vouch-sidecar", timeout or 0) from None
            self._ours.close()
        return self.returncode

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def communicate(self, said: bytes) -> tuple[bytes, bytes]:
        """What it prints to both of its streams until it ends, with this as its whole input."""
        with self.stdout, self.stderr, ThreadPoolExecutor(2) as pool:
            errors = pool.submit(self.stderr.read)
            pool.submit(self._say, said)
            printed = self.stdout.read()
        self.wait()
        return printed, errors.result()

    def _say(self, said: bytes) -> None:
        with suppress(BrokenPipeError), self.stdin:
            self.stdin.write(said)

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it, however it is."""
        self.send_signal(signal.SIGKILL)


@cache
def _parent() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """The process that forks, and a connection to it; it ends when this one does."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", __name__, str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()
    return ours, process


def _serve(asking: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait
    while True:
        message, descriptors, *_ = socket.recv_fds(asking, MAX_MESSAGE, 4)
        if not message:
            return
        if os.fork() == 0:
            asking.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _wait_for(message, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _wait_for(message: bytes, descriptors: list[int]) -> None:
    """Run a command in a process, and say how that ends."""
    pid = os.fork()
    if pid == 0:
        _run(message, descriptors)
    *streams, told = descriptors
    for stream in streams:
        os.close(stream)
    with socket.socket(fileno=told) as told_by:
        told_by.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        told_by.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _run(message: bytes, descriptors: list[int]) -> None:
    for number, descriptor in enumerate(descriptors):
        if number < 3:
            os.dup2(descriptor, number)
        os.close(descriptor)
    asked = json.loads(message)
    os.chdir(asked["cwd"])
    if program := asked["program"]:
        os.execve(program, [program, *asked["args"]], asked["env"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.argv = ["vouch-sidecar", *asked["args"]]
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, buffering=1, encoding="utf-8", closefd=False)
        for number, mode in enumerate("rww")
    )
    from vouch_sidecar import surfaces
    from vouch_sidecar.surfaces import entry

    surfaces.PARENT = os.getppid()
    entry.main()
    sys.exit()


if __name__ == "__main__":
    for module in MODULES:
        __import__(module)
    _serve(socket.socket(fileno=int(sys.argv[1])))
