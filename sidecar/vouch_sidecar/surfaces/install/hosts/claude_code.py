"""Claude Code: a plugin folder below `.claude/skills/`, from where plugins load by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from vouch_sidecar.surfaces.install.events import hook_events
from vouch_sidecar.surfaces.install.host_files import WRITTEN_BY, HostFile, json_text
from vouch_sidecar.surfaces.install.hosts.host import (
    COMMAND,
    ENV,
    ENV_PREFIX,
    MCP,
    PROGRAM_NAME,
    Host,
    Location,
    home,
)
from vouch_sidecar.surfaces.install.skill import skill

HOOK_SECONDS = 5
SKILL_FOLDER = PurePosixPath(".claude/skills") / PROGRAM_NAME

# Without a version: it is that of the program, which Claude Code can't ask for.
PLUGIN_MANIFEST = {
    "name": PROGRAM_NAME,
    "description": "Reviewed knowledge of this repository, with each prompt that names it. "
    + WRITTEN_BY,
    "author": {"name": PROGRAM_NAME},
    "license": "MIT",
}


MATCHERS = {"PostToolUse": {"matcher": "Read|Edit|Write|MultiEdit|NotebookEdit"}}


def _files(command: str) -> list[HostFile]:
    hooks: dict[str, Any] = {}
    for name, event in hook_events("claude-code").items():
        run = {
            "type": "command",
            "command": f"{ENV_PREFIX}{command} hook {event}",
            "timeout": HOOK_SECONDS,
        }
        hooks[name] = [{**MATCHERS.get(name, {}), "hooks": [run]}]
    servers = {PROGRAM_NAME: {"command": command, "args": list(MCP), "env": ENV}}
    files = {
        ".claude-plugin/plugin.json": PLUGIN_MANIFEST,
        "hooks/hooks.json": {"description": WRITTEN_BY, "hooks": hooks},
        ".mcp.json": {"description": WRITTEN_BY, "mcpServers": servers},
    }
    written = [HostFile(SKILL_FOLDER / name, json_text(value)) for name, value in files.items()]
    return [*written, skill(str(SKILL_FOLDER / "skills"))]


SETTINGS_FILES = tuple(
    PurePosixPath(".claude") / n for n in ("settings.json", "settings.local.json")
)


def _project(root: Path) -> Location:
    return Location(root, _files(COMMAND), (*SETTINGS_FILES, PurePosixPath(".mcp.json")))


def _user(env: Mapping[str, str], command: str) -> Location:
    return Location(home(env), _files(command), (*SETTINGS_FILES, PurePosixPath(".claude.json")))


HOST = Host(
    title="Claude Code",
    after="It loads by itself as vouch-sidecar@skills-dir in the next session; in a project once "
    "its folder is trusted, the MCP server once it is approved. /reload-plugins loads it now. "
    "Where plugins are not looked for there, name the folder: claude --plugin-dir FOLDER",
    project=_project,
    user=_user,
    adds_servers="claude mcp add",
    permission='"permissions": {"allow": ["mcp__plugin_vouch-sidecar_vouch-sidecar__*"]} '
    "in .claude/settings.json",
)
