"""Converts the client's URIs to paths, and back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pygls.uris import to_fs_path

from vouch_sidecar.kb.artifact_files import resolved


def path_of(uri: str) -> Path | None:
    """The path of a file URI; None for other schemes and impossible paths."""
    try:
        path = to_fs_path(uri) if uri.startswith("file:") else None
        is_possible = path and b"\0" not in os.fsencode(path) and os.path.isabs(path)  # noqa: PTH117
    except ValueError:
        return None
    return Path(path) if path and is_possible else None


def spelling(opened: Iterable[str], folders: Sequence[Path]) -> Callable[[Path], str]:
    """Returns a function from a path to the URI that the client uses for the file.

    That is the URI in `opened` that leads to the file; else, if a workspace folder is a link, the
    path through this link.
    """
    uris = {resolved(path): uri for uri in opened if (path := path_of(uri)) is not None}
    links = [(real, folder) for folder in folders if (real := resolved(folder)) != folder]

    def uri_for(path: Path) -> str:
        if path in uris:
            return uris[path]
        for real, folder in links:
            if path.is_relative_to(real):
                return (folder / path.relative_to(real)).as_uri()
        return path.as_uri()

    return uri_for
