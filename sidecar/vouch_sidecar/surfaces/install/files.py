"""Files of an integration: writes those that are absent, renews and removes those that bear our
mark, and changes no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from uuid import uuid4

from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded

PROGRAM = "vouch-sidecar"
MARK = f"Written by {PROGRAM} install"
"""Every file of ours contains this."""
MAX_FILE = 16 << 20
State = Literal["absent", "current", "older", "foreign"]
"""How a file of an integration is found: not there, as it would be written now, as another version
wrote it, or somebody else's.
"""


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
    def state(self) -> State:
        """White space is not compared. What others may write into is ours only as it is now."""
        if self.before is None:
            return "absent"
        if "".join(self.before.split()) == "".join(self.file.text.split()):
            return "current"
        return "older" if MARK in self.before and self.file.part is None else "foreign"

    @property
    def names_us(self) -> bool:
        return PROGRAM in (self.before or "")


def find(files: Sequence[HostFile], base: Path, *, user: bool) -> list[FoundFile]:
    """The files below the folder `base`, the home of the `user` or a project. Raises `InstallError`
    if one can't be read, is in `.vouch/`, or lies behind a link: in a project behind any, as who
    wrote the project chose it; at home behind one that leads out.
    """
    found, root = [], base.resolve()
    for file in files:
        try:
            path = (root / file.path).resolve()
            before = text_of(path)
        except (OSError, RuntimeError, UnreadableError) as error:  # of a link that leads to itself
            raise InstallError(f"{file.path} can't be read: {error}") from None
        if path != root / file.path and not (user and path.is_relative_to(root)):
            raise InstallError(f"{file.path} lies behind a link: nothing is written through one")
        if KB_DIRNAME in path.parts:
            raise InstallError(f"{file.path} lies in a knowledge base: nothing is written")
        found.append(FoundFile(file, path, before))
    return found


def text_of(path: Path) -> str | None:
    """The text of a file; None if it does not exist. Raises UnreadableError if it is no regular
    file, not UTF-8, or larger than `MAX_FILE` bytes.
    """
    try:
        return read_bounded(path, MAX_FILE)[0].decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise UnreadableError("not UTF-8") from None


def write(found: FoundFile) -> None:
    """Write our text in one step. Raises OSError."""
    found.path.parent.mkdir(parents=True, exist_ok=True)
    draft = found.path.with_name(f".{found.path.name}.{uuid4().hex}")
    draft.write_bytes(found.file.text.encode())
    draft.replace(found.path)


def remove(found: FoundFile, base: Path) -> None:
    """Remove a file, and the folders below `base` that are empty then. Raises OSError."""
    found.path.unlink()
    for folder in found.path.parents:
        if folder == base.resolve() or any(folder.iterdir()):
            return
        folder.rmdir()
