"""Starts the command as a process that is forked from one that has imported everything."""

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from time import sleep
from typing import IO

MODULES = ["vouch_sidecar.surfaces.lsp.run", "vouch_sidecar.surfaces.jsonl"]
COMMAND = Path(sys.executable).with_name("vouch-sidecar")


class Forked:
    """A running command, used as a `Popen` is. With a `PYTHONPATH` it imports anew."""

    def __init__(self, args: Sequence[str], cwd: Path | None, env: Mapping[str, str]) -> None:
        pipes = [_context().Pipe(duplex=False) for _ in range(3)]
        (read_in, write_in), (read_out, write_out), (read_err, write_err) = pipes
        theirs, ours = (read_in, write_out, write_err), (write_in, read_out, read_err)
        asked = (theirs, [*args], cwd or Path.cwd(), dict(env))
        self._process = _context().Process(target=_run, args=asked, daemon=True)
        self._process.start()
        for one in theirs:
            one.close()
        self.stdin: IO[bytes] = _opened(ours[0], "wb")
        self.stdout: IO[bytes] = _opened(ours[1], "rb")
        self.stderr: IO[bytes] = _opened(ours[2], "rb")
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code. Raises `subprocess.TimeoutExpired`."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("vouch-sidecar", timeout or 0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def forked(work: Callable[..., object], *args: object) -> int | None:
    """The exit code of a process that does some work."""
    process = _context().Process(target=work, args=args)
    process.start()
    process.join()
    return process.exitcode


@cache
def _context() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload(MODULES)
    return context


def _opened(end: Connection, mode: str) -> IO[bytes]:
    with end:
        return os.fdopen(os.dup(end.fileno()), mode)


def _run(streams: Sequence[Connection], args: list[str], cwd: Path, env: dict[str, str]) -> None:
    for number, end in enumerate(streams):
        os.dup2(end.fileno(), number)
        end.close()
    os.chdir(cwd)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background ignore it
    if env.get("PYTHONPATH") or "PYTHONIOENCODING" in env:
        os.execve(COMMAND, [str(COMMAND), *args], env)
    os.environ.clear()
    os.environ.update(env)
    if "HELD_WHILE" in env:
        sys.addaudithook(partial(_hold_while, Path(env["HELD_WHILE"])))
    sys.argv = ["vouch-sidecar", *args]
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, buffering=1, encoding="utf-8", closefd=False)
        for number, mode in enumerate("rww")
    )
    from vouch_sidecar import surfaces
    from vouch_sidecar.surfaces import entry

    surfaces.PARENT = os.getppid()
    try:
        entry.main()
    finally:
        atexit._run_exitfuncs()


def _hold_while(file: Path, event: str, args: tuple[object, ...]) -> None:
    """Let whoever opens a YAML file wait as long as another file is there."""
    while event == "open" and str(args[0]).endswith(".yaml") and file.exists():
        sleep(0.01)
