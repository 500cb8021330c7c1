"""vouch's own integration with a host: finds duplicates, and replaces its prompt hook by ours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vouch_sidecar.kb.safe_files import UnreadableError
from vouch_sidecar.surfaces.install.known_versions import COMMAND, HOOK, PREFIX
from vouch_sidecar.surfaces.install.project_files import text_of

_HOOK = re.compile(r'("command"\s*:\s*")((?:[^"\\\s]*/)?vouch(?:-kb)? context-hook)')
_SERVER = re.compile(r'(?:command|path)"?\s*[:=]\s*"(?:[^"]*/)?vouch(?:-kb)?"')
_OURS = " user-prompt-submit # instead of: "
_TAKEN = re.compile(rf"(?:{PREFIX})?{COMMAND} hook{_OURS}")
"""Our command in front of vouch's, with or without variables."""


@dataclass(frozen=True)
class TakenOver:
    """Replaces vouch's prompt hook in a file by ours. vouch's command stays as a comment after it,
    so that removing ours restores the file byte for byte.
    """

    path: PurePosixPath

    def calling(self, command: str) -> TakenOver:  # noqa: ARG002
        return self

    def put(self, before: str | None, *, force: bool = False) -> str | None:  # noqa: ARG002
        if before is None:
            return None
        return _HOOK.sub(rf"\g<1>{HOOK}{_OURS}\g<2>", self.take(before))

    def take(self, before: str, *, force: bool = False) -> str:  # noqa: ARG002
        return _TAKEN.sub("", before)


def hooks(base: Path, paths: Sequence[PurePosixPath]) -> list[PurePosixPath]:
    """Those of `paths` below `base` that contain vouch's prompt hook."""
    return [path for path in paths if _HOOK.search(_text(base / path))]


def servers(base: Path, paths: Sequence[PurePosixPath]) -> list[PurePosixPath]:
    """Those of `paths` below `base` that contain vouch's MCP server."""
    return [path for path in paths if _SERVER.search(_text(base / path))]


def _text(path: Path) -> str:
    try:
        return text_of(path) or ""
    except UnreadableError:
        return ""
