"""The folder of what a user's processes share while they run: sockets, marks, pauses.

Standard library only, and little of it: a hook waits for every import.
"""

from __future__ import annotations

import os
import stat
from binascii import crc32
from collections.abc import Mapping

from vouch_sidecar.kb.discovery import KB_DIRNAME

FOLDER_NAME = "vouch-sidecar"
MAX_SOCKET_PATH = 100
"""In bytes. `sun_path` has 104 on macOS and 108 on Linux, the final zero included."""
NAME_CHARS = 32
"""Room for the version in the name of a socket."""
SUFFIX_CHARS = 6
READY_SECONDS = 10.0
"""For so long after a process begins to serve, who asks it may wait for what it has yet to read."""


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
    runtime_dir = env.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime_dir) and _fits(folder := os.path.join(runtime_dir, FOLDER_NAME)):
        return folder
    own = f"/run/user/{uid}"
    if not runtime_dir and os.path.isdir(own) and _is_ours(own):
        return os.path.join(own, FOLDER_NAME)
    temporary = os.path.join(env.get("TMPDIR", ""), f"{FOLDER_NAME}-{uid}")
    usable = os.path.isabs(temporary) and _fits(temporary)
    return temporary if usable else os.path.join("/tmp", f"{FOLDER_NAME}-{uid}")


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


def name_of(root: str | os.PathLike[str]) -> str:
    """What stands for the knowledge base in folder `root` in names of files."""
    real = os.path.realpath(os.path.join(root, KB_DIRNAME))
    return f"{crc32(os.fsencode(real)):08x}"


def _fits(folder: str) -> bool:
    return len(os.fsencode(folder)) + 1 + NAME_CHARS + SUFFIX_CHARS <= MAX_SOCKET_PATH


def _is_ours(folder: str) -> bool:
    """Whether a path is a folder of this user. Raises FileNotFoundError."""
    status = os.lstat(folder)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
