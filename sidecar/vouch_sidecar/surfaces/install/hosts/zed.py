"""Zed: `context_servers` in its settings. Zed only takes language servers from extensions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from vouch_sidecar.surfaces.install.host_files import WRITTEN_BY, HostFile, json_text
from vouch_sidecar.surfaces.install.hosts.host import (
    COMMAND,
    ENV,
    MCP,
    PROGRAM_NAME,
    Host,
    Location,
    config_home,
)


def _place(base: Path, path: PurePosixPath, command: str) -> Location:
    server = {"source": "custom", "command": command, "args": list(MCP), "env": ENV}
    part = json_text({"context_servers": {PROGRAM_NAME: server}})
    return Location(base, [HostFile(path, f"// {WRITTEN_BY}\n{part}", part)], (path,))


def _project(root: Path) -> Location:
    return _place(root, PurePosixPath(".zed/settings.json"), COMMAND)


def _user(env: Mapping[str, str], command: str) -> Location:
    base, way = config_home(env)
    return _place(base, way / "zed" / "settings.json", command)


HOST = Host(
    title="Zed",
    after="Zed starts it when the project is trusted; the agent panel's settings show it.",
    project=_project,
    user=_user,
    permission='"mcp:vouch-sidecar:kb_context": {"default": "allow"}, and likewise for each tool, '
    "below agent.tool_permissions.tools in its settings",
    from_desktop=True,
)
