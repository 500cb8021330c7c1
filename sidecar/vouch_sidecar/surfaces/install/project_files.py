"""Reads files of hosts, which may contain anything, and defines the errors of `install`."""

from __future__ import annotations

from pathlib import Path

from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded

MAX_FILE = 16 << 20


class InstallError(Exception):
    """Base of these errors. Nothing was written. The message is for the user."""


class ConflictError(InstallError):
    """A file has something else in place of the integration, or the integration was changed."""


class MalformedError(InstallError):
    """A file is not in the expected format."""


def real_path(path: Path) -> Path:
    """A path with links resolved. Raises UnreadableError for a link to itself."""
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: Python before 3.13
        raise UnreadableError("a link that leads to itself") from error


def text_of(path: Path) -> str | None:
    """The text of a file; None if it does not exist. Raises UnreadableError if it is no regular
    file, not UTF-8, or larger than `MAX_FILE` bytes.
    """
    try:
        return read_bounded(real_path(path), MAX_FILE)[0].decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise UnreadableError("not UTF-8") from None
