"""Answers an event once that two hooks report within a minute.

Keeps a file named by the event's hash, nothing else. Standard library only.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping

from vouch_sidecar.surfaces.local.address import usable_folder

MINUTE = 60.0
FOLDER = "said"


class Mark:
    """A file whose existence says that an event is being answered."""

    def __init__(self, path: str | None) -> None:
        self._path = path

    @classmethod
    def take(cls, env: Mapping[str, str], *what: str) -> Mark | None:
        """Create the mark of an event; None if the same event created it less than a minute ago. If
        no file can be written, returns a mark without one, so that every event is answered.
        """
        digest = hashlib.sha256(repr(what).encode("utf-8", "surrogatepass")).hexdigest()
        try:
            folder = os.path.join(usable_folder(env, make=True), FOLDER)
            os.makedirs(folder, 0o700, exist_ok=True)
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            return cls(None)
        import fcntl  # absent on Windows, where there is no such folder

        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _remove_old(folder)
            path = os.path.join(folder, digest)
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


def _remove_old(folder: str) -> None:
    latest = time.time() - MINUTE
    with os.scandir(folder) as entries:
        for entry in entries:
            if not latest < entry.stat(follow_symlinks=False).st_mtime < latest + 2 * MINUTE:
                os.unlink(entry.path)
