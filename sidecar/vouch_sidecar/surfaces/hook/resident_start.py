"""Starts a resident process. A hook imports this: it needs only the standard library."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from vouch_sidecar.kb.discovery import RESIDENT
from vouch_sidecar.kb.runtime_folder import usable_folder
from vouch_sidecar.surfaces.local.address import IN_VAIN

if TYPE_CHECKING:
    import subprocess

NO = {"false", "0", "no", "off"}
MINUTE = 60.0


def is_unwanted(env: Mapping[str, str]) -> bool:
    """Whether the user wants hooks to start no process."""
    return env.get(RESIDENT, "").strip().lower() in NO


def start_resident(env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a process that outlives this one, unless one holds the socket by then. It inherits no
    viewer and no settings, which come with each request. Raises OSError.
    """
    import subprocess  # a hook waits for every import, and seldom needs this one

    return subprocess.Popen(
        [sys.executable, "-m", "vouch_sidecar.surfaces.resident"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env={name: value for name, value in env.items() if not name.startswith("VOUCH_")},
    )


def was_in_vain(env: Mapping[str, str]) -> bool:
    """Whether a process failed to start, or was waited for in vain, less than a minute ago."""
    try:
        path = os.path.join(usable_folder(env), IN_VAIN)
        return 0 <= time.time() - os.lstat(path).st_mtime < MINUTE
    except OSError:
        return False


def remember_in_vain(env: Mapping[str, str]) -> None:
    """Have `was_in_vain` say so for a minute from now."""
    try:
        path = os.path.join(usable_folder(env, make=True), IN_VAIN)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
        os.utime(path)
    except OSError:
        return
