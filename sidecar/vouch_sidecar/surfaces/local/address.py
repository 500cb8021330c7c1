"""The name of each knowledge base's socket, and who is at its other end.

Standard library only, and little of it: a hook waits for every import.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Mapping

from vouch_sidecar.kb.runtime_folder import name_of, runtime_folder

SUFFIX = ".sock"
MARKS = "said"
"""Folder, among the sockets, of the marks of answered events."""


def socket_path(root: str | os.PathLike[str], env: Mapping[str, str]) -> str:
    """The path of the socket of the knowledge base in folder `root`."""
    return os.path.join(runtime_folder(env), name_of(root) + SUFFIX)


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
