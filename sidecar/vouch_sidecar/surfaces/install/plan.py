"""Plans which files an integration changes, shows the difference, writes the files."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from uuid import uuid4

from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.kb.safe_files import UnreadableError
from vouch_sidecar.surfaces.install.edits import Edit, Paste
from vouch_sidecar.surfaces.install.project_files import (
    ConflictError,
    InstallError,
    real_path,
    text_of,
)


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file's text before and after; None: no file. `shown` is its path for people."""

    path: Path
    base: Path
    shown: str
    before: str | None
    after: str | None


class Plan(NamedTuple):
    """The files to change, and by path the text that the user has to add to others."""

    changes: list[FileChange]
    pastes: dict[str, str]


def plan(edits: Sequence[Edit], base: Path, *, uninstall: bool, force: bool = False) -> Plan:
    """The changes below `base`. Raises `InstallError`, which names the file."""
    planned = Plan([], {})
    for edit in edits:
        path = _inside(base, edit.path)
        before = _read(path, edit.path)
        after: str | Paste | None
        try:
            if not uninstall:
                after = edit.put(before, force=force)
            else:
                after = None if before is None else edit.take(before, force=force)
        except InstallError as error:
            raise type(error)(f"{edit.path} {error}") from None
        if isinstance(after, Paste):
            planned.pastes[edit.path.as_posix()] = after.text
        elif after != before:
            planned.changes.append(FileChange(path, base, edit.path.as_posix(), before, after))
    return planned


def _inside(base: Path, relative: PurePosixPath) -> Path:
    """The real path of a file. Raises `InstallError` if it is outside of `base` or in `.vouch/`."""
    root = base.resolve()
    try:
        path = real_path(root / relative)
    except UnreadableError as error:
        raise InstallError(f"{relative} can't be read: {error}") from None
    if not path.is_relative_to(root):
        raise InstallError(f"{relative} leads out of {base}")
    if KB_DIRNAME in path.parts:
        raise InstallError(f"{relative} lies in a knowledge base, where nothing is written")
    return path


def _read(path: Path, shown: PurePosixPath) -> str | None:
    try:
        return text_of(path)
    except UnreadableError as error:
        raise InstallError(f"{shown} can't be read: {error}") from None


def difference(change: FileChange) -> str:
    """The change as a unified diff."""
    lines = difflib.unified_diff(
        (change.before or "").splitlines(keepends=True),
        (change.after or "").splitlines(keepends=True),
        "/dev/null" if change.before is None else f"a/{change.shown}",
        "/dev/null" if change.after is None else f"b/{change.shown}",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def apply(changes: Sequence[FileChange]) -> None:
    """Write the changes, each file atomically. Raises `InstallError`."""
    for change in changes:
        if _read(change.path, PurePosixPath(change.shown)) != change.before:
            raise ConflictError(f"{change.shown} has changed meanwhile")
        try:
            if change.after is None:
                _remove(change.path, change.base.resolve())
            else:
                _write(change.path, change.after)
        except OSError as error:
            raise InstallError(f"{change.shown} can't be written: {error.strerror}") from None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with draft.open("xb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            draft.chmod(path.stat().st_mode & 0o7777)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _remove(path: Path, root: Path) -> None:
    """Remove a file, and the folders up to `root` that are empty then."""
    path.unlink()
    for folder in path.parents:
        if folder == root or any(folder.iterdir()):
            return
        folder.rmdir()
