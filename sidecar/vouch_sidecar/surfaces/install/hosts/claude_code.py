"""Claude Code: a plugin folder below `.claude/skills/`, from where plugins load by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from vouch_sidecar.surfaces.install.host_files import MARK, HostFile, json_text
from vouch_sidecar.surfaces.install.hosts.host import (
    COMMAND,
    ENV,
    MCP,
    NAME,
    PREFIX,
    Host,
    Location,
    home,
)
from vouch_sidecar.surfaces.install.skill import skill

SECONDS = 5
FOLDER = PurePosixPath(".claude/skills") / NAME

# Without a version: it is that of the program, which Claude Code can't ask for.
MANIFEST = {
    "name": NAME,
    "description": f"Reviewed knowledge of this repository, with each prompt that names it. {MARK}",
    "author": {"name": NAME},
    "license": "MIT",
}


EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt-submit",
    "PostToolUse": "post-tool-use",
    "Stop": "stop",
    "SessionEnd": "session-end",
}
MATCHERS = {"PostToolUse": {"matcher": "Read|Edit|Write|MultiEdit|NotebookEdit"}}


def _files(command: str) -> list[HostFile]:
    hooks: dict[str, Any] = {}
    for name, event in EVENTS.items():
        run = {"type": "command", "command": f"{PREFIX}{command} hook {event}", "timeout": SECONDS}
        hooks[name] = [{**MATCHERS.get(name, {}), "hooks": [run]}]
    servers = {NAME: {"command": command, "args": list(MCP), "env": ENV}}
    files = {
        ".claude-plugin/plugin.json": MANIFEST,
        "hooks/hooks.json": {"description": MARK, "hooks": hooks},
        ".mcp.json": {"description": MARK, "mcpServers": servers},
    }
    written = [HostFile(FOLDER / name, json_text(value)) for name, value in files.items()]
    return [*written, skill(str(FOLDER / "skills"))]


SETTINGS = tuple(PurePosixPath(".claude") / n for n in ("settings.json", "settings.local.json"))


def _project(root: Path) -> Location:
    return Location(root, _files(COMMAND), (*SETTINGS, PurePosixPath(".mcp.json")))


def _user(env: Mapping[str, str], command: str) -> Location:
    return Location(home(env), _files(command), (*SETTINGS, PurePosixPath(".claude.json")))


HOST = Host(
    "Claude Code",
    "It loads by itself as vouch-sidecar@skills-dir in the next session; in a project once its "
    "folder is trusted, the MCP server once it is approved. /reload-plugins loads it now. Where "
    "plugins are not looked for there, name the folder: claude --plugin-dir FOLDER",
    _project,
    _user,
    adds_servers="claude mcp add",
    permission='"permissions": {"allow": ["mcp__plugin_vouch-sidecar_vouch-sidecar__*"]} '
    "in .claude/settings.json",
)
