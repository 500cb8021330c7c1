"""Opens files that a stranger may have put there: regular, bounded, inside their root."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from struct import Struct

from vouch_sidecar.kb.paths import is_below

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

Stat = bytes
"""Packed size, time in nanoseconds since 1970, and inode, which tell two versions of a file apart.
"""
_STAT = Struct("<QQQ")
"""The stat of a source is that of its record followed by that of its content."""
_64_BITS = (1 << 64) - 1
LEADS_OUT = "a symbolic link that leads out of the folder of the knowledge base"


class UnreadableError(Exception):
    """A file is there and can't, or must not, be read. The message says why, for people."""


def root_of(kb_dir: str | Path) -> str:
    """The real path of the folder that no file of a knowledge base may lie outside of: the one
    around `.vouch/`; where that is a link (in git worktrees, say), the folder that it leads to.
    """
    linked = os.path.islink(kb_dir)  # noqa: PTH114
    return os.path.realpath(kb_dir if linked else os.path.dirname(kb_dir))  # noqa: PTH120


def stat_inside(path: str, kb_dir: str | Path) -> Stat | None:
    """The regular file at `path`; None when nothing is there.

    Raises UnreadableError for anything but a file inside of the knowledge base.
    """
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            status = os.lstat(_inside(path, root_of(kb_dir)))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise UnreadableError(_reason(error)) from error
    return stat_of_regular(status)


def read_bounded(path: str | Path, limit: int, *, kb_dir: Path | None = None) -> bytes:
    """The bytes of a regular file. What a file grows by meanwhile is left out.

    Raises FileNotFoundError when it is gone, UnreadableError when it has more than `limit` bytes,
    is no regular file, or is a symbolic link that leaves the knowledge base (without: any link).
    """
    try:
        real = path if kb_dir is None else _resolved(str(path), str(kb_dir))
        with open(real, "rb", opener=lambda name, _: os.open(name, _FLAGS)) as file:
            status = os.fstat(file.fileno())
            stat_of_regular(status)
            data = file.read(min(status.st_size, limit) + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileNotFoundError(errno.ENOENT, "gone") from error
    except (OSError, ValueError) as error:
        raise UnreadableError(_reason(error)) from error
    if len(data) > limit:
        raise UnreadableError(f"the file is larger than {limit // 1024} KiB")
    return data


def read_below(root: Path, relative: str, limit: int) -> bytes:
    """The bytes of a regular file below a folder, opened through no link at all.

    Raises as `read_bounded` does.
    """
    parts = relative.split("/")
    if not relative or {"", ".", ".."}.intersection(parts):
        raise UnreadableError("the path leaves its folder")
    path = os.path.join(root, *parts)  # noqa: PTH118
    with suppress(ValueError):
        if os.path.realpath(path) != os.path.join(os.path.realpath(root), *parts):  # noqa: PTH118
            raise UnreadableError("a symbolic link leads there")
    return read_bounded(path, limit)


def _resolved(path: str, kb_dir: str) -> str:
    """A path below `.vouch/`, resolved where a link lies on the way."""
    at = kb_dir
    for name in path.removeprefix(kb_dir).split("/")[1:]:
        at = f"{at}/{name}"
        if os.path.islink(at):  # noqa: PTH114
            return _inside(path, root_of(kb_dir))
    return path


def _inside(path: str, root: str) -> str:
    real = os.path.realpath(path)
    if not is_below(real, root):
        raise UnreadableError(LEADS_OUT)
    return real


def packed(status: os.stat_result) -> Stat:
    """A file's `Stat`. Numbers of more than 64 bits, which some systems give, are cut."""
    return _STAT.pack(
        status.st_size & _64_BITS, status.st_mtime_ns & _64_BITS, status.st_ino & _64_BITS
    )


def mtime_ns(of: Stat) -> int:
    """When the file was written last, in nanoseconds since the epoch."""
    return max((int(written) for _, written, _ in _STAT.iter_unpack(of)), default=0)


def content_mark(source: Stat) -> int:
    """The stat of the content that follows that of its source's record, as a number; 0 without."""
    return int.from_bytes(source[_STAT.size :])


def stat_of_regular(status: os.stat_result) -> Stat:
    """The stat of a regular file. Raises UnreadableError for anything else."""
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableError("not a regular file")
    return packed(status)


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return f"the file can't be read: {os.strerror(error.errno).lower()}"
    return "the file can't be read"
