"""Codex: `config.toml`, with the MCP server and the hooks whose answers Codex uses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from vouch_sidecar.surfaces.install.host_files import MARK, HostFile
from vouch_sidecar.surfaces.install.hosts.host import (
    COMMAND,
    ENV_TABLE,
    NAME,
    PREFIX,
    Host,
    Location,
    home,
)
from vouch_sidecar.surfaces.install.skill import skill

EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt-submit",
    "Stop": "stop",
    "SessionEnd": "session-end",
}
SECONDS = 3
"""Codex's time limit for hooks at the end of a session."""


# On Windows, Codex uses PowerShell or cmd, which allow no variables before a command.
def _tables(command: str) -> str:
    return f"""\
[mcp_servers.{NAME}]
command = {json.dumps(command)}
args = ["mcp"]
env = {ENV_TABLE}
""" + "".join(
        f"""
[[hooks.{name}]]

[[hooks.{name}.hooks]]
type = "command"
command = {json.dumps(f"{PREFIX}{command} hook {event}")}
command_windows = {json.dumps(f"{command} hook {event}")}
timeout = {SECONDS}
"""
        for name, event in EVENTS.items()
    )


FILE = PurePosixPath("config.toml")
FOLDER = PurePosixPath(".codex")


def _below(
    base: Path, folder: PurePosixPath, skills: str = ".agents/skills", command: str = COMMAND
) -> Location:
    tables = _tables(command)
    file = HostFile(folder / FILE, f"# {MARK}\n{tables}", tables)
    return Location(base, [file, skill(skills)], (folder / FILE, folder / "hooks.json"))


def _project(root: Path) -> Location:
    return _below(root, FOLDER)


def _user(env: Mapping[str, str], command: str) -> Location:
    if own := env.get("CODEX_HOME"):
        return _below(Path(own), PurePosixPath(), "skills", command)
    return _below(home(env), FOLDER, command=command)


HOST = Host(
    "Codex",
    "Codex reads a project's .codex/ when the project is trusted, and runs hooks that were "
    "reviewed: /hooks lists them. /mcp shows the server.",
    _project,
    _user,
    adds_servers="codex mcp add",
    permission='default_tools_approval_mode = "approve" below [mcp_servers.vouch-sidecar]',
)
