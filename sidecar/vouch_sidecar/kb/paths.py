"""Paths by their text. Standard library only: a hook pays for every import."""

from __future__ import annotations

import os


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder, or lies below it. Both are real paths."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def path_in(uri: str, errors: str = "replace") -> str:
    """The path that a file URI means; empty for others. `errors`: of bytes that are no UTF-8."""
    from urllib.parse import unquote, urlsplit  # a hook has no URI

    try:
        parts = urlsplit(uri)
    except ValueError:  # its host can be none
        return ""
    if parts.scheme != "file" or not parts.path:
        return ""
    host = "" if parts.netloc in ("", "localhost") else f"//{parts.netloc}"
    path = host + unquote(parts.path, errors=errors)
    return path[1:] if path[2:3] == ":" else path
