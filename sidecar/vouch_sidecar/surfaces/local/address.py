"""Where the processes of one user meet: a folder of its own, one socket a knowledge base.

Standard library only, and little of it: a hook pays for every import.
"""

from __future__ import annotations

import hashlib
import os
import socket
import stat
import struct
from collections.abc import Mapping

__all__ = ["UnsafeFolderError", "is_own_user", "runtime_folder", "socket_path", "usable_folder"]

FOLDER = "vouch-sidecar"
MAX_SOCKET_PATH = 100
"""Bytes: `sun_path` has 104 on macOS, 108 on Linux, its end included."""
NAME_CHARS = 32
SUFFIX = ".sock"


class UnsafeFolderError(OSError):
    """The runtime folder belongs to somebody else, or is no folder."""


def runtime_folder(env: Mapping[str, str]) -> str:
    """The folder for sockets and marks: below the user's runtime directory, else below the
    temporary one, where its name carries the user's id. Neither made nor checked.
    """
    uid = os.getuid()
    named = env.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(named) and _fits(found := os.path.join(named, FOLDER)):
        return found
    own = f"/run/user/{uid}"
    if not named and _is_ours(own):
        return os.path.join(own, FOLDER)
    temporary = os.path.join(env.get("TMPDIR") or "/tmp", f"{FOLDER}-{uid}")
    return temporary if _fits(temporary) else os.path.join("/tmp", f"{FOLDER}-{uid}")


def usable_folder(env: Mapping[str, str], *, make: bool = False) -> str:
    """The runtime folder, ours alone; with `make`, made where it is missing.

    Raises FileNotFoundError where it is not there, UnsafeFolderError where it is not ours alone.
    """
    folder = runtime_folder(env)
    if make:
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            pass
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise UnsafeFolderError("the runtime folder belongs to somebody else")
    if stat.S_IMODE(found.st_mode) & 0o077:
        os.chmod(folder, 0o700)
    return folder


def socket_path(root: str | os.PathLike[str], env: Mapping[str, str]) -> str:
    """The socket of the knowledge base in a folder, whoever listens there."""
    real = os.path.realpath(os.path.join(root, ".vouch"))
    name = hashlib.sha256(os.fsencode(real)).hexdigest()[:NAME_CHARS]
    return os.path.join(runtime_folder(env), name + SUFFIX)


def is_own_user(connected: socket.socket) -> bool:
    """Whether this user is at the other end. Where the platform does not tell, the rights of the
    folder have to do.
    """
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    size = struct.calcsize("3i")
    _, uid, _ = struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, option, size))
    return bool(uid == os.getuid())


def _fits(folder: str) -> bool:
    return len(os.fsencode(folder)) + 1 + NAME_CHARS + len(SUFFIX) <= MAX_SOCKET_PATH


def _is_ours(folder: str) -> bool:
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
