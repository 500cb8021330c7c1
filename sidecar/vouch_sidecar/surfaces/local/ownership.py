"""Owns the socket of a user's processes, and ends a resident process that does. A file lock ensures
that one process at a time owns it.

Standard library only: a process owns it before it imports the engine, which takes half a second.
Who asks meanwhile connects and waits, and starts none.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic, sleep
from typing import Literal

from vouch_sidecar.kb.runtime_folder import usable_folder
from vouch_sidecar.surfaces.local.client import (
    SOON_SECONDS,
    STOP_PROCESS,
    SUFFIX,
    connect,
    exchange,
    has_sockets,
    socket_path,
)

BACKLOG = 64
LOCK = ".lock"
"""What the name of a socket's lock ends with."""
STOP_SECONDS = 10.0
RETRY_SECONDS = 0.05
Stopped = Literal["stopped", "nobody", "editor", "hangs"]
"""How a try to stop ends: no process held the socket, or an editor's, which ends with it."""


class Ownership:
    """The socket, bound by this process, and its lock, which goes with the process however it ends:
    whoever has it may remove an old socket.
    """

    def __init__(self, path: str, lock: int) -> None:
        """Raises OSError."""
        self._path, self._lock = path, lock
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with suppress(FileNotFoundError):
                os.unlink(path)
            self.listener.bind(path)  # in a folder that is closed to others
            os.chmod(path, 0o600)
            self.listener.listen(BACKLOG)
            self.listener.setblocking(False)
            self._bound = os.lstat(path).st_ino
        except OSError:
            self.listener.close()
            os.close(lock)  # else nobody could own it as long as this process runs
            raise

    @classmethod
    def take(cls, env: Mapping[str, str]) -> Ownership | None:
        """Own the socket; None while another process does, or where there are none. Raises OSError
        if creating it fails.
        """
        lock = _hold(env, socket_path(env)) if has_sockets() else None
        return None if lock is None else cls(socket_path(env), lock)

    def holds(self) -> bool:
        """Whether the socket's file still exists: systems clean temporary folders."""
        try:
            return os.lstat(self._path).st_ino == self._bound
        except OSError:
            return False

    def release(self) -> None:
        """Remove the socket, and let another process own it."""
        self.listener.close()
        if self.holds():
            os.unlink(self._path)
        os.close(self._lock)


def sockets(env: Mapping[str, str]) -> list[str]:
    """The paths of the sockets of all versions, those of dead processes too."""
    try:
        folder = usable_folder(env)
        return sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.endswith(SUFFIX))
    except OSError:
        return []


def stop(path: str, env: Mapping[str, str]) -> Stopped:
    """Have the resident process that holds the socket `path` end, and wait until it has. It is
    asked over its socket: a process id that is kept may be that of another by the time it is read.
    Raises OSError.
    """
    until, ended = monotonic() + STOP_SECONDS, False
    while (lock := _hold(env, path)) is None:
        if monotonic() > until:
            return "hangs"
        if (connected := connect(env, path=path)) is not None:
            answered = exchange(connected, {"method": STOP_PROCESS}, SOON_SECONDS) or {}
            if answered.get("ok") is False:  # an editor took over, if one was asked to end before
                return "stopped" if ended else "editor"
            ended = True
        sleep(RETRY_SECONDS)  # it is about to listen, or about to end
    os.close(lock)
    return "stopped" if ended else "nobody"


def _hold(env: Mapping[str, str], path: str) -> int | None:
    """Take the lock of a socket. Returns a descriptor; closing it, or the end of the process,
    releases the lock. None while another process has it. Raises OSError.
    """
    import fcntl  # absent on Windows, where there is no such folder

    usable_folder(env, make=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    lock = os.open(path + LOCK, flags, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        if isinstance(error, BlockingIOError):
            return None
        raise
    return lock
