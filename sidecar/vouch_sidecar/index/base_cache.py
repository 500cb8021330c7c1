"""Bases: indexes on disk from which the next process starts. A base never changes; each has a
folder in the user's cache. When one is written: after a start without one, when enough changed,
when the config did, and when text that it holds was retired.

A base counts once it is finished: its folder then has a name with the digest of its files, of which
`records` lists what every file says that it was read from, with its stat. It holds no text of what
nobody may see. A base that is damaged, belongs to another user, or was written by another version
does not count.
"""

from __future__ import annotations

import errno
import gc
import hashlib
import json
import os
import shutil
import stat
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, fields
from functools import cache
from importlib.metadata import version
from pathlib import Path
from sys import intern
from tempfile import mkdtemp, mkstemp
from threading import Lock
from typing import Any, NamedTuple

from tantivy import Index

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import Layer, layer_of
from vouch_sidecar.index.links import LinkState
from vouch_sidecar.kb.artifact_files import CONFIG
from vouch_sidecar.kb.records import (
    KIND_OF,
    OPEN_SCOPE,
    RECORD_OF,
    Artifact,
    Evidence,
    Key,
    Scope,
    key_of,
)
from vouch_sidecar.kb.safe_files import Stat

RECORDS = "records"
ROOT = "root"
"""The file that names the knowledge base of a folder."""
OF_TEXTS = "vectors"
"""What is made of texts is stored under this, with a hyphen and what made it behind: it goes with
what is retired.
"""
_UNFINISHED = "unfinished-"
_BESIDE = "beside-"
_GONE = "gone-"
READING_ROOMS, CODE = ("kb", "text", "names", "index"), (".py", ".txt")
"""The rooms whose files decide how files are read and indexed, and how these files end."""


