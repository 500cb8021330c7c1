"""The folder of a user's sockets, and the name of each knowledge base's socket in it.

Standard library only, and little of it: a hook waits for every import.
"""

from __future__ import annotations

import hashlib
import os
import socket
import stat
import struct
from collections.abc import Mapping

FOLDER = "vouch-sidecar"
MAX_SOCKET_PATH = 100
"""In bytes. `sun_path` has 104 on macOS and 108 on Linux, the final zero included."""
NAME_CHARS = 32
SUFFIX = ".sock"
MARKS = "said"
"""Folder, among the sockets, of the marks of answered events."""


def is_supported() -> bool:
    """Whether processes of one user can reach each other. Windows lacks the sockets, file locks and
    file owners that this needs.
    """
    return hasattr(os, "getuid")


def runtime_folder(env: Mapping[str, str]) -> str:
    """The path of the folder for sockets and marks: in the user's runtime directory, else in the
    temporary one, with the user's id in its name. The folder may be missing or not ours.
    """
    uid = os.getuid()
    named = env.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(named) and _fits(found := os.path.join(named, FOLDER)):
        return found
    own = f"/run/user/{uid}"
    if not named and os.path.isdir(own) and _is_ours(own):
        return os.path.join(own, FOLDER)
    temporary = os.path.join(env.get("TMPDIR", ""), f"{FOLDER}-{uid}")
    usable = os.path.isabs(temporary) and _fits(temporary)
    return temporary if usable else os.path.join("/tmp", f"{FOLDER}-{uid}")


def usable_folder(env: Mapping[str, str], *, make: bool = False) -> str:
    """The runtime folder, closed to other users. `make`: create it if it is missing.

    Raises FileNotFoundError if it is missing, PermissionError if it is another user's or no folder,
    and OSError on systems without such a folder.
    """
    if not is_supported():
        raise OSError("this system has no runtime folder")
    folder = runtime_folder(env)
    if make:
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            pass
    if not _is_ours(folder):
        raise PermissionError("the runtime folder belongs to somebody else")
    if os.stat(folder).st_mode & 0o077:
        os.chmod(folder, 0o700)
    return folder


def socket_path(root: str | os.PathLike[str], env: Mapping[str, str]) -> str:
    """The path of the socket of the knowledge base in folder `root`."""
    real = os.path.realpath(os.path.join(root, ".vouch"))
    name = hashlib.sha256(os.fsencode(real)).hexdigest()[:NAME_CHARS]
    return os.path.join(runtime_folder(env), name + SUFFIX)


def is_own_user(connected: socket.socket) -> bool:
    """Whether the process at the other end belongs to this user. True if the platform
    can't tell: then the folder's permissions are the only protection.
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
    """Whether a path is a folder of this user. Raises FileNotFoundError."""
    found = os.lstat(folder)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
