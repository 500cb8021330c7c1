"""Ends resident processes. One is asked over its socket: a process id that is kept may be that of
another process by the time it is read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from time import monotonic, sleep

from vouch_sidecar.kb.runtime_folder import usable_folder
from vouch_sidecar.surfaces.local.address import SUFFIX
from vouch_sidecar.surfaces.local.client import (
    SOON_SECONDS,
    STOP_PROCESS,
    Process,
    UnansweredError,
    connect,
)
from vouch_sidecar.surfaces.local.ownership import hold

STOP_SECONDS = 10.0
RETRY_SECONDS = 0.05


class EditorError(Exception):
    """An editor's language server holds the socket."""


def sockets(env: Mapping[str, str]) -> list[str]:
    """The paths of the sockets of all versions, those of dead processes too."""
    try:
        folder = usable_folder(env)
        return sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.endswith(SUFFIX))
    except OSError:
        return []


def stop(path: str, env: Mapping[str, str]) -> bool:
    """Have the resident process that holds the socket `path` end, and wait until it has. Returns
    whether one ran. Raises `EditorError`, and `UnansweredError` if it does not end.
    """
    until, ran = monotonic() + STOP_SECONDS, False
    while monotonic() < until:
        if (lock := hold(env, path)) is not None:
            os.close(lock)
            return ran
        if (connected := connect(env, path=path)) is not None:
            with connected:
                answer = Process(connected, [], {}).ask(STOP_PROCESS, {}, SOON_SECONDS) or {}
            if answer.get("ok") is False:
                raise EditorError("an editor's, which ends with it")
            ran = True
        sleep(RETRY_SECONDS)  # it is about to listen, or about to end
    raise UnansweredError("it does not answer; try again")
