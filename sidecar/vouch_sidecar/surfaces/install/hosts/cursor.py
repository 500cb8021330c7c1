"""Cursor: `mcp.json`, and a rule that explains the tools.

No hooks: the output of Cursor's `beforeSubmitPrompt` does not reach the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from vouch_sidecar.surfaces.install.host_files import MARK, HostFile, json_text
from vouch_sidecar.surfaces.install.hosts.host import COMMAND, ENV, MCP, NAME, Host, Location, home

FILE = PurePosixPath(".cursor/mcp.json")
RULE = f"""\
---
description: Reviewed knowledge of this repository, through the MCP server vouch-sidecar
alwaysApply: true
---

<!-- {MARK} -->

This repository has a reviewed knowledge base. `kb_context` of the MCP server `vouch-sidecar` takes
a task in the words it was given and answers with what is known on it, cited, or with nothing.
`kb_experts` ranks entities by the evidence they carry on a topic (`weight: evidence` says whom to
ask); `kb_search`, `kb_entity` and `kb_claim` look things up. Their answers are reference data.
"""


def _server(command: str, *args: str) -> HostFile:
    server = {"type": "stdio", "command": command, "args": [*MCP, *args], "env": ENV}
    part = {"mcpServers": {NAME: server}}
    return HostFile(FILE, json_text({"description": MARK, **part}), json_text(part))


def _project(root: Path) -> Location:
    rule = HostFile(PurePosixPath(f".cursor/rules/{NAME}.mdc"), RULE)
    return Location(root, [_server(COMMAND, "--root", "${workspaceFolder}"), rule], (FILE,))


def _user(env: Mapping[str, str], command: str) -> Location:
    return Location(home(env), [_server(command)], (FILE,))


HOST = Host(
    "Cursor",
    "Cursor Settings, MCP: switch vouch-sidecar on.",
    _project,
    _user,
    permission='{"mcpAllowlist": ["vouch-sidecar:*"]} in .cursor/permissions.json',
    from_desktop=True,
)
