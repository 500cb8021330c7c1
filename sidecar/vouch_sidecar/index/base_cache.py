"""Bases: indexes on disk from which the next process starts. A base never changes; each has a
folder in the user's cache.

A base counts once it is finished: its manifest then lists the stat of every file that it was read
from, and a digest of each file of its own. It holds live artifacts only. A base that is damaged,
belongs to another user, or was written by another version does not count.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
import struct
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from itertools import count
from pathlib import Path

from tantivy import Document, Index

from vouch_sidecar.index.layers import Layer, Writing
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.records import Key, Kind
from vouch_sidecar.kb.safe_files import Stat

MANIFEST = "manifest.json"
ROOT = "root"
"""The file that names the knowledge base of a folder."""
OLD_SECONDS = 3600.0
_UNFINISHED = "unfinished-"
_BESIDE = "beside-"
_GONE = "gone-"
_DIGEST = "?"
"""Stands before the digest of a path."""
_ROOMS = ("kb", "text", "names", "index")
"""The rooms whose code decides how files are read and indexed."""
_OWNER_ALONE = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, allowed, 0xFFFFFFFF)
    for tag, allowed in ((0x01, 0o6), (0x04, 0), (0x20, 0))
)
"""An access control list as in Linux's acl(5), version 2, for owner, group and others."""
_numbers = count()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a base was read from: the stats of files, the keys of artifacts whose files are not
    among these, and the last readable config.

    `retired` are those paths in `stats` that belong to artifacts nobody may see. As vouch makes a
    path out of a claim's text, these are stored as digests, and recognised among the files that
    exist. `salt` is used for these digests and for the pseudonyms in the base. `unlisted_retired`
    are the sort keys of the documents of retired artifacts whose files are not in `stats`.
    """

    stats: Mapping[str, Stat] = field(default_factory=dict)
    unlisted: frozenset[Key] = frozenset()
    config: bytes | None = None
    retired: frozenset[str] = frozenset()
    salt: bytes = b""
    unlisted_retired: frozenset[str] = frozenset()


class _OutdatedError(Exception):
    """A file is gone whose path the base holds only as a digest, so that it cannot be known what
    the file closed.
    """


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A base that this process has written and uses, but that no other process can find yet."""

    folder: Path
    writing: Writing


def user_folder(env: Mapping[str, str]) -> Path | None:
    """The folder of this user's caches; None if the environment names no home. A relative path is
    ignored, as it would lead into the workspace.
    """
    home, cache_home = Path(env.get("HOME", "")), Path(env.get("XDG_CACHE_HOME", ""))
    if not home.is_absolute() and not env.get("LOCALAPPDATA"):
        return None
    if cache_home.is_absolute():
        return cache_home / "vouch-sidecar"
    if env.get("XDG_CACHE_HOME"):
        return home / ".cache" / "vouch-sidecar"
    from platformdirs import user_cache_path

    return user_cache_path("vouch-sidecar", appauthor=False)


