"""Finds vouch's own integration with a host, which doubles ours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from vouch_sidecar.kb.safe_files import UnreadableError
from vouch_sidecar.kb.sanitize import one_line
from vouch_sidecar.surfaces.install.host_files import text_of

_COMMAND = re.compile(r'command"?\s*+[:=]\s*+"((?:[^"\\]|\\.){0,250}+)"')
_HOOK = re.compile(r"(?<![^\s/])vouch(?:-kb)? context-hook\b")
_SERVER = re.compile(r'(?:command|path)"?\s*[:=]\s*"(?:[^"]{0,250}/)?vouch(?:-kb)?"')


def hooks(base: Path, paths: Sequence[PurePosixPath]) -> list[str]:
    """vouch's prompt hooks in `paths` below `base`, by file, line and text."""
    return [
        f"{path}, line {text.count(chr(10), 0, match.start()) + 1}: {one_line(match[1])}"
        for path in paths
        for text in [_text(base / path)]
        for match in _COMMAND.finditer(text)
        if _HOOK.search(match[1])
    ]


def servers(base: Path, paths: Sequence[PurePosixPath]) -> list[PurePosixPath]:
    """Those of `paths` below `base` that contain vouch's MCP server."""
    return [path for path in paths if _SERVER.search(_text(base / path))]


def _text(path: Path) -> str:
    try:
        return text_of(path) or ""
    except UnreadableError:
        return ""
