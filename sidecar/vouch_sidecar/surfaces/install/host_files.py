"""Files of an integration. Writes those that do not exist, recognises them by a mark with a hash,
and changes no other file.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import uuid4

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded
from vouch_sidecar.surfaces.install.program import COMMAND

MAX_FILE = 16 << 20
_NO_HASH = "0" * 16
WRITTEN_BY = f"Written by {COMMAND} install, hash {_NO_HASH}"
"""Every file of ours contains this, with the hash of its text."""
_HASH = re.compile(rf"(?<=Written by {COMMAND} install, hash )[0-9a-f]{{16}}\b")

_STRING = r'((?<!\\)"(?:[^"\\]++|\\.)*+")'
_COMMENT = re.compile(_STRING + r"|^\ufeff|//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+", re.DOTALL)
_TRAILING = re.compile(_STRING + r"|,(?=[ \t\r\n]*+[\]}])", re.DOTALL)


class InstallError(Exception):
    """A file can't be read or written, or must not be. The message is for the user."""


class HostFile:
    """A file at `path`, relative to the base of its integration, and its `text` if it does not
    exist yet, which contains `WRITTEN_BY`. `part` is what has to be in a file that others wrote.
    """

    def __init__(self, path: PurePosixPath, text: str, part: str | None = None) -> None:
        self.path = path
        self.text = _HASH.sub(_hash(text), text, count=1)
        self.part = part or self.text


class FileState(Enum):
    """The state of a file of an integration."""

    ABSENT = auto()
    CURRENT = auto()
    """Written by us, as it would be written today."""
    OUTDATED = auto()
    """Written by us, with another content."""
    PASTED = auto()
    """Written by others, and contains our part."""
    FOREIGN = auto()
    """Written or changed by others, without our part."""


@dataclass(frozen=True, slots=True)
class ExaminedFile:
    """A file of an integration, its path, and its text; None if it does not exist."""

    file: HostFile
    path: Path
    before: str | None

    @property
    def shown(self) -> str:
        return self.file.path.as_posix()

    @property
    def state(self) -> FileState:
        if self.before is None:
            return FileState.ABSENT
        if _is_ours(self.before):
            is_current = _compact(self.before) == _compact(self.file.text)
            return FileState.CURRENT if is_current else FileState.OUTDATED
        suffix = self.path.suffix
        is_pasted = _holds(_value(suffix, self.before), _value(suffix, self.file.part))
        return FileState.PASTED if is_pasted else FileState.FOREIGN

    @property
    def is_changed(self) -> bool:
        """Whether this program wrote the file, and somebody has changed it since."""
        return _HASH.search(self.before or "") is not None and not _is_ours(self.before or "")

    @property
    def naming_us(self) -> str:
        """The lines that contain our name, for people; empty if there are none."""
        lines = enumerate((self.before or "").splitlines(), 1)
        numbers = [str(number) for number, line in lines if COMMAND in line]
        return f"line {', '.join(numbers)}" if numbers else ""

    def difference(self, after: str | None) -> str:
        """The change to the text `after`, or to no file, as a unified diff."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(keepends=True),
            (after or "").splitlines(keepends=True),
            "/dev/null" if self.before is None else f"a/{self.shown}",
            "/dev/null" if after is None else f"b/{self.shown}",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def examine(files: Sequence[HostFile], base: Path, *, user: bool) -> list[ExaminedFile]:
    """The files below the folder `base`, the home of the `user` or a project. Raises `InstallError`
    if one can't be read, is in `.vouch/`, or lies behind a link: in a project behind any, as who
    wrote the project chose it; at home behind one that leads out.
    """
    root = base.resolve()
    examined = []
    for file in files:
        try:
            path = _real(root / file.path)
            if path != root / file.path and not (user and path.is_relative_to(root)):
                raise InstallError(
                    f"{_link_to(file, root)} is a link: nothing is written through it"
                )
            if KB_DIRNAME in path.parts:
                raise InstallError(
                    f"{file.path} lies in a knowledge base: nothing is written there"
                )
            examined.append(ExaminedFile(file, path, text_of(path)))
        except UnreadableError as error:
            raise InstallError(f"{file.path} can't be read: {error}") from None
    return examined


def _link_to(file: HostFile, root: Path) -> str:
    """The first link on the way from the root to a file; the file if none is symbolic."""
    ways = [root / way for way in reversed([file.path, *file.path.parents])]
    links = (way for way in ways if way.is_symlink())
    return next(links, root / file.path).relative_to(root).as_posix()


def text_of(path: Path) -> str | None:
    """The text of a file; None if it does not exist. Raises UnreadableError if it is no regular
    file, not UTF-8, or larger than `MAX_FILE` bytes.
    """
    try:
        return read_bounded(_real(path), MAX_FILE)[0].decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise UnreadableError("not UTF-8") from None


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: Python before 3.13
        raise UnreadableError("a link that leads to itself") from error


def write(file: ExaminedFile) -> None:
    """Write our text, atomically. Raises `OSError`, and `InstallError` if somebody wrote there
    since the file was examined.
    """
    _expect_unchanged(file)
    file.path.parent.mkdir(parents=True, exist_ok=True)
    draft = file.path.with_name(f".{file.path.name}.{uuid4().hex}")
    try:
        with draft.open("xb") as out:
            out.write(file.file.text.encode("utf-8"))
            out.flush()
            os.fsync(out.fileno())
        draft.replace(file.path)
    finally:
        draft.unlink(missing_ok=True)


def remove(file: ExaminedFile, base: Path) -> None:
    """Remove a file, and the folders below `base` that are empty then. Raises as `write` does."""
    _expect_unchanged(file)
    file.path.unlink()
    for folder in file.path.parents:
        if folder == base.resolve() or any(folder.iterdir()):
            return
        folder.rmdir()


def _expect_unchanged(file: ExaminedFile) -> None:
    if text_of(file.path) != file.before:
        raise InstallError(f"{file.shown} has changed meanwhile: it is left as it is")


def json_text(value: dict[str, Any]) -> str:
    """A JSON text as people write it."""
    return json.dumps(value, indent=2) + "\n"


def jsonc_value(text: str) -> Any:
    """The value of JSON with comments and trailing commas. Raises ValueError or RecursionError."""
    return json.loads(_TRAILING.sub(r"\1", _COMMENT.sub(r"\1", text)))


def _value(suffix: str, text: str) -> Any:
    """The content of a file; None if it is not in its format."""
    try:
        if suffix == ".toml":
            return tomllib.loads(text)
        return jsonc_value(text) if suffix in {".json", ".jsonc"} else None
    except (ValueError, RecursionError):
        return None


def _holds(value: Any, wanted: Any) -> bool:
    """Whether a value contains all of `wanted`, recursively."""
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(
            key in value and _holds(value[key], below) for key, below in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(value, list) and all(
            any(_holds(item, below) for item in value) for below in wanted
        )
    return wanted is not None and bool(value == wanted)


def _compact(text: str) -> str:
    """A text without white space, which formatters and git change."""
    return "".join(text.split())


def _hash(text: str) -> str:
    return sha256(_compact(_HASH.sub(_NO_HASH, text, count=1)).encode()).hexdigest()[:16]


def _is_ours(text: str) -> bool:
    """Whether this program wrote a text, and nobody has changed it."""
    digest = _HASH.search(text)
    return digest is not None and digest[0] == _hash(text)
