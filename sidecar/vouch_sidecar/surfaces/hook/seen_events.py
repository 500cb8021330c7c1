"""Answers an event once that two hooks report within a minute.

Keeps a file named by a hash of the session and one of the event, nothing else. Standard library
only.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping

from vouch_sidecar.kb.runtime_folder import usable_folder
from vouch_sidecar.surfaces.hook.payload import AGENT
from vouch_sidecar.surfaces.local.address import MARKS

MINUTE = 60.0
IN_VAIN = "in-vain"
"""Name of the mark of a process that did not start in time."""
SESSION_CHARS = 16
"""The part of a mark's name by which the marks of its session are found."""


class EventMark:
    """A file whose existence says that an event is being answered."""

    def __init__(self, path: str | None) -> None:
        self._path = path

    @classmethod
    def take(cls, env: Mapping[str, str], session_id: str | None, *what: str) -> EventMark | None:
        """Create the mark of a session's event; None if the same event created it less than a
        minute ago. If no file can be written, returns a mark without one, so that every event is
        answered.
        """
        try:
            folder = os.path.join(usable_folder(env, make=True), MARKS)
            os.makedirs(folder, 0o700, exist_ok=True)
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            return cls(None)
        import fcntl  # absent on Windows, where there is no such folder

        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _remove_old(folder)
            path = os.path.join(folder, _of_session(session_id) + _digest(what))
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
            return cls(path)
        except FileExistsError:
            return None
        except OSError:
            return cls(None)
        finally:
            os.close(lock)

    def take_back(self) -> None:
        """Remove the mark, because there was no answer: the event may be answered later."""
        if self._path is not None:
            try:
                os.unlink(self._path)
            except OSError:
                return


def was_in_vain(env: Mapping[str, str]) -> bool:
    """Whether a process failed to start, or was waited for in vain, less than a minute ago."""
    try:
        path = os.path.join(usable_folder(env), MARKS, IN_VAIN)
        return 0 <= time.time() - os.lstat(path).st_mtime < MINUTE
    except OSError:
        return False


def remember_in_vain(env: Mapping[str, str]) -> None:
    """Have `was_in_vain` say so for a minute from now."""
    try:
        folder = os.path.join(usable_folder(env, make=True), MARKS)
        os.makedirs(folder, 0o700, exist_ok=True)
        path = os.path.join(folder, IN_VAIN)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
        os.utime(path)
    except OSError:
        return


def forget(env: Mapping[str, str], session_id: str, kept: EventMark | None = None) -> None:
    """Remove all marks of a session but `kept`: the agent has forgotten the answers."""
    own = _of_session(session_id)
    try:
        folder = os.path.join(usable_folder(env), MARKS)
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(own) and (kept is None or entry.path != kept._path):
                    os.unlink(entry.path)
    except OSError:
        return


def _of_session(session_id: str | None) -> str:
    """How names of marks begin of a session and its subagents."""
    return _digest(session_id and session_id.partition(AGENT)[0])[:SESSION_CHARS] + "-"


def _digest(what: object) -> str:
    return hashlib.sha256(repr(what).encode("utf-8", "surrogatepass")).hexdigest()


def _remove_old(folder: str) -> None:
    latest = time.time() - MINUTE
    with os.scandir(folder) as entries:
        for entry in entries:
            if not latest < entry.stat(follow_symlinks=False).st_mtime < latest + 2 * MINUTE:
                os.unlink(entry.path)
