"""Cursor: `mcp.json`, and the skill.

No hooks: the output of Cursor's `beforeSubmitPrompt` does not reach the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from vouch_sidecar.surfaces.install.host_files import MARK, HostFile, json_text
from vouch_sidecar.surfaces.install.hosts.host import COMMAND, ENV, MCP, NAME, Host, Location, home
from vouch_sidecar.surfaces.install.skill import skill

FILE = PurePosixPath(".cursor/mcp.json")


def _server(command: str, *args: str) -> HostFile:
    server = {"type": "stdio", "command": command, "args": [*MCP, *args], "env": ENV}
    part = {"mcpServers": {NAME: server}}
    return HostFile(FILE, json_text({"description": MARK, **part}), json_text(part))


def _project(root: Path) -> Location:
    server = _server(COMMAND, "--root", "${workspaceFolder}")
    return Location(root, [server, skill(".cursor/skills")], (FILE,))


def _user(env: Mapping[str, str], command: str) -> Location:
    return Location(home(env), [_server(command), skill(".cursor/skills")], (FILE,))


HOST = Host(
    "Cursor",
    "Cursor Settings, MCP: switch vouch-sidecar on.",
    _project,
    _user,
    permission='{"mcpAllowlist": ["vouch-sidecar:*"]} in .cursor/permissions.json',
    from_desktop=True,
)
