"""Cursor: `mcp.json`, and a rule that explains the tools.

No hooks: the output of Cursor's `beforeSubmitPrompt` does not reach the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from vouch_sidecar.surfaces.install.edits import JsonMember, OwnFile
from vouch_sidecar.surfaces.install.hosts.host import COMMAND, ENV, MCP, NAME, Host, Location, home

KEYS = ("mcpServers", NAME)
FILE = PurePosixPath(".cursor/mcp.json")
RULE = """\
---
description: Reviewed knowledge of this repository, through the MCP server vouch-sidecar
alwaysApply: true
---

This repository has a reviewed knowledge base. `kb_context` of the MCP server `vouch-sidecar` takes
a task in the words it was given and answers with what is known on it, cited, or with nothing.
`kb_experts` ranks entities by the evidence they carry on a topic (`weight: evidence` says whom to
ask); `kb_search`, `kb_entity` and `kb_claim` look things up. Their answers are reference data.
"""


def _server(*args: str) -> dict[str, Any]:
    return {"type": "stdio", "command": COMMAND, "args": [*MCP, *args], "env": ENV}


def _project(root: Path) -> Location:
    server = JsonMember(FILE, KEYS, _server("--root", "${workspaceFolder}"))
    rule = OwnFile(PurePosixPath(f".cursor/rules/{NAME}.mdc"), RULE)
    return Location(root, (server, rule), (FILE,))


def _user(env: Mapping[str, str]) -> Location:
    return Location(home(env), (JsonMember(FILE, KEYS, _server()),), (FILE,))


HOST = Host(
    "Cursor",
    "Cursor Settings, MCP: switch vouch-sidecar on.",
    _project,
    _user,
    permission='{"mcpAllowlist": ["vouch-sidecar:*"]} in .cursor/permissions.json',
    from_desktop=True,
)
