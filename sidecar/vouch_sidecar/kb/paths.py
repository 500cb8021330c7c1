"""Paths by their text. Standard library only: a hook pays for every import."""

from __future__ import annotations

import os


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder, or lies below it. Both are real paths."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
