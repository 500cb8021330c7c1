"""OpenCode: `opencode.json` or `opencode.jsonc`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from vouch_sidecar.kb.safe_files import UnreadableError
from vouch_sidecar.surfaces.install.edits import JsonMember
from vouch_sidecar.surfaces.install.hosts.host import (
    COMMAND,
    ENV,
    MCP,
    NAME,
    Host,
    Location,
    config_home,
)
from vouch_sidecar.surfaces.install.jsonc import Keys, parse
from vouch_sidecar.surfaces.install.project_files import MalformedError, text_of

SCHEMA = {"$schema": "https://opencode.ai/config.json"}
NAMES = ("opencode.json", "opencode.jsonc")


def _where(settings: Any) -> tuple[Keys, Any]:
    """The keys and value of our server for a file with these settings. Uses the form of OpenCode 1,
    which version 2 reads, too, unless the file has servers in the form of version 2.
    """
    server = {"type": "local", "command": [COMMAND, *MCP], "environment": ENV}
    mcp = settings.get("mcp") if isinstance(settings, dict) else None
    servers = mcp.get("servers") if isinstance(mcp, dict) else None
    if isinstance(servers, dict) and "type" not in servers:
        return ("mcp", "servers", NAME), server
    return ("mcp", NAME), {**server, "enabled": True}


def _place(base: Path, *folders: PurePosixPath) -> Location:
    """The first existing file of settings, else a new one."""
    paths = [folder / name for folder in folders for name in NAMES]
    path = next((p for p in paths if (base / p).is_file()), paths[0])
    settings: Any = {}
    with suppress(UnreadableError, ValueError, MalformedError):  # the edit reports the error
        settings = parse(text_of(base / path) or "").value
    return Location(base, (JsonMember(path, *_where(settings), SCHEMA),))


def _project(root: Path) -> Location:
    return _place(root, PurePosixPath(), PurePosixPath(".opencode"))


def _user(env: Mapping[str, str]) -> Location:
    base, way = config_home(env)
    return _place(base, way / "opencode")


HOST = Host(
    "OpenCode",
    "opencode mcp list shows the server.",
    _project,
    _user,
)