class KeptBase(NamedTuple):
    """A base that was opened: its generation, the stats of the files that it was read from by path,
    and the last readable config. Files that must be read again have no stat.
    """

    knowledge: Knowledge
    stats: Mapping[str, Stat]
    config: bytes | None


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

    def __init__(self, caches: Path, kb_dir: Path) -> None:
        self._kb_dir = os.path.realpath(kb_dir)
        name = hashlib.sha256(os.fsencode(self._kb_dir)).hexdigest()[:32]
        self.caches = caches
        """The folder of all caches of this user."""
        self.folder = caches / name
        self.damaged = False
        """Whether there was a base of this version that could not be read."""
        self._config: bytes | None = None
        """The config that the base hands to the next process."""
        self._purged = b""
        """What was made of texts and removed last: that of what is in force need not be made anew.
        """

    def open(self) -> KeptBase | None:
        """Open the newest finished base; None if there is none. Whatever else processes have left
        is removed: one that is writing a base writes it again later.
        """
        tidy(self.caches)
        base = None
        for entry in sorted(self._bases(), reverse=True):
            if base is None and entry.name.startswith(f"{_version()}-"):
                try:
                    base = _open(entry)
                    self._config = base.config
                    continue
                except (OSError, ValueError, LookupError, TypeError):
                    self.damaged = True
            _remove(entry)
        if base is None:
            self.purge()  # nobody can tell what was retired since
        return base

    def is_wanted(self, config: bytes | None) -> bool:
        """Whether a base should be written although few artifacts changed: the config did, or there
        is none. After a purge, the first process that notices writes one for all.
        """
        return config != self._config or not self._finished()

    def write(self, knowledge: Knowledge, stats: Mapping[str, Stat], config: bytes | None) -> Layer:
        """Write the base from which the next process starts, in place of all others. `stats` has no
        file that must be read again. Raises FileNotFoundError if another process removes it
        meanwhile, OSError or ValueError if there is no room.
        """
        self._make_folder()
        folder = Path(mkdtemp(prefix=_UNFINISHED, dir=self.folder))
        try:
            layer = layer_of(knowledge.documents(), folder)
            _write_records(folder, knowledge, stats, config)
            former = self._finished()
            folder.rename(self.folder / f"{_version()}-{time.time_ns()}-{_digest_of(folder)}")
        except (OSError, ValueError) as error:
            if not folder.exists():
                raise FileNotFoundError(errno.ENOENT, "removed") from error
            self._take_away(folder)
            raise
        for other in former:
            _remove(other)
        self._config = config
        return layer

    def _make_folder(self) -> None:
        """Make the folder in which bases and what lies beside them are, for this user alone."""
        self.caches.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.caches.chmod(0o700)
        with suppress(FileNotFoundError):
            if is_others(self.folder.lstat()):
                _remove(self.folder)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        root = self.folder / ROOT
        root.touch(mode=0o600)
        root.write_bytes(os.fsencode(self._kb_dir))

    def purge(self) -> None:
        """Remove every base, even those that other processes are writing, because they hold text
        that is retired, and what is made of texts. What else is stored next to them stays, and is
        due anew after the next base.
        """
        with suppress(OSError):
            self._purged = _bytes_of(self._beside(OF_TEXTS))
        for entry in (*self._bases(), self._beside(OF_TEXTS)):
            self._take_away(entry)

    def read_extra(self, name: str) -> bytes | None:
        """The data stored next to the bases under a name; None if there is none that can be
        trusted.
        """
        with suppress(OSError):
            is_there = (file := self._beside(name)) in _entries(self.folder)
            digest, _, data = (_bytes_of(file) if is_there else self._purged).partition(b"\n")
            return data if _digest(name, data) == digest else None
        return None

    def has_extra(self, name: str) -> bool:
        """Whether data was stored since the base was finished, under this name or one that is the
        same up to the first hyphen: older data may be of what is retired.
        """
        try:
            stored = self._beside(name).stat().st_mtime_ns
            return all(stored >= (b / RECORDS).stat().st_mtime_ns for b in self._finished())
        except OSError:
            return False

    def write_extra(self, name: str, data: bytes) -> bool:
        """Store data next to the bases. It replaces data whose name is the same up to the first
        hyphen. Returns False if there is no room. What is made of texts goes before the next
        process reads, unless a base is there by then: `open`.
        """
        partial = None
        try:
            self._make_folder()
            descriptor, partial = mkstemp(prefix=_UNFINISHED, dir=self.folder)
            with os.fdopen(descriptor, "wb") as kept:
                kept.write(_digest(name, data) + b"\n" + data)
            Path(partial).rename(self._beside(name))
            if name.startswith(OF_TEXTS):
                self._purged = b""
        except OSError:
            if partial is not None:
                _remove(Path(partial))
            return False
        return True

    def _beside(self, name: str) -> Path:
        return self.folder / f"{_BESIDE}{name.partition('-')[0]}"

    def _take_away(self, folder: Path) -> None:
        """Remove a folder in one step. A process that is writing there fails, and leaves nothing
        behind.
        """
        gone = self.caches / f"{_GONE}{time.time_ns()}-{os.getpid()}"
        with suppress(OSError):
            folder.rename(gone)
        _remove(gone)

    def _bases(self) -> list[Path]:
        """Whatever lies there and is not stored next to bases: also unfinished ones, and those of
        other versions.
        """
        return [e for e in _entries(self.folder) if not e.name.startswith((_BESIDE, ROOT))]

    def _finished(self) -> list[Path]:
        return [entry for entry in _entries(self.folder) if entry.name.startswith(f"{_version()}-")]


def tidy(caches: Path) -> None:
    """Remove the caches of knowledge bases that no longer exist, and folders whose removal was
    interrupted.
    """
    for entry in _entries(caches):
        with suppress(OSError, ValueError):
            root = b"" if entry.name.startswith(_GONE) else _bytes_of(entry / ROOT)
            if not os.path.isdir(root):  # noqa: PTH112
                _remove(entry)


def _entries(folder: Path) -> list[Path]:
    try:
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or is_others(status):
            return []
        return list(folder.iterdir())
    except OSError:
        return []


def is_others(status: os.stat_result) -> bool:
    """Whether anybody but this user may have written or may read it."""
    return os.name == "posix" and (status.st_uid != os.getuid() or bool(status.st_mode & 0o077))


def _remove(path: Path) -> None:
    """Remove a folder or whatever else is there, as far as that is possible."""
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink()


def _version() -> str:
    """The version of the code that decides how files are read and indexed."""
    return code_version(READING_ROOMS)


