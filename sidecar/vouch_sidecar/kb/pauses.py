"""Pauses: for a while, a knowledge base volunteers nothing.

A pause is an empty file in the user's runtime folder, whose modification time is the pause's end.
So hooks, servers and the shell all see it, whether or not a process serves the knowledge base.
Standard library only.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from vouch_sidecar.kb.runtime_folder import is_supported, name_of, runtime_folder, usable_folder

UNTIL_RESUMED = 4_102_444_800.0
"""The end of a pause without one: the year 2100, which every file system can hold."""
LONGEST = 366 * 86_400
"""Seconds of a pause that has an end, at most: a year."""
_SUFFIX = ".pause"


def pause(root: str | os.PathLike[str], env: Mapping[str, str], seconds: float | None) -> float:
    """Pause a knowledge base for some seconds from now, or until it is resumed or the system starts
    anew. Returns the end, in seconds since 1970. Raises OSError.
    """
    path = os.path.join(usable_folder(env, make=True), name_of(root) + _SUFFIX)
    ends = UNTIL_RESUMED if seconds is None else min(time.time() + seconds, UNTIL_RESUMED)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
    os.utime(path, (ends, ends), follow_symlinks=False)
    return ends


def resume(root: str | os.PathLike[str], env: Mapping[str, str]) -> bool:
    """End the pause of a knowledge base. Returns whether there was one. Raises OSError."""
    is_paused = paused_until(root, env) is not None
    try:
        os.unlink(os.path.join(usable_folder(env), name_of(root) + _SUFFIX))
    except FileNotFoundError:
        return False
    return is_paused


def paused_until(root: str | os.PathLike[str], env: Mapping[str, str]) -> float | None:
    """When the pause of the knowledge base in folder `root` ends, in seconds since 1970; None if
    there is none, or it is over.
    """
    return end_in(pause_file(root, env))


def pause_file(root: str | os.PathLike[str], env: Mapping[str, str]) -> str:
    """Where a pause of a knowledge base stands; an empty path, where no file is, on systems without
    a runtime folder, which have no pauses.
    """
    return os.path.join(runtime_folder(env), name_of(root) + _SUFFIX) if is_supported() else ""


def end_in(path: str) -> float | None:
    """The end of the pause that stands in a file; None if there is none, or it is over."""
    try:
        mark = os.lstat(path)
    except OSError:
        return None
    return mark.st_mtime if mark.st_uid == os.getuid() and mark.st_mtime > time.time() else None
