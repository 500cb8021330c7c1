"""Parsed files in the user's cache directory, so that the next process need not read them.

Live artifacts only. Every entry carries the stat of its file, which is compared before anything
is said. A cache that is damaged, of another version or anybody else's counts as none.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.index.documents import Prepared
from sidecar.index.rows import decoded, encoded
from sidecar.kb.access import gate_of, is_live
from sidecar.kb.files import Stat
from sidecar.kb.records import Change, key_of

__all__ = ["Cache", "Cached", "user_folder"]

MAX_BYTES = 1 << 30
DIGEST = 32
NO_STATE = bytes(32)
_BLOCK = 500
"""Files in one block of the cache."""
_ROOMS = ("kb", "index")
"""What a file says, and in which stems, is decided by the code of these rooms."""


class Cached(NamedTuple):
    """A file as it was read once."""

    stat: Stat
    prepared: Prepared


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
        self._whole = folder / f"{name}.whole"
        self._held: dict[tuple[str, str], str] = {}
        self._paths: set[str] = set()

    def load(self) -> dict[str, Cached]:
        """What an earlier process has read, by path below `.vouch/`; nothing in case of doubt."""
        try:
            entries = _decoded(_read(self._file))
        except (OSError, ValueError, EOFError, TypeError, LookupError, MemoryError):
            self.purge()
            return {}
        self._note(entries)
        return entries

    def save(self, entries: Mapping[str, Cached]) -> None:
        """Replace the cache, whole or not at all; what is not live stays out."""
        live = {path: entry for path, entry in entries.items() if _is_live(entry)}
        try:
            _write(self._file, _encoded(live))
        except OSError:
            self.purge()
            return
        self._note(live)

    def load_whole(self, state: bytes) -> dict[str, Any] | None:
        """What `save_whole` was given for this very state of the knowledge base."""
        try:
            kept: dict[str, Any] = marshal.loads(_read(self._whole, state))  # digest checked
            return kept
        except (OSError, ValueError, EOFError, TypeError, LookupError, MemoryError):
            return None

    def holds_whole(self, state: bytes) -> bool:
        """Whether `load_whole` would give something."""
        try:
            _read(self._whole, state)
        except (OSError, ValueError):
            return False
        return True

    def save_whole(self, state: bytes, whole: Mapping[str, Any]) -> None:
        """Keep a whole knowledge base, frozen, for one state of its files (see `glance`)."""
        try:
            _write(self._whole, marshal.dumps(dict(whole)), state)
        except (OSError, ValueError):
            with suppress(OSError):
                self._whole.unlink()

    def purge(self) -> None:
        """Remove the cache."""
        self._note({})
        for file in (self._file, self._whole):
            with suppress(OSError):
                file.unlink()

    def outdated_by(self, change: Change) -> bool:
        """Whether the cache holds something that a change has changed or taken away."""
        return any(key in self._held for key in change.removals) or any(
            artifact.path in self._paths or key_of(artifact) in self._held
            for artifact in change.upserts
        )

    def differs_from(self, paths: Iterable[str]) -> bool:
        """Whether the cache does not hold just these files."""
        return self._paths != set(paths)

    def _note(self, entries: Mapping[str, Cached]) -> None:
        self._paths = set(entries)
        self._held = {key_of(e.prepared.artifact): path for path, e in entries.items()}


def _is_live(entry: Cached) -> bool:
    artifact = entry.prepared.artifact
    return is_live(artifact) and gate_of(artifact) is not None


@cache
def _header() -> bytes:
    """The version of whatever decides what a file says, Python's included."""
    digest = hashlib.blake2b(repr(sys.version_info).encode(), digest_size=16)
    package = Path(__file__).parents[1]
    for room in _ROOMS:
        for source in sorted((package / room).glob("*.py")):
            digest.update(source.read_bytes())
    return b"vouch-sidecar cache 1 " + digest.hexdigest().encode() + b"\n"


def _read(file: Path, state: bytes = NO_STATE) -> memoryview:
    """The checked contents. Raises OSError or ValueError for what is not to be trusted, or is of
    another state.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(file, flags), "rb") as stream:
        found = os.fstat(stream.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES or _is_others(found):
            raise ValueError
        data = stream.read()
    header = _header() + state
    if not data.startswith(header):
        raise ValueError
    digest, body = data[len(header) :][:DIGEST], memoryview(data)[len(header) + DIGEST :]
    if hashlib.blake2b(body, digest_size=DIGEST).digest() != digest:
        raise ValueError
    return body


def _is_others(found: os.stat_result) -> bool:
    """Whether anybody but this user may have written or may read it."""
    own = getattr(os, "getuid", lambda: found.st_uid)()
    return os.name == "posix" and (found.st_uid != own or bool(found.st_mode & 0o077))


def _write(file: Path, body: bytes, state: bytes = NO_STATE) -> None:
    digest = hashlib.blake2b(body, digest_size=DIGEST).digest()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.parent.chmod(0o700)
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=".")  # 0600
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.writelines((_header(), state, digest, body))
        os.replace(temporary, file)  # noqa: PTH105
    except OSError:
        os.unlink(temporary)  # noqa: PTH108
        raise


def _encoded(entries: Mapping[str, Cached]) -> bytes:
    """Blocks, each after its length: one block of everything would stop all threads for seconds."""
    rows = iter(entries.items())
    blocks: list[bytes] = []
    while some := list(islice(rows, _BLOCK)):
        plain = [(path, tuple(e.stat), encoded(e.prepared)) for path, e in some]
        block = marshal.dumps(plain)
        blocks += (len(block).to_bytes(4, "big"), block)
    return b"".join(blocks)


def _decoded(body: memoryview) -> dict[str, Cached]:
    entries: dict[str, Cached] = {}
    at = 0
    while at < len(body):
        start = at + 4
        at = start + int.from_bytes(body[at:start], "big")
        for path, stamp, row in marshal.loads(body[start:at]):  # its digest was checked
            entries[path] = Cached(Stat(*stamp), decoded(row))
    return entries