@cache
def code_version(rooms: tuple[str, ...]) -> str:
    """A digest of the code of some rooms and the words beside it, Python and tantivy."""
    digest = hashlib.blake2b(f"{sys.version_info} {version('tantivy')}".encode(), digest_size=8)
    package = Path(__file__).parents[1]
    for room in rooms:
        for file in sorted((package / room).rglob("*")):
            if file.suffix in CODE and file.is_file():
                digest.update(file.read_bytes())
    return digest.hexdigest()


# Records


def _write_records(
    folder: Path, knowledge: Knowledge, stats: Mapping[str, Stat], config: bytes | None
) -> None:
    said, stamp = None if config is None else config.hex(), stats.get(CONFIG, b"").hex()
    with (folder / RECORDS).open("x", encoding="ascii") as stream:
        stream.write(json.dumps([said, stamp]))
        for key, record in knowledge.records.items():
            state = knowledge.states[key]
            if isinstance(record, Evidence) and knowledge.withholds(key):
                continue  # the next process reads it again: its quote stands in no file of ours
            stamp = stats.get(record.path, b"").hex()
            values = [getattr(record, name) for name in _FIELDS[type(record)]]
            line = [key[0].value, stamp, values, state]
            stream.write("\n" + json.dumps(line, separators=(",", ":"), default=_plain))
    for file in folder.iterdir():
        file.chmod(0o600)


_FIELDS = {record: [field.name for field in fields(record)] for record in KIND_OF}


def _plain(scope: Scope) -> dict[str, Any]:
    return {} if scope == OPEN_SCOPE else asdict(scope)


def _open(folder: Path) -> KeptBase:
    """Open a base. Raises OSError, ValueError, LookupError or TypeError for one that can't be
    trusted.
    """
    if is_others(folder.lstat()):
        raise ValueError("another user's")
    if _digest_of(folder) != folder.name.rpartition("-")[2]:
        raise ValueError("damaged")
    decode = json.JSONDecoder().decode
    records, states, stats = dict[Key, Artifact](), dict[Key, LinkState](), dict[str, Stat]()
    with _one_opens, (folder / RECORDS).open(encoding="ascii") as stream:
        was_on = gc.isenabled()
        gc.disable()  # what is read stays, and to look at it for cycles takes as long as reading
        try:
            config, stamp = decode(stream.readline())
            stats[CONFIG] = bytes.fromhex(stamp)
            for kind, stamp, values, state in map(decode, stream):
                record = RECORD_OF[kind](*_values_of(values))
                key = key_of(record)
                records[key], states[key] = record, LinkState(*_values_of(state))
                stats[record.path] = bytes.fromhex(stamp)
            knowledge = Knowledge(Layer(Index.open(str(folder))), records, states)
        finally:
            if was_on:
                gc.enable()
    known = {path: stat for path, stat in stats.items() if stat}
    return KeptBase(knowledge, known, None if config is None else bytes.fromhex(config))


_one_opens = Lock()
"""The collector of cycles is that of all threads."""


def _values_of(given: list[Any]) -> tuple[Any, ...]:
    """The fields of a record or a state out of JSON. Texts that many artifacts have alike become
    one.
    """
    values = []
    for value in given:
        if type(value) is str:
            value = intern(value)
        elif type(value) is list:
            value = _values_of(value)
        elif type(value) is dict:
            value = Scope(**value) if value else OPEN_SCOPE
        values.append(value)
    return tuple(values)


def _digest(name: str, data: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + data).hexdigest().encode()


def _bytes_of(file: Path) -> bytes:
    """The bytes of one of our files. Raises OSError, also for what is no regular file: opening a
    FIFO would wait for a writer.
    """
    if not stat.S_ISREG(file.lstat().st_mode):
        raise OSError(errno.EINVAL, "no file")
    return file.read_bytes()


def _digest_of(folder: Path) -> str:
    """A digest of the files of a base. Raises OSError or ValueError if something is no file."""
    digest = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        if not stat.S_ISREG(file.lstat().st_mode):
            raise ValueError("no file of ours")
        if not file.name.endswith(".lock"):
            with file.open("rb") as stream:
                digest.update(file.name.encode() + hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