class Bases:
    """The bases of one knowledge base. Every method blocks."""

    def __init__(self, caches: Path, root: Path) -> None:
        self._kb_dir = os.path.realpath(root / KB_DIRNAME)
        name = hashlib.sha256(os.fsencode(self._kb_dir)).hexdigest()[:32]
        self.caches = caches
        """The folder of all caches of this user."""
        self.folder = caches / name
        self.damaged = False
        """Whether there was a base of this version that could not be read."""

    def open(self) -> tuple[Layer, Manifest] | None:
        """Open the newest finished base; None if there is none. Older bases, and untrusted ones,
        are removed.
        """
        tidy(self.caches)
        self._tidy()
        base = None
        for folder in sorted(self._finished(), reverse=True):
            if base is None:
                try:
                    base = _open(folder, Path(self._kb_dir))
                    continue
                except _OutdatedError:
                    pass
                except (OSError, ValueError, LookupError, TypeError):
                    self.damaged = True
            _remove(folder)
        return base

    def is_there(self) -> bool:
        """Whether there is a finished base, even a damaged one."""
        return bool(self._finished())

    def begin(self) -> Unfinished:
        """Begin to write a base. Raises FileNotFoundError if another process removes it at once,
        OSError or ValueError if there is no room.
        """
        self.caches.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.caches.chmod(0o700)
        with suppress(FileNotFoundError):
            if _is_others(self.folder.lstat()):
                _remove(self.folder)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        root = self.folder / ROOT
        root.touch(mode=0o600)
        root.write_bytes(os.fsencode(self._kb_dir))
        self._tidy()
        folder = self.folder / f"{_UNFINISHED}{os.getpid()}-{next(_numbers)}"
        folder.mkdir(mode=0o700)
        _close_to_others(folder)
        try:
            return Unfinished(folder, Writing(folder))
        except ValueError as error:
            if folder.exists():
                raise
            raise FileNotFoundError(errno.ENOENT, "removed") from error

    def write(self, documents: Iterable[Document]) -> tuple[Unfinished, Layer] | None:
        """Write a base with these documents; None if another process removed it meanwhile. Raises
        OSError or ValueError if there is no room.
        """
        unfinished = None
        try:
            unfinished = self.begin()
            for document in documents:
                unfinished.writing.add(document)
            return unfinished, unfinished.writing.finish()
        except (OSError, ValueError) as error:
            if isinstance(error, FileNotFoundError) or (
                unfinished and not unfinished.folder.exists()
            ):
                return None
            if unfinished is not None:
                self.discard(unfinished)
            raise

    def discard(self, base: Unfinished) -> None:
        """Remove a base that will not be finished."""
        self._take_away(base.folder)

    def finish(self, base: Unfinished, manifest: Manifest) -> bool:
        """Make a base the one from which the next process starts. Returns whether that was
        possible.
        """
        try:
            _write_manifest(base.folder, manifest)
            former = self._finished()
            base.folder.rename(self.folder / f"{_version()}-{time.time_ns()}")
        except OSError:
            return False
        for folder in former:
            _remove(folder)
        return True

    def purge(self) -> None:
        """Remove every base, even those that other processes are writing."""
        self._take_away(self.folder)

    def read_extra(self, name: str) -> bytes | None:
        """The data stored next to the bases under a name; None if there is none that can be
        trusted.
        """
        for entry in _entries(self.folder):
            if entry.name == _BESIDE + name:
                with suppress(OSError):
                    digest, _, data = _bytes_of(entry).partition(b"\n")
                    return data if _digest(data).encode() == digest else None
        return None

    def has_extra(self, name: str) -> bool:
        """Whether data is stored under a name."""
        return (self.folder / f"{_BESIDE}{name}").exists()

    def write_extra(self, name: str, data: bytes) -> bool:
        """Store data next to the bases until they are removed. It replaces data whose name is the
        same up to the first hyphen. Returns False if there is no base, or no room.
        """
        try:
            partial = self.folder / f"{_UNFINISHED}{os.getpid()}-{next(_numbers)}"
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as kept:
                kept.write(_digest(data).encode() + b"\n" + data)
            partial.rename(self.folder / f"{_BESIDE}{name}")
        except OSError:
            return False
        for entry in _entries(self.folder):
            alike = entry.name.startswith(f"{_BESIDE}{name.partition('-')[0]}-")
            if alike and entry.name != _BESIDE + name:
                _remove(entry)
        return True

    def drop_extra(self, name: str) -> None:
        """Remove the data stored under a name."""
        _remove(self.folder / f"{_BESIDE}{name}")

    def _take_away(self, folder: Path) -> None:
        """Remove a folder in one step. A process that is writing there fails, and leaves nothing
        behind.
        """
        gone = self.caches / f"{_GONE}{time.time_ns()}-{os.getpid()}"
        with suppress(OSError):
            folder.rename(gone)
        _remove(gone)

    def _tidy(self) -> None:
        """Remove unfinished bases that no process writes any more, and bases of other versions."""
        for entry in _entries(self.folder):
            name = entry.name
            ours = name.startswith((_UNFINISHED, _BESIDE, f"{_version()}-"))
            other = not ours and name != ROOT
            if other or (name.startswith(_UNFINISHED) and _is_left(entry)):
                _remove(entry)

    def _finished(self) -> list[Path]:
        return [entry for entry in _entries(self.folder) if entry.name.startswith(f"{_version()}-")]


def tidy(caches: Path) -> None:
    """Remove the caches of knowledge bases that no longer exist, and folders whose removal was
    interrupted.
    """
    for entry in _entries(caches):
        with suppress(OSError, ValueError):
            if entry.name.startswith(_GONE):
                _remove(entry)
                continue
            root = _bytes_of(entry / ROOT)
            if root and not os.path.isdir(root):  # noqa: PTH112
                _remove(entry)


def _entries(folder: Path) -> list[Path]:
    try:
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or _is_others(status):
            return []
        return list(folder.iterdir())
    except OSError:
        return []


def _is_others(status: os.stat_result) -> bool:
    """Whether anybody but this user may have written or may read it."""
    own = getattr(os, "getuid", lambda: status.st_uid)()
    return os.name == "posix" and (status.st_uid != own or bool(status.st_mode & 0o077))


def _close_to_others(folder: Path) -> None:
    """Make new files in a folder readable by this user only, whatever the umask, if the system has
    access control lists. The folder itself is closed to others in any case.
    """
    with suppress(OSError, AttributeError):
        os.setxattr(folder, "system.posix_acl_default", _OWNER_ALONE)


