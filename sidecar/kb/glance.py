"""How every file of a knowledge base stands, at a glance: for those who only compare.

Much cheaper than `layout.survey`, and says nothing where that would have to look twice.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from sidecar.kb.files import Stat
from sidecar.kb.layout import CONFIG, FOLDERS, MAX_FILES

__all__ = ["glance", "state_of"]


def state_of(stats: Mapping[str, Stat]) -> bytes:
    """What tells two states of a knowledge base apart: the stat of every file, `config.yaml`
    included.
    """
    lines = sorted(f"{path}\0{s[0]} {s[1]} {s[2]}" for path, s in stats.items())
    return hashlib.blake2b(os.fsencode("\n".join(lines)), digest_size=32).digest()


def glance(kb_dir: Path) -> bytes | None:
    """The state of a knowledge base on disk; None where there are links or odd files."""
    try:
        if kb_dir.is_symlink():
            return None
        return state_of(dict(_files(str(kb_dir))))
    except (OSError, _OddError):
        return None


class _OddError(Exception):
    """Something that takes a closer look."""


def _files(base: str) -> Iterator[tuple[str, Stat]]:
    for count, (path, found) in enumerate(_entries(base), 1):
        if not stat.S_ISREG(found.st_mode) or count > MAX_FILES:
            raise _OddError
        # A plain tuple: ten thousand of them are made.
        yield path, (found.st_size, found.st_mtime_ns, found.st_ino)  # type: ignore[misc]


def _entries(base: str) -> Iterator[tuple[str, os.stat_result]]:
    with suppress(FileNotFoundError):
        yield CONFIG, os.lstat(f"{base}/{CONFIG}")
    for folder, (_, suffix) in FOLDERS.items():
        for entry in _scan(f"{base}/{folder}"):
            if entry.name.endswith(suffix) and entry.name != suffix:
                yield f"{folder}/{entry.name}", entry.stat(follow_symlinks=False)
    for entry in _scan(f"{base}/sources"):
        if entry.is_symlink():
            raise _OddError
        try:
            yield f"sources/{entry.name}/meta.yaml", os.lstat(f"{entry.path}/meta.yaml")
        except (FileNotFoundError, NotADirectoryError):
            continue


def _mode(path: str) -> int:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _scan(folder: str) -> list[os.DirEntry[str]]:
    if stat.S_ISLNK(_mode(folder)):
        raise _OddError
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
