"""Starts a resident process. A hook imports this: it needs only the standard library."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from vouch_sidecar.kb.discovery import RESIDENT, TRUST
from vouch_sidecar.surfaces.local.ownership import hold

if TYPE_CHECKING:
    import subprocess

NO = {"false", "0", "no", "off"}


def is_unwanted(env: Mapping[str, str]) -> bool:
    """Whether the user wants hooks to start no process."""
    return env.get(RESIDENT, "").strip().lower() in NO


class Start:
    """A process that was started, if one was."""

    def __init__(self, process: subprocess.Popen[bytes] | None) -> None:
        self._process = process

    @property
    def is_new(self) -> bool:
        return self._process is not None

    def has_failed(self) -> bool:
        """Whether it has ended with an error."""
        return self._process is not None and bool(self._process.poll())


def start_resident(roots: Sequence[str], env: Mapping[str, str]) -> Start:
    """Start a process that serves these knowledge bases and outlives this one, unless each has one.
    It inherits no viewer and no settings, which come with each request, except the trusted folders
    of other users. Raises OSError.
    """
    locks = [lock for root in roots if (lock := hold(root, env)) is not None]
    for lock in locks:
        os.close(lock)  # the new process takes it
    if not locks:
        return Start(None)
    import subprocess  # a hook waits for every import, and seldom needs this one

    process = subprocess.Popen(
        [sys.executable, "-m", "vouch_sidecar.surfaces.resident", *roots],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        env={n: v for n, v in env.items() if n == TRUST or not n.startswith("VOUCH_")},
    )
    return Start(process)
