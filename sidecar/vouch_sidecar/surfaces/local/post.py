"""Owning the socket of a knowledge base: one process at a time, the system says which."""

from __future__ import annotations

import fcntl
import os
import socket
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from vouch_sidecar.surfaces.local.address import socket_path, usable_folder

__all__ = ["Post"]

BACKLOG = 64


class Post:
    """The socket of one knowledge base, bound by this process, and the lock that says so.

    The lock goes with the process however it ends, so whoever has it may clear what lies there.
    """

    def __init__(self, path: str, lock: int, listener: socket.socket) -> None:
        self.listener = listener
        self._path = path
        self._lock = lock
        self._bound = _identity(path)

    @classmethod
    def take(cls, root: Path, env: Mapping[str, str]) -> Post | None:
        """Own the socket; None while another process does. Raises OSError where none can be."""
        usable_folder(env, make=True)
        path = socket_path(root, env)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.open(f"{path}.lock", flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return cls(path, lock, _bind(path))
        except BlockingIOError:
            os.close(lock)
            return None
        except OSError:
            os.close(lock)
            raise

    def stands(self) -> bool:
        """Whether the socket can still be found: temporary folders get cleaned."""
        return self._bound is not None and _identity(self._path) == self._bound

    def leave(self) -> None:
        """Give the socket up to whoever wants it next."""
        self.listener.close()
        if self.stands():
            os.unlink(self._path)
        os.close(self._lock)


def _bind(path: str) -> socket.socket:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with suppress(OSError):
            os.fchmod(listener.fileno(), stat.S_IRUSR | stat.S_IWUSR)  # from its first moment on
        listener.bind(path)
        os.chmod(path, stat.S_IRUSR | stat.S_IWUSR)
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
