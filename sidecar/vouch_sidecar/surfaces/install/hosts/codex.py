"""Codex: `config.toml`, with the MCP server and the hooks whose answers Codex uses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from vouch_sidecar.surfaces.install.edits import TomlTables
from vouch_sidecar.surfaces.install.hosts.host import (
    COMMAND,
    ENV_TABLE,
    HOOK,
    NAME,
    PREFIX,
    Host,
    Location,
    home,
)

EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt-submit",
    "SessionEnd": "session-end",
}
SECONDS = 3
"""Codex's time limit for hooks at the end of a session."""


# On Windows, Codex uses PowerShell or cmd, which allow no variables before a command.
TABLES = f"""\
[mcp_servers.{NAME}]
command = "{COMMAND}"
args = ["mcp"]
env = {ENV_TABLE}
""" + "".join(
    f"""
[[hooks.{name}]]

[[hooks.{name}.hooks]]
type = "command"
command = "{HOOK} {event}"
command_windows = "{COMMAND} hook {event}"
timeout = {SECONDS}
"""
    for name, event in EVENTS.items()
)
FILE = PurePosixPath("config.toml")
FOLDER = PurePosixPath(".codex")


def _owns(table: dict[str, Any]) -> bool:
    """Whether a table is our MCP server, including anything that Codex added, or a group of hooks
    that all call this program.
    """
    match table:
        case {"mcp_servers": {"vouch-sidecar": {"command": command}, **others}}:
            return not others and _is_ours(command)
        case {"hooks": dict(events)}:
            return all(_calls_us(groups) for groups in events.values())
    return False


def _calls_us(groups: Any) -> bool:
    match groups:
        case [{"hooks": [_, *_] as hooks}]:
            return all(isinstance(hook, dict) and _is_ours(hook.get("command")) for hook in hooks)
    return False


def _is_ours(command: object) -> bool:
    """Whether a command starts this program, from any folder."""
    return (
        isinstance(command, str)
        and re.match(rf"({PREFIX})?(\S*/)?{COMMAND}( hook |$)", command) is not None
    )


def _below(base: Path, folder: PurePosixPath) -> Location:
    tables = TomlTables(folder / FILE, TABLES, ("mcp_servers", NAME), _owns)
    return Location(base, (tables,), (folder / FILE, folder / "hooks.json"))


def _project(root: Path) -> Location:
    return _below(root, FOLDER)


def _user(env: Mapping[str, str]) -> Location:
    if own := env.get("CODEX_HOME"):
        return _below(Path(own), PurePosixPath())
    return _project(home(env))


HOST = Host(
    "Codex",
    "Codex reads a project's .codex/ when the project is trusted, and runs hooks that were "
    "reviewed: /hooks lists them. /mcp shows the server.",
    _project,
    _user,
    permission='default_tools_approval_mode = "approve" below [mcp_servers.vouch-sidecar]',
)
