"""Knows which version of each file was read last, and whether a file may have changed since without
a new time stamp.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from vouch_sidecar.kb.reader import read_bytes_of
from vouch_sidecar.kb.safe_files import Stat, mtime_ns

HALF_WRITTEN_SECONDS = 0.1
"""A file that was written less than this before it was read may be half written, and may change
again without another time stamp.
"""
COARSE_SECONDS = 2.0
"""The same on a file system that seems to keep time stamps in whole seconds."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that was read. Unless `final`, another version of it was known, and it may be half
    written.
    """

    path: str
    data: bytes
    final: bool


class Versions:
    """The stats of the files of one knowledge base, as last read.

    `wall` is the time that file systems stamp, in nanoseconds.
    """

    def __init__(self, kb_dir: Path, wall: Callable[[], int]) -> None:
        self._kb_dir = kb_dir
        self._wall = wall
        self.stats: dict[str, Stat | None] = {}
        """By path; None for a file that can't be read. Only this class changes it."""
        self._racy: dict[str, bytes] = {}

    @property
    def racy(self) -> AbstractSet[str]:
        """The files that must be read again even if their stat is the same."""
        return self._racy.keys()

    def differing(self, files: Mapping[str, Stat]) -> Iterator[str]:
        """The paths of the files that may have changed since they were read."""
        return (path for path, stat in files.items() if not self.is_same(path, stat))

    def is_same(self, path: str, stat: Stat) -> bool:
        """Whether a file with this stat can't have changed since it was read."""
        return self.stats.get(path) == stat and path not in self._racy

    def read(self, path: str) -> Found | None:
        """Read a file; None if its bytes are the same as at the last read. Raises FileNotFoundError
        and UnreadableError.
        """
        started = self._wall()
        data, stat = read_bytes_of(self._kb_dir, path)
        still = _is_still(stat, started)
        compared = not still or path in self._racy
        digest = hashlib.blake2b(data, digest_size=16).digest() if compared else b""
        same = compared and self._racy.get(path) == digest and self.stats.get(path) == stat
        if still:
            self._racy.pop(path, None)
        else:
            self._racy[path] = digest
        was_read = path in self.stats
        self.stats[path] = stat
        return None if same else Found(path, data, still or not was_read)

    def resume(self, stats: dict[str, Stat | None]) -> None:
        """Start from the stats of an earlier process. The table is used as it is, not copied."""
        self.stats = stats

    def read_again(self, path: str) -> None:
        """Have a file that was just read be read once more."""
        self._racy[path] = b""

    def mark_unreadable(self, path: str) -> None:
        """Record that a file exists but cannot be read."""
        self.stats[path] = None
        self._racy.pop(path, None)

    def forget(self, path: str) -> None:
        """Record that a file is gone."""
        self.stats.pop(path, None)
        self._racy.pop(path, None)


def _is_still(stat: Stat, now: int) -> bool:
    """Whether a file was written so long ago that a later change gets another time stamp."""
    written = mtime_ns(stat)
    coarse = written % 1_000_000_000 == 0
    return abs(now - written) > (COARSE_SECONDS if coarse else HALF_WRITTEN_SECONDS) * 1e9
