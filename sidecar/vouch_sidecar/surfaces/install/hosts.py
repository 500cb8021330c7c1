"""The agents and editors with which this program integrates. To add one, add it to `HOSTS`."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vouch_sidecar.kb.safe_files import UnreadableError
from vouch_sidecar.surfaces.hook.events import END, FILE, NAMES, PROMPT, START
from vouch_sidecar.surfaces.install.files import (
    MARK,
    PROGRAM,
    FoundFile,
    HostFile,
    find,
    text_of,
)
from vouch_sidecar.surfaces.install.skill import skill

ENV = {"PYTHONPATH": "", "PYTHONSAFEPATH": "1"}
"""The environment in which every integration starts this program. With a relative or empty part in
`PYTHONPATH`, Python would run a `sitecustomize.py` of the working folder; an empty value is safe.
"""
ENV_PREFIX = "".join(f"{name}={value} " for name, value in ENV.items())
"""`ENV` before a command, for a POSIX shell."""
ENV_TABLE = "{ " + ", ".join(f'{name} = "{value}"' for name, value in ENV.items()) + " }"
"""`ENV` as a table in TOML or Lua."""
DESKTOP_PATH = "/usr/local/bin:/usr/bin:/bin"
"""The shortest PATH of programs that are started from the desktop."""
_VOUCH_HOOK = re.compile(r"(?<![^\s/\"'])vouch(?:-kb)? context-hook\b")


Env = Mapping[str, str]
Location = tuple[Path, list[HostFile]]
"""A folder, and the files below it that make up an integration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A host. `after` says what is left to do for its user. It has files, or a `snippet` to paste
    and the place for that.
    """

    title: str
    after: str
    files: Callable[[str, Path | None, Env], Location] | None = None
    """By the command that starts this program, for the project in a folder, or for a user."""
    snippet: tuple[str, str] = ("", "")
    permission: str | None = None
    """The host's setting that lets it call the tools without asking, and its file."""
    from_desktop: bool = False
    """Whether it starts from the desktop, without the PATH of a shell."""
    vouch: tuple[str, ...] = ()
    """Files below the base that may contain vouch's own prompt hook, which doubles ours."""


def _home(env: Env) -> Path:
    return Path(env["HOME"]) if env.get("HOME") else Path.home()


def _config(env: Env, name: str) -> tuple[Path, str]:
    """A folder, and that below it in which a host keeps the settings of a user."""
    folder = Path(env.get("XDG_CONFIG_HOME", ""))
    return (folder, name) if folder.is_absolute() else (_home(env), f".config/{name}")


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2) + "\n"


def _claude_code(command: str, project: Path | None, env: Env) -> Location:
    folder = f".claude/skills/{PROGRAM}"
    hooks: dict[str, Any] = {}
    for event, name in NAMES.items():
        run = f"{ENV_PREFIX}{command} hook {event}"
        matcher = {"matcher": "Read|Edit|Write|MultiEdit|NotebookEdit"} if event == FILE else {}
        group = {**matcher, "hooks": [{"type": "command", "command": run, "timeout": 5}]}
        hooks[name] = [group]
    server = {"command": command, "args": ["mcp"], "env": ENV}
    # Without a version: it is that of the program, which Claude Code can't ask for.
    manifest = {
        "name": PROGRAM,
        "description": "Reviewed knowledge of this repository, with each prompt that names it. "
        + MARK,
        "author": {"name": PROGRAM},
        "license": "MIT",
    }
    files = {
        ".claude-plugin/plugin.json": manifest,
        "hooks/hooks.json": {"description": MARK, "hooks": hooks},
        ".mcp.json": {"description": MARK, "mcpServers": {PROGRAM: server}},
    }
    written = [HostFile(f"{folder}/{name}", _json(value)) for name, value in files.items()]
    return project or _home(env), [*written, skill(f"{folder}/skills")]


def _codex(command: str, project: Path | None, env: Env) -> Location:
    text = f"""\
[mcp_servers.{PROGRAM}]
command = {json.dumps(command)}
args = ["mcp"]
env = {ENV_TABLE}
"""
    for event in (START, PROMPT, END):  # on Windows, its shells allow no variables before a command
        name = NAMES[event]
        text += f"""
[[hooks.{name}]]

[[hooks.{name}.hooks]]
type = "command"
command = {json.dumps(f"{ENV_PREFIX}{command} hook {event}")}
command_windows = {json.dumps(f"{command} hook {event}")}
timeout = 3
"""
    own = env.get("CODEX_HOME") if project is None else None
    base, folder = (Path(own), "") if own else (project or _home(env), ".codex/")
    file = HostFile(f"{folder}config.toml", f"# {MARK}\n{text}", text)
    return base, [file, skill("skills" if own else ".agents/skills")]


def _cursor(command: str, project: Path | None, env: Env) -> Location:
    where = [] if project is None else ["--root", "${workspaceFolder}"]
    server = {"type": "stdio", "command": command, "args": ["mcp", *where], "env": ENV}
    part = {"mcpServers": {PROGRAM: server}}
    file = HostFile(".cursor/mcp.json", _json({"description": MARK, **part}), _json(part))
    return project or _home(env), [file, skill(".cursor/skills")]


def _opencode(command: str, project: Path | None, env: Env) -> Location:
    base, own = (project, ".opencode") if project else _config(env, "opencode")
    server = {"type": "local", "command": [command, "mcp"], "environment": ENV, "enabled": True}
    part = {"mcp": {PROGRAM: server}}
    text = _json({**part, "$schema": "https://opencode.ai/config.json"})
    path = "opencode.json" if project else f"{own}/opencode.json"
    return base, [HostFile(path, f"// {MARK}\n{text}", _json(part)), skill(f"{own}/skills")]


