"""Reads the files of a project, where anybody may have put anything."""

from __future__ import annotations

from pathlib import Path

from vouch_sidecar.kb.files import UnreadableError, read_bounded

MAX_FILE = 16 << 20


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
