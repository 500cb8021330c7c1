"""The files of a project, where anybody may have put anything, and what can be wrong with them."""

from __future__ import annotations

from pathlib import Path

from vouch_sidecar.kb.files import UnreadableError, read_bounded

MAX_FILE = 16 << 20


class InstallError(Exception):
    """Base of these errors. Nothing was written. The text is for the user."""


class ConflictError(InstallError):
    """A file has something else where the integration would go, or one that was changed."""


class MalformedError(InstallError):
    """A file can't be read as what it should be."""


def real_path(path: Path) -> Path:
    """A path without links. Raises UnreadableError for a link that leads to itself."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: Python before 3.13
        raise UnreadableError("a link that leads to itself") from error


def text_of(path: Path) -> str | None:
    """The text of a file; None where there is none. Raises UnreadableError for what is no regular
    file, is not UTF-8, or has more than `MAX_FILE` bytes.
    """
    try:
        return read_bounded(real_path(path), MAX_FILE)[0].decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise UnreadableError("not UTF-8") from None
