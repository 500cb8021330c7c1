"""The socket of a user's processes, one for each version.

Standard library only, and little of it: a hook waits for every import.
"""

from __future__ import annotations

import os
import socket
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
