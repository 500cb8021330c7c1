"""Zed: `context_servers` in its settings. Language servers come to Zed by extensions alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from vouch_sidecar.surfaces.install.hosts.host import COMMAND, MCP, NAME, Host, Place, config_home
from vouch_sidecar.surfaces.install.pieces import JsonMember, Keys

__all__ = ["HOST"]


def _where(_: Any) -> tuple[Keys, Any]:
    server = {"source": "custom", "command": COMMAND, "args": list(MCP), "env": {}}
    return ("context_servers", NAME), server


def _place(base: Path, path: PurePosixPath) -> Place:
    return Place(base, (JsonMember(path, _where),), (path,))


def _project(root: Path) -> Place:
    return _place(root, PurePosixPath(".zed/settings.json"))


def _user(env: Mapping[str, str]) -> Place:
    base, way = config_home(env)
    return _place(base, way / "zed" / "settings.json")


HOST = Host(
    "Zed",
    "Zed starts it when the project is trusted; the agent panel's settings show it.",
    _project,
    _user,
    permission='"mcp:vouch-sidecar:kb_context": {"default": "allow"}, and likewise for each tool, '
    "below agent.tool_permissions.tools in its settings",
    from_desktop=True,
)
