"""Codex: `config.toml`, with the MCP server and the hooks whose answers Codex uses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from vouch_sidecar.surfaces.install.events import hook_events
from vouch_sidecar.surfaces.install.host_files import WRITTEN_BY, HostFile
from vouch_sidecar.surfaces.install.hosts.host import (
    COMMAND,
    ENV_PREFIX,
    ENV_TABLE,
    PROGRAM_NAME,
    Host,
    Location,
    home,
)
from vouch_sidecar.surfaces.install.skill import skill

CODEX_HOOK_SECONDS = 3
"""Codex's time limit for hooks at the end of a session."""


# On Windows, Codex uses PowerShell or cmd, which allow no variables before a command.
def _tables(command: str) -> str:
    return f"""\
[mcp_servers.{PROGRAM_NAME}]
command = {json.dumps(command)}
args = ["mcp"]
env = {ENV_TABLE}
""" + "".join(
        f"""
[[hooks.{name}]]

[[hooks.{name}.hooks]]
type = "command"
command = {json.dumps(f"{ENV_PREFIX}{command} hook {event}")}
command_windows = {json.dumps(f"{command} hook {event}")}
timeout = {CODEX_HOOK_SECONDS}
"""
        for name, event in hook_events("codex").items()
    )


CONFIG_FILE = PurePosixPath("config.toml")
CODEX_FOLDER = PurePosixPath(".codex")


def _below(
    base: Path, folder: PurePosixPath, skills: str = ".agents/skills", command: str = COMMAND
) -> Location:
    tables = _tables(command)
    file = HostFile(folder / CONFIG_FILE, f"# {WRITTEN_BY}\n{tables}", tables)
    return Location(base, [file, skill(skills)], (folder / CONFIG_FILE, folder / "hooks.json"))


def _project(root: Path) -> Location:
    return _below(root, CODEX_FOLDER)


def _user(env: Mapping[str, str], command: str) -> Location:
    if own := env.get("CODEX_HOME"):
        return _below(Path(own), PurePosixPath(), "skills", command)
    return _below(home(env), CODEX_FOLDER, command=command)


HOST = Host(
    title="Codex",
    after="Codex reads a project's .codex/ when the project is trusted, and runs hooks that were "
    "reviewed: /hooks lists them. /mcp shows the server.",
    project=_project,
    user=_user,
    adds_servers="codex mcp add",
    permission='default_tools_approval_mode = "approve" below [mcp_servers.vouch-sidecar]',
)
