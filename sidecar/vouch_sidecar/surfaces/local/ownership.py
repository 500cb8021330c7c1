"""Owns the socket of a user's processes. A file lock ensures that one process at a time does.

Standard library only: a process owns it before it imports the engine, which takes half a second.
Who asks meanwhile connects and waits, and starts none.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress

from vouch_sidecar.kb.runtime_folder import usable_folder
from vouch_sidecar.surfaces.local.address import LOCK, has_sockets, socket_path

BACKLOG = 64


class Ownership:
    """The socket, bound by this process, and its lock, which goes with the process however it ends:
    whoever has it may remove an old socket.
    """

    def __init__(self, path: str, lock: int) -> None:
        """Raises OSError."""
        self._path, self._lock = path, lock
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with suppress(FileNotFoundError):
            os.unlink(path)
        self.listener.bind(path)  # in a folder that is closed to others
        os.chmod(path, 0o600)
        self.listener.listen(BACKLOG)
        self.listener.setblocking(False)
        self._bound = os.lstat(path).st_ino

    @classmethod
    def take(cls, env: Mapping[str, str]) -> Ownership | None:
        """Own the socket; None while another process does, or where there are none. Raises OSError
        if creating it fails.
        """
        lock = hold(env) if has_sockets() else None
        if lock is None:
            return None
        return cls(socket_path(env), lock)

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


def hold(env: Mapping[str, str], path: str | None = None) -> int | None:
    """Take the lock of the socket, or of that at `path`. Returns a descriptor; closing it, or the
    end of the process, releases the lock. None while another process has it. Raises OSError.
    """
    import fcntl  # absent on Windows, where there is no such folder

    usable_folder(env, make=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    lock = os.open((path or socket_path(env)) + LOCK, flags, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        if isinstance(error, BlockingIOError):
            return None
        raise
    return lock
