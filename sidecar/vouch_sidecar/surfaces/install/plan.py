"""Works out which files a plug changes, shows the difference, writes them."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from uuid import uuid4

from vouch_sidecar.kb.files import UnreadableError
from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.surfaces.install.errors import ConflictError, InstallError
from vouch_sidecar.surfaces.install.files import real_path, text_of
from vouch_sidecar.surfaces.install.pieces import Piece

__all__ = ["Edit", "apply", "difference", "plan"]


@dataclass(frozen=True, slots=True)
class Edit:
    """A file's text before and after; None stands for no file. `shown` is its path for people."""

    path: Path
    base: Path
    shown: str
    before: str | None
    after: str | None


def plan(
    pieces: Sequence[Piece], base: Path, *, uninstall: bool, force: bool = False
) -> list[Edit]:
    """The files below `base` that would change. Raises `InstallError`, naming the file."""
    edits = []
    for piece in pieces:
        path = _inside(base, piece.path)
        before = _read(path, piece.path)
        try:
            if not uninstall:
                after = piece.put(before, force=force)
            else:
                after = None if before is None else piece.take(before, force=force)
        except InstallError as error:
            raise type(error)(f"{piece.path} {error}") from None
        if after != before:
            edits.append(Edit(path, base, piece.path.as_posix(), before, after))
    return edits


def _inside(base: Path, relative: PurePosixPath) -> Path:
    """The real path of a file. Raises `InstallError` outside of `base` or in `.vouch/`."""
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


def difference(edit: Edit) -> str:
    """A unified diff."""
    lines = difflib.unified_diff(
        (edit.before or "").splitlines(keepends=True),
        (edit.after or "").splitlines(keepends=True),
        "/dev/null" if edit.before is None else f"a/{edit.shown}",
        "/dev/null" if edit.after is None else f"b/{edit.shown}",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def apply(edits: Sequence[Edit]) -> None:
    """Write the changes, each file whole or not at all. Raises `InstallError`."""
    for edit in edits:
        if _read(edit.path, PurePosixPath(edit.shown)) != edit.before:
            raise ConflictError(f"{edit.shown} has changed meanwhile")
        try:
            if edit.after is None:
                _remove(edit.path, edit.base.resolve())
            else:
                _write(edit.path, edit.after)
        except OSError as error:
            raise InstallError(f"{edit.shown} can't be written: {error.strerror}") from None


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
    """Remove a file, and its folders that are empty then."""
    path.unlink()
    for folder in path.parents:
        if folder == root or any(folder.iterdir()):
            return
        folder.rmdir()
