"""Owns the socket of a knowledge base. A file lock ensures that one process at a time does."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from vouch_sidecar.kb.runtime_folder import usable_folder
from vouch_sidecar.surfaces.local.address import socket_path

BACKLOG = 64
LOCK = ".lock"
"""What the name of a socket's lock ends with."""


class Ownership:
    """The socket of one knowledge base, bound by this process, and its lock.

    The system releases the lock when the process ends, so its holder may remove an old socket.
    """

    def __init__(self, path: str, lock: int, listener: socket.socket) -> None:
        self.listener = listener
        self._path = path
        self._lock = lock
        self._bound = _identity(path)

    @classmethod
    def take(cls, root: Path, env: Mapping[str, str]) -> Ownership | None:
        """Own the socket; None while another process does. Raises OSError if creating it fails."""
        lock = hold(root, env)
        if lock is None:
            return None
        path = socket_path(root, env)
        try:
            return cls(path, lock, _bind(path))
        except OSError:
            os.close(lock)
            raise

    def holds(self) -> bool:
        """Whether the socket's file still exists: systems clean temporary folders."""
        return self._bound is not None and _identity(self._path) == self._bound

    def release(self) -> None:
        """Remove the socket, and let another process own it."""
        self.listener.close()
        if self.holds():
            os.unlink(self._path)
        os.close(self._lock)


def hold(root: str | os.PathLike[str], env: Mapping[str, str]) -> int | None:
    """Take the lock of a knowledge base's socket, as `hold_file`. Raises OSError."""
    usable_folder(env, make=True)
    return hold_file(socket_path(root, env) + LOCK)


def hold_file(path: str) -> int | None:
    """Take the lock in a file, which is created. Returns a descriptor; closing it, or the end of
    the process, releases the lock. None while another process has the lock. Raises OSError.
    """
    import fcntl  # absent on Windows, where there is no such folder

    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        lock = os.open(path, flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            if isinstance(error, BlockingIOError):
                return None
            raise
        held = os.fstat(lock)
        if _identity(path) == (held.st_dev, held.st_ino):
            return lock
        os.close(lock)  # its last holder removed the file meanwhile


def _bind(path: str) -> socket.socket:
    with suppress(FileNotFoundError):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(path)  # in a folder that is closed to others
        os.chmod(path, stat.S_IRUSR | stat.S_IWUSR)
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
