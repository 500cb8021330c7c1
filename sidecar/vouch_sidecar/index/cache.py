"""A knowledge base as last read, in the user's cache directory, so that the next process need not
read it again.

Live artifacts only. With it comes the stat of every file, which is compared before anything is
said. A cache that is damaged, of another version or anybody else's counts as none.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import stat
import struct
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from vouch_sidecar.kb.large import make_room

__all__ = ["Cache", "user_folder"]

MAX_BYTES = 1 << 30
DIGEST = 16
NO_STATE = bytes(32)
_BLOCK = 2_000
"""Entries in one block of the cache: one block of everything would stop all threads for seconds."""
_ENTRY = 500
"""Bytes of the cache for each entry of its largest mapping, about."""
_HEAD = struct.Struct(">HQ")
_BYTES = " bytes"
_ROOMS = ("kb", "index")
"""What a file says, and in which stems, is decided by the code of these rooms."""

Whole = dict[str, Any]
"""By name: mappings of plain values, and bytes."""
Parts = Iterable[tuple[str, Mapping[Any, Any] | bytes]]
"""The same, one after the other; a mapping may come in several parts."""


def user_folder(env: Mapping[str, str]) -> Path | None:
    """Where this user's caches lie; None where the environment names no home."""
    if not env.get("HOME") and not env.get("LOCALAPPDATA"):
        return None
    if os.path.isabs(named := env.get("XDG_CACHE_HOME", "")):  # noqa: PTH117
        return Path(named) / "vouch-sidecar"
    from platformdirs import user_cache_path

    return user_cache_path("vouch-sidecar", appauthor=False)


class Cache:
    """The cache of one knowledge base. All methods block; one thread at a time."""

    def __init__(self, folder: Path, root: Path) -> None:
        name = hashlib.sha256(os.fsencode(os.path.realpath(root / ".vouch"))).hexdigest()[:32]
        self._file = folder / f"{name}.cache"

    def load(self, state: bytes | None = None) -> Whole | None:
        """What was saved last; with `state`, only if it was saved for this one (see `glance`).

        What can't be trusted is removed.
        """
        try:
            return _read(self._file, state)
        except _OtherStateError:
            return None
        except (OSError, ValueError, EOFError, TypeError, struct.error, MemoryError):
            self.purge()
            return None

    def save(self, parts: Parts, state: bytes | None) -> bool:
        """Replace the cache, whole or not at all; whether that was possible. Raises what `parts`
        raises.
        """
        try:
            _write(self._file, parts, state or NO_STATE)
        except (OSError, ValueError):
            self.purge()
            return False
        return True

    def purge(self) -> None:
        """Remove the cache."""
        with suppress(OSError):
            self._file.unlink()


@cache
def _header() -> bytes:
    """The version of whatever decides what a file says, Python's included."""
    digest = hashlib.blake2b(repr(sys.version_info).encode(), digest_size=16)
    package = Path(__file__).parents[1]
    for room in _ROOMS:
        for source in sorted((package / room).glob("*.py")):
            digest.update(source.read_bytes())
    return b"vouch-sidecar cache 2 " + digest.hexdigest().encode() + b"\n"


class _OtherStateError(Exception):
    """What was saved is not what was asked for."""


def _read(file: Path, state: bytes | None) -> Whole:
    """The checked contents. Raises OSError or ValueError for what is not to be trusted."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(file, flags), "rb") as stream:
        found = os.fstat(stream.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES or _is_others(found):
            raise ValueError
        header = _header()
        if stream.read(len(header)) != header:
            raise ValueError
        if stream.read(len(NO_STATE)) != state and state is not None:
            raise _OtherStateError
        make_room(found.st_size // _ENTRY)
        whole: Whole = {}
        for name, block in _blocks(stream):
            if name.endswith(_BYTES):
                whole[name.removesuffix(_BYTES)] = block
            else:
                whole.setdefault(name, {}).update(marshal.loads(block))  # its digest was checked
        return whole


def _blocks(stream: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """Name and checked contents of each block; the last one has no name."""
    while True:
        size, length = _HEAD.unpack(stream.read(_HEAD.size))
        name, digest, block = stream.read(size), stream.read(DIGEST), stream.read(length)
        if _digest(name, block) != digest:
            raise ValueError
        if not name:
            return
        yield name.decode(), block


def _is_others(found: os.stat_result) -> bool:
    """Whether anybody but this user may have written or may read it."""
    own = getattr(os, "getuid", lambda: found.st_uid)()
    return os.name == "posix" and (found.st_uid != own or bool(found.st_mode & 0o077))


def _write(file: Path, parts: Parts, state: bytes) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.parent.chmod(0o700)
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=".")  # 0600
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.writelines((_header(), state))
            for name, block in _plain_blocks(parts):
                head = _HEAD.pack(len(name), len(block))
                stream.writelines((head, name, _digest(name, block), block))
        os.replace(temporary, file)  # noqa: PTH105
    except BaseException:
        os.unlink(temporary)  # noqa: PTH108
        raise


def _plain_blocks(parts: Parts) -> Iterator[tuple[bytes, bytes]]:
    """Name and contents of each block."""
    for name, part in parts:
        if isinstance(part, bytes):
            yield (name + _BYTES).encode(), part
            continue
        entries = iter(part.items())
        for _ in range(0, max(len(part), 1), _BLOCK):
            yield name.encode(), marshal.dumps(dict(islice(entries, _BLOCK)))
    yield b"", b""


def _digest(name: bytes, block: bytes) -> bytes:
    made = hashlib.blake2b(name, digest_size=DIGEST)
    made.update(block)
    return made.digest()
