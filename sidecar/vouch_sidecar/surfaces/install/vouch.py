"""vouch's own plug for the same host: what would be doubled, and taking its prompt hook over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vouch_sidecar.surfaces.install.earlier import COMMAND

__all__ = ["TakenOver", "hooks", "servers"]

_HOOK = re.compile(r'("command"\s*:\s*")((?:[^"\\\s]*/)?vouch(?:-kb)? context-hook)')
_SERVER = re.compile(r'(?:command|path)"?\s*[:=]\s*"(?:[^"]*/)?vouch(?:-kb)?"')
_OURS = f"{COMMAND} hook user-prompt-submit # instead of: "


@dataclass(frozen=True)
class TakenOver:
    """A file in which our prompt hook stands for that of vouch, whose command is kept behind a `#`:
    taking ours out gives it back byte for byte.
    """

    path: PurePosixPath

    def calling(self, command: str) -> TakenOver:  # noqa: ARG002
        return self

    def put(self, before: str | None, *, force: bool = False) -> str | None:  # noqa: ARG002
        return None if before is None else _HOOK.sub(rf"\g<1>{_OURS}\g<2>", before)

    def take(self, before: str, *, force: bool = False) -> str | None:  # noqa: ARG002
        return before.replace(_OURS, "")


def hooks(base: Path, paths: Sequence[PurePosixPath]) -> list[PurePosixPath]:
    """Of these files below a folder, those with vouch's prompt hook."""
    return [path for path in paths if _HOOK.search(_text(base / path))]


def servers(base: Path, paths: Sequence[PurePosixPath]) -> list[PurePosixPath]:
    """Of these files below a folder, those with vouch's MCP server."""
    return [path for path in paths if _SERVER.search(_text(base / path))]


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