def _zed(command: str, project: Path | None, env: Env) -> Location:
    base, folder = (project, ".zed") if project else _config(env, "zed")
    server = {"source": "custom", "command": command, "args": ["mcp"], "env": ENV}
    part = _json({"context_servers": {PROGRAM: server}})
    return base, [HostFile(f"{folder}/settings.json", f"// {MARK}\n{part}", part)]


NEOVIM = f"""\
-- In init.lua. For every file below a folder with .vouch/, whatever its type; one without any
-- has no server in Neovim until :set filetype gives it one.
vim.lsp.config("vouch-sidecar", {{
  cmd = {{ "vouch-sidecar", "lsp" }},
  cmd_env = {ENV_TABLE},
  root_markers = {{ ".vouch" }},
  workspace_required = true,
}})
vim.lsp.enable("vouch-sidecar")
"""
HELIX = f"""\
# In .helix/languages.toml or ~/.config/helix/languages.toml. Helix has no "every language": a
# language's list replaces the one that comes with Helix, so name its other servers as well: before
# this is there, hx --health markdown lists them.
[language-server.vouch-sidecar]
command = "vouch-sidecar"
args = ["lsp"]
environment = {ENV_TABLE}

[[language]]
name = "markdown"
language-servers = ["marksman", "markdown-oxide", "vouch-sidecar"]
"""
_WORDS = " ".join(f'"{word}"' for word in ("env", *ENV_PREFIX.split(), PROGRAM, "lsp"))
EMACS = f"""\
;; In the init file. Eglot runs one server a buffer: name the modes that have no other. The modes
;; for HTML, TeX and YAML are text modes too and have servers, so text-mode goes to the end.
;; On Windows there is no env: begin with "{PROGRAM}".
(with-eval-after-load 'eglot
  (let ((vouch '({_WORDS})))
    (add-to-list 'eglot-server-programs (cons 'markdown-mode vouch))
    (add-to-list 'eglot-server-programs (cons 'text-mode vouch) t)))
"""

HOSTS = {
    "claude-code": Host(
        title="Claude Code",
        after=f"It loads by itself as {PROGRAM}@skills-dir in the next session; in a project once "
        "its folder is trusted, the MCP server once it is approved. /reload-plugins loads it now. "
        "Where plugins are not looked for there, name the folder: claude --plugin-dir FOLDER",
        files=_claude_code,
        permission='"permissions": {"allow": ["mcp__plugin_vouch-sidecar_vouch-sidecar__*"]} '
        "in .claude/settings.json",
        vouch=(".claude/settings.json", ".claude/settings.local.json"),
    ),
    "codex": Host(
        title="Codex",
        after="Codex reads a project's .codex/ when the project is trusted, and runs hooks that "
        "were reviewed: /hooks lists them. /mcp shows the server.",
        files=_codex,
        permission=f'default_tools_approval_mode = "approve" below [mcp_servers.{PROGRAM}]',
        vouch=(".codex/config.toml", ".codex/hooks.json"),
    ),
    # What a hook of Cursor prints does not reach the model: no hooks.
    "cursor": Host(
        title="Cursor",
        after=f"Cursor Settings, MCP: switch {PROGRAM} on.",
        files=_cursor,
        permission='{"mcpAllowlist": ["vouch-sidecar:*"]} in .cursor/permissions.json',
        from_desktop=True,
    ),
    "emacs": Host(
        title="Emacs", after="M-x eglot starts the server.", snippet=(EMACS, "the init file")
    ),
    "helix": Host(
        title="Helix",
        after="hx --health markdown shows the server.",
        snippet=(HELIX, "languages.toml"),
    ),
    "neovim": Host(
        title="Neovim",
        after=":checkhealth vim.lsp shows the server.",
        snippet=(NEOVIM, "init.lua"),
    ),
    "opencode": Host(
        title="OpenCode", after="opencode mcp list shows the server.", files=_opencode
    ),
    "zed": Host(
        title="Zed",
        after="Zed starts it when the project is trusted; the agent panel's settings show it.",
        files=_zed,
        permission='"mcp:vouch-sidecar:kb_context": {"default": "allow"}, and likewise for each '
        "tool, below agent.tool_permissions.tools in its settings",
        from_desktop=True,
    ),
}


def finds(host: Host, env: Env) -> bool:
    """Whether a host finds this program on its PATH."""
    path = DESKTOP_PATH if host.from_desktop else env.get("PATH")
    return shutil.which(PROGRAM, path=path) is not None


def command_for(host: Host, env: Env) -> str:
    """What starts this program for a user: its absolute path where the host would not find it by
    name.
    """
    found = shutil.which(PROGRAM, path=env.get("PATH"))
    absolute = str(Path(found or Path(sys.executable).with_name(PROGRAM)).absolute())
    plain = finds(host, env) or not absolute.isprintable() or " " in absolute
    return PROGRAM if plain else absolute


def integration(host: Host, project: Path | None, env: Env) -> tuple[Path, list[FoundFile]]:
    """The integration of a host with files, for a project or a user: a folder, and its files below
    that. Other machines read those of a project, too, so no absolute path stands there. Raises
    `InstallError`.
    """
    assert host.files is not None
    command = PROGRAM if project else command_for(host, env)
    base, files = host.files(command, project, env)
    return base, find(files, base, user=project is None)


def vouch_hooks(host: Host, base: Path) -> list[str]:
    """vouch's own prompt hooks in the files of a host, by file and line."""
    found = []
    for path in host.vouch:
        try:
            lines = (text_of(base / path) or "").splitlines()
        except UnreadableError:
            continue
        found += [
            f"{path}, line {n}" for n, line in enumerate(lines, 1) if _VOUCH_HOOK.search(line)
        ]
    return found
