"""Files of an integration: writes those that are absent, renews and removes those that bear our
mark, and changes no other.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded

PROGRAM = "vouch-sidecar"
MARK = f"Written by {PROGRAM} install"
"""Every file of ours contains this."""
MAX_FILE = 16 << 20
_STRING = r'((?<!\\)"(?:[^"\\]++|\\.)*+")'
_COMMENT = re.compile(_STRING + r"|^\ufeff|//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?+", re.DOTALL)
_TRAILING = re.compile(_STRING + r"|,(?=[ \t\r\n]*+[\]}])", re.DOTALL)


class InstallError(Exception):
    """A file can't be read or written, or must not be. The message is for the user."""


@dataclass(frozen=True, slots=True)
class HostFile:
    """A file below the base of an integration, and its text. `part`: what has to be in it where
    others write it, too; None if nobody else does.
    """

    path: str
    text: str
    part: str | None = None


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of an integration, where it lies, and what stands there; None if nothing does."""

    file: HostFile
    path: Path
    before: str | None

    @property
    def is_ours(self) -> bool:
        """Whether this program wrote it, and others have written nothing into it but comments."""
        if self.before is None or MARK not in self.before:
            return False
        if self.file.part is None:
            return True
        suffix = self.path.suffix
        return _holds_only(_value(suffix, self.before), _value(suffix, self.file.text))

    @property
    def is_current(self) -> bool:
        """Whether it is as it would be written now, apart from white space."""
        return "".join((self.before or "").split()) == "".join(self.file.text.split())

    @property
    def is_foreign(self) -> bool:
        return self.before is not None and not self.is_ours

    @property
    def naming_us(self) -> str:
        """The lines that name this program, for people; empty if none does."""
        lines = enumerate((self.before or "").splitlines(), 1)
        numbers = [str(number) for number, line in lines if PROGRAM in line]
        return f"line {', '.join(numbers)}" if numbers else ""

    def difference(self) -> str:
        """The change to our text, as a unified diff."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(keepends=True),
            self.file.text.splitlines(keepends=True),
            "/dev/null" if self.before is None else f"a/{self.file.path}",
            f"b/{self.file.path}",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def find(files: Sequence[HostFile], base: Path, *, user: bool) -> list[FoundFile]:
    """The files below the folder `base`, the home of the `user` or a project. Raises `InstallError`
    if one can't be read, is in `.vouch/`, or lies behind a link: in a project behind any, as who
    wrote the project chose it; at home behind one that leads out.
    """
    root = base.resolve()
    found = []
    for file in files:
        try:
            path = _real(root / file.path)
            if path != root / file.path and not (user and path.is_relative_to(root)):
                raise InstallError(
                    f"{_link_to(root, file)} is a link: nothing is written through it"
                )
            if KB_DIRNAME in path.parts:
                raise InstallError(f"{file.path} lies in a knowledge base: nothing is written")
            found.append(FoundFile(file, path, text_of(path)))
        except UnreadableError as error:
            raise InstallError(f"{file.path} can't be read: {error}") from None
    return found


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


def write(found: FoundFile) -> None:
    """Write our text in one step. Raises OSError."""
    found.path.parent.mkdir(parents=True, exist_ok=True)
    draft = found.path.with_name(f".{found.path.name}.{uuid4().hex}")
    try:
        draft.write_bytes(found.file.text.encode())
        draft.replace(found.path)
    finally:
        draft.unlink(missing_ok=True)


def remove(found: FoundFile, base: Path) -> None:
    """Remove a file, and the folders below `base` that are empty then. Raises OSError."""
    found.path.unlink()
    for folder in found.path.parents:
        if folder == base.resolve() or any(folder.iterdir()):
            return
        folder.rmdir()


def jsonc_value(text: str) -> Any:
    """The value of JSON with comments and trailing commas. Raises ValueError or RecursionError."""
    return json.loads(_TRAILING.sub(r"\1", _COMMENT.sub(r"\1", text)))


def _link_to(root: Path, file: HostFile) -> str:
    """The first link on the way to a file; the file if none is symbolic."""
    ways = [*reversed(Path(file.path).parents), Path(file.path)]
    return next((way for way in ways if (root / way).is_symlink()), Path(file.path)).as_posix()


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: Python before 3.13
        raise UnreadableError("a link that leads to itself") from error


def _value(suffix: str, text: str) -> Any:
    """The content of a file; None if it is not in its format."""
    try:
        return tomllib.loads(text) if suffix == ".toml" else jsonc_value(text)
    except (ValueError, RecursionError):
        return None


def _holds_only(value: Any, ours: Any) -> bool:
    """Whether a value has no key that ours lacks, but below our name, and no entry in a list that
    does not name us: another version of this program wrote it.
    """
    if isinstance(value, dict):
        return isinstance(ours, dict) and all(
            key == PROGRAM or (key in ours and _holds_only(below, ours[key]))
            for key, below in value.items()
        )
    if isinstance(value, list):
        return all(PROGRAM in str(item) for item in value)
    return value is not None
