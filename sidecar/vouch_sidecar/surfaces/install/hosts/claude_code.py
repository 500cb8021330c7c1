"""Claude Code: a plugin folder below `.claude/skills/`, from where plugins load by themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from vouch_sidecar.surfaces.install.edits import OwnFile
from vouch_sidecar.surfaces.install.hosts.host import (
    COMMAND,
    ENV,
    HOOK,
    MCP,
    NAME,
    Host,
    Location,
    home,
)

SECONDS = 5
FOLDER = PurePosixPath(".claude/skills") / NAME

# The version is that of the plugin, which changes less often than the program.
MANIFEST = {
    "name": NAME,
    "version": "1.2.0",
    "description": "Reviewed knowledge of this repository, with each prompt that names it.",
    "author": {"name": NAME},
    "license": "MIT",
}


def _hook(event: str, matcher: str | None = None) -> list[dict[str, Any]]:
    run = {"type": "command", "command": f"{HOOK} {event}", "timeout": SECONDS}
    return [{"matcher": matcher, "hooks": [run]} if matcher else {"hooks": [run]}]


HOOKS = {
    "SessionStart": _hook("session-start"),
    "UserPromptSubmit": _hook("user-prompt-submit"),
    "PostToolUse": _hook("post-tool-use", "Read|Edit|Write|MultiEdit|NotebookEdit"),
    "SessionEnd": _hook("session-end"),
}
SERVERS = {NAME: {"command": COMMAND, "args": list(MCP), "env": ENV}}


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2) + "\n"


EDITS = (
    OwnFile(FOLDER / ".claude-plugin" / "plugin.json", _json(MANIFEST)),
    OwnFile(FOLDER / "hooks" / "hooks.json", _json({"hooks": HOOKS})),
    OwnFile(FOLDER / ".mcp.json", _json({"mcpServers": SERVERS})),
)


SETTINGS = tuple(PurePosixPath(".claude") / n for n in ("settings.json", "settings.local.json"))


def _project(root: Path) -> Location:
    return Location(root, EDITS, (*SETTINGS, PurePosixPath(".mcp.json")))


def _user(env: Mapping[str, str]) -> Location:
    return Location(home(env), EDITS, (*SETTINGS, PurePosixPath(".claude.json")))


HOST = Host(
    "Claude Code",
    "It loads by itself as vouch-sidecar@skills-dir in the next session; in a project once its "
    "folder is trusted, the MCP server once it is approved. /reload-plugins loads it now. Where "
    "plugins are not looked for there, name the folder: claude --plugin-dir FOLDER",
    _project,
    _user,
    permission='"permissions": {"allow": ["mcp__plugin_vouch-sidecar_vouch-sidecar__*"]} '
    "in .claude/settings.json",
)
