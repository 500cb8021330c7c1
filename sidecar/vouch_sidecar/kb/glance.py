"""How every file of a knowledge base stands, at a glance: for those who only compare.

Much cheaper than `layout.survey`, and says nothing where that would have to look twice.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from zlib import crc32

from vouch_sidecar.kb.files import Stat, packed
from vouch_sidecar.kb.layout import CONFIG, FOLDERS, MAX_FILES

__all__ = ["glance", "state_of"]

Row = tuple[str, Stat]
_BUCKETS = 64


def state_of(stats: Iterable[tuple[str, Stat]]) -> bytes:
    """What tells two states of a knowledge base apart: the stat of every file, `config.yaml`
    included.
    """
    return _digest(stats)


def glance(kb_dir: Path) -> bytes | None:
    """The state of a knowledge base on disk; None where there are links below it or odd files."""
    try:
        return _digest(_rows(os.path.realpath(kb_dir)))
    except (OSError, _OddError):
        return None


class _OddError(Exception):
    """Something that takes a closer look."""


def _digest(rows: Iterable[Row]) -> bytes:
    """In any order, and bucket by bucket: to sort, or to free, a hundred thousand at once stops all
    threads.
    """
    buckets: list[list[Row]] = [[] for _ in range(_BUCKETS)]
    for row in rows:
        buckets[crc32(row[0].encode("utf-8", "surrogateescape")) % _BUCKETS].append(row)
    digest = hashlib.sha256()
    for bucket in buckets:
        bucket.sort()
        digest.update(marshal.dumps(bucket, 2))  # 2: equal values, equal bytes
        bucket.clear()
    return digest.digest()


def _rows(base: str) -> list[Row]:
    rows = _single(CONFIG, f"{base}/{CONFIG}")
    for folder, (_, suffix) in FOLDERS.items():
        for entry in _scan(f"{base}/{folder}"):
            name = entry.name
            if name.endswith(suffix) and name != suffix:
                rows.append(_row(f"{folder}/{name}", entry.stat(follow_symlinks=False)))
    for entry in _scan(f"{base}/sources"):
        if entry.is_symlink():
            raise _OddError
        rows += _single(f"sources/{entry.name}/meta.yaml", f"{entry.path}/meta.yaml")
    if len(rows) > MAX_FILES:
        raise _OddError
    return rows


def _row(path: str, found: os.stat_result) -> Row:
    if not stat.S_ISREG(found.st_mode):
        raise _OddError
    return (path, packed(found))


def _single(path: str, full: str) -> list[Row]:
    try:
        return [_row(path, os.lstat(full))]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _scan(folder: str) -> list[os.DirEntry[str]]:
    try:
        if stat.S_ISLNK(os.lstat(folder).st_mode):
            raise _OddError
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
