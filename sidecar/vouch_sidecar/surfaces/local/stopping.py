"""Ends resident processes, and removes what they leave in the runtime folder.

A process is asked over its socket. No process id is kept anywhere: by the time it is read, it may
be that of another process.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum
from time import monotonic, sleep
from typing import NamedTuple

from vouch_sidecar.kb.runtime_folder import usable_folder
from vouch_sidecar.surfaces.local.address import MARKS, SUFFIX
from vouch_sidecar.surfaces.local.client import Process, connect
from vouch_sidecar.surfaces.local.ownership import LOCK, hold_file

STOP_PROCESS = "stop"
"""The method that ends a resident process; it answers with the roots that it served."""
STOP_SECONDS = 10.0
RETRY_SECONDS = 0.05


class Outcome(Enum):
    """What came of asking; `OTHER`: a process with a client serves the knowledge base."""

    STOPPED = "stopped"
    NONE = "none runs"
    OTHER = "an editor, an agent or a terminal has its process, which ends with it"
    SILENT = "its process does not answer; try again"


class Stopping(NamedTuple):
    """What came of asking the owner of a socket, and the roots that it served."""

    outcome: Outcome
    roots: list[str]


def sockets(env: Mapping[str, str]) -> list[str]:
    """The paths of the sockets of all knowledge bases of this user, those of dead processes too."""
    try:
        folder = usable_folder(env)
        names = {name.partition(SUFFIX)[0] for name in os.listdir(folder) if SUFFIX in name}
    except OSError:
        return []
    return [os.path.join(folder, name + SUFFIX) for name in sorted(names)]


def stop(path: str, env: Mapping[str, str]) -> Stopping:
    """Ask the resident process that owns the socket `path` to end, wait until it has, and remove
    the socket and its lock.
    """
    until = monotonic() + STOP_SECONDS
    stopping = Stopping(Outcome.NONE, [])
    while (left := until - monotonic()) > 0:
        try:
            usable_folder(env)
            lock = hold_file(path + LOCK)
        except OSError:  # nothing ever ran
            return stopping
        if lock is not None:
            _remove(path)
            os.close(lock)
            return stopping
        answered = _ask(path, env, left)
        if answered.outcome is Outcome.OTHER:
            return answered
        if answered.outcome is Outcome.STOPPED:
            stopping = answered
        sleep(RETRY_SECONDS)  # it is about to listen, or about to end
    return Stopping(Outcome.SILENT, [])


def _ask(path: str, env: Mapping[str, str], seconds: float) -> Stopping:
    connected = connect(path, env, seconds)
    if connected is None:
        return Stopping(Outcome.SILENT, [])
    with connected:
        until = monotonic() + seconds
        answer = Process(connected, [], {}, lambda: until - monotonic()).ask(STOP_PROCESS, {})
        if answer is None:
            return Stopping(Outcome.SILENT, [])
        roots = answer.get("result")
        if answer.get("ok") is not True or not isinstance(roots, list):
            return Stopping(Outcome.OTHER, [])
        return Stopping(Outcome.STOPPED, [root for root in roots if isinstance(root, str)])


def _remove(path: str) -> None:
    """Remove a socket and its lock, which this process holds; then the runtime folder, if it can
    go.
    """
    for file in (path, path + LOCK):
        with suppress(FileNotFoundError):
            os.unlink(file)
    _clear(os.path.dirname(path))


def clear(env: Mapping[str, str]) -> None:
    """Remove the runtime folder, unless there is more in it than marks of answered events."""
    with suppress(OSError):
        _clear(usable_folder(env))


def _clear(folder: str) -> None:
    with suppress(OSError):
        if set(os.listdir(folder)) <= {MARKS}:
            shutil.rmtree(os.path.join(folder, MARKS), ignore_errors=True)
            os.rmdir(folder)
