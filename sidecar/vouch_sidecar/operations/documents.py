"""Where a cited document lies: in the workspace, else as the knowledge base has kept it."""

from __future__ import annotations

import re
from pathlib import Path

from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.kb.records import Source

__all__ = ["document_uri"]

_LINE = re.compile(r"\bL([1-9][0-9]{0,6})\b")


def document_uri(root: Path, source: Source, place: str | None = None) -> str | None:
    """The URI of a source's document, below `root` or kept with the source; None without either.

    `place` is the locator of evidence in it: `L12` or `L12-L20` becomes the fragment `#L12`.
    """
    path, _, fragment = source.locator.partition("#")
    kept = root / KB_DIRNAME / Path(source.path).parent / "content"
    found = _below(root, source.locator) or _below(root, path) or (kept if _is_file(kept) else None)
    if found is None:
        return None
    line = _LINE.search(place or fragment)
    return found.as_uri() + (f"#L{line[1]}" if line is not None else "")


def _below(root: Path, locator: str) -> Path | None:
    """The file that a locator names, relative or absolute, if it lies below the root, the
    knowledge base apart.
    """
    path = root / locator
    if not _is_file(path):
        return None
    real, top = path.resolve(), root.resolve()
    inside = real.is_relative_to(top) and KB_DIRNAME not in real.parts
    return root / real.relative_to(top) if inside else None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # no file can be called so
        return False