def _is_left(folder: Path) -> bool:
    """Whether the process that was writing a base has ended, or takes too long."""
    pid = folder.name.removeprefix(_UNFINISHED).partition("-")[0]
    try:
        os.kill(int(pid), 0)
        return time.time() - folder.stat().st_mtime > OLD_SECONDS
    except (ProcessLookupError, FileNotFoundError, ValueError):
        return True
    except OSError:
        return False


def _remove(path: Path) -> None:
    """Remove a folder or whatever else is there, as far as that is possible."""
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink()


def _version() -> str:
    """The version of the code that decides how files are read and indexed."""
    return code_version(_ROOMS)


@cache
def code_version(rooms: tuple[str, ...]) -> str:
    """A digest of the code of some rooms, Python and tantivy."""
    digest = hashlib.blake2b(f"{sys.version_info} {version('tantivy')}".encode(), digest_size=8)
    package = Path(__file__).parents[1]
    for room in rooms:
        for source in sorted((package / room).glob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()


# Manifests


def _write_manifest(folder: Path, manifest: Manifest) -> None:
    digests = {}
    for file in folder.iterdir():
        file.chmod(0o600)
        if not file.name.endswith(".lock"):
            digests[file.name] = _digest_of(file)
    head = {
        "files": digests,
        "unlisted": sorted([kind.value, name] for kind, name in manifest.unlisted),
        "unlisted_retired": sorted(manifest.unlisted_retired),
        "config": None if manifest.config is None else manifest.config.hex(),
        "salt": manifest.salt.hex(),
    }
    # One by one: to make or read all of them at once would hold up every other thread.
    stats = (
        f"{stamp.hex()} {_nameless(path, manifest.salt) if path in manifest.retired else path}"
        for path, stamp in manifest.stats.items()
    )
    data = "\0".join([json.dumps(head), *stats]).encode()
    descriptor = os.open(folder / MANIFEST, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as finished:
        finished.write(_digest(data).encode() + b"\n" + data)
        finished.flush()
        os.fsync(finished.fileno())


def _nameless(path: str, salt: bytes) -> str:
    """The digest of a path of a manifest."""
    data = path.encode("utf-8", "surrogateescape")
    digest = hashlib.blake2b(data, digest_size=16, key=salt)
    return f"{_DIGEST}{digest.hexdigest()}"


def _paths_of(nameless: list[str], salt: bytes, kb_dir: Path) -> dict[str, str]:
    """The paths that digests stand for. Raises _OutdatedError where a file is gone."""
    there: dict[str, str] = {}
    for folder in ("claims", "pages", "relations") if nameless else ():
        with suppress(OSError):
            paths = (f"{folder}/{name}" for name in os.listdir(kb_dir / folder))  # noqa: PTH208
            there |= {_nameless(path, salt): path for path in paths}
    if not there.keys() >= set(nameless):
        raise _OutdatedError
    return {digest: there[digest] for digest in nameless}


def _open(folder: Path, kb_dir: Path) -> tuple[Layer, Manifest]:
    """Open a base. Raises OSError, ValueError, LookupError or TypeError for one that can't be
    trusted, and _OutdatedError.
    """
    if _is_others(folder.lstat()):
        raise ValueError("another user's")
    for file in folder.iterdir():
        if not stat.S_ISREG(file.lstat().st_mode):
            raise ValueError("no file of ours")
    digest, _, data = _bytes_of(folder / MANIFEST).partition(b"\n")
    if _digest(data).encode() != digest:
        raise ValueError("damaged")
    first, *stats = data.decode().split("\0")
    head = json.loads(first)
    for name, wanted in head["files"].items():
        if _digest_of(folder / name) != wanted:
            raise ValueError("damaged")
    listed = {path: bytes.fromhex(stamp) for stamp, _, path in (s.partition(" ") for s in stats)}
    nameless = [path for path in listed if path.startswith(_DIGEST)]
    paths = _paths_of(nameless, salt := bytes.fromhex(head["salt"]), kb_dir)
    manifest = Manifest(
        {path: stat for path, stat in listed.items() if path not in paths}
        | {path: listed[digest] for digest, path in paths.items()},
        frozenset((Kind(kind), name) for kind, name in head["unlisted"]),
        None if head["config"] is None else bytes.fromhex(head["config"]),
        frozenset(paths.values()),
        salt,
        frozenset(map(str, head["unlisted_retired"])),
    )
    return Layer(Index.open(str(folder)), folder), manifest


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _bytes_of(file: Path) -> bytes:
    """The bytes of one of our files. Raises OSError, also for what is no regular file: opening a
    FIFO would wait for a writer.
    """
    if not stat.S_ISREG(file.lstat().st_mode):
        raise OSError(errno.EINVAL, "no file")
    return file.read_bytes()


def _digest_of(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
