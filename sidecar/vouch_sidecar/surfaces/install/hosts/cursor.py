"""Cursor: `mcp.json`, and the skill.

No hooks: the output of Cursor's `beforeSubmitPrompt` does not reach the model.
"""

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
    home,
)
from vouch_sidecar.surfaces.install.skill import skill

SERVERS_FILE = PurePosixPath(".cursor/mcp.json")


def _server(command: str, *args: str) -> HostFile:
    server = {"type": "stdio", "command": command, "args": [*MCP, *args], "env": ENV}
    part = {"mcpServers": {PROGRAM_NAME: server}}
    return HostFile(SERVERS_FILE, json_text({"description": WRITTEN_BY, **part}), json_text(part))


def _project(root: Path) -> Location:
    server = _server(COMMAND, "--root", "${workspaceFolder}")
    return Location(root, [server, skill(".cursor/skills")], (SERVERS_FILE,))


def _user(env: Mapping[str, str], command: str) -> Location:
    return Location(home(env), [_server(command), skill(".cursor/skills")], (SERVERS_FILE,))


HOST = Host(
    title="Cursor",
    after="Cursor Settings, MCP: switch vouch-sidecar on.",
    project=_project,
    user=_user,
    permission='{"mcpAllowlist": ["vouch-sidecar:*"]} in .cursor/permissions.json',
    from_desktop=True,
)
