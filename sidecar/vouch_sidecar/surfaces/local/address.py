"""The socket of a user's processes, one for each version, and who is at its other end.

Standard library only, and little of it: a hook waits for every import.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Mapping

from vouch_sidecar.kb.runtime_folder import is_supported, runtime_folder
from vouch_sidecar.version import __version__

SUFFIX = ".sock"
LOCK = ".lock"
"""What the name of a socket's lock ends with."""
IN_VAIN = "in-vain"
"""Name of the mark of a process that did not start in time."""


def has_sockets() -> bool:
    """Whether processes of one user can ask each other. Windows lacks what this needs."""
    try:
        import fcntl  # noqa: F401 - for file locks
    except ImportError:
        return False
    return is_supported() and hasattr(socket, "AF_UNIX")


def socket_path(env: Mapping[str, str], version: str = __version__) -> str:
    """The path of the socket of a version's processes."""
    return os.path.join(runtime_folder(env), version + SUFFIX)


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
