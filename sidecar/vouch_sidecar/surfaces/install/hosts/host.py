"""Describes a host: an agent or editor with which this program integrates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vouch_sidecar.surfaces.install.edits import Edit
from vouch_sidecar.surfaces.install.known_versions import COMMAND as COMMAND
from vouch_sidecar.surfaces.install.known_versions import ENV as ENV
from vouch_sidecar.surfaces.install.known_versions import HOOK as HOOK
from vouch_sidecar.surfaces.install.known_versions import PREFIX as PREFIX

NAME = "vouch-sidecar"
MCP = ("mcp",)
ENV_TABLE = "{ " + ", ".join(f'{name} = "{value}"' for name, value in ENV.items()) + " }"
"""`ENV` as a table in TOML or Lua."""

Env = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Location:
    """A folder, and the edits of files below it that make up an integration."""

    base: Path
    edits: Sequence[Edit]
    vouch: Sequence[PurePosixPath] = ()
    """Files below the folder that may contain vouch's own integration."""


@dataclass(frozen=True, slots=True)
class Host:
    """A host. `project` and `user` return the location of an integration for one project or all;
    `snippet` is the text for users to paste, if there is no file to write.
    """

    title: str
    after: str
    project: Callable[[Path], Location] | None = None
    user: Callable[[Env], Location] | None = None
    snippet: str | None = None
    permission: str | None = None
    """The host's setting that lets it call the tools without asking, and its file."""
    from_desktop: bool = False
    """Whether it starts from the desktop, without the PATH of a shell."""


def home(env: Env) -> Path:
    """The user's home folder."""
    return Path(env["HOME"]) if env.get("HOME") else Path.home()


def config_home(env: Env) -> tuple[Path, PurePosixPath]:
    """The user's configuration folder: a folder that exists, and the rest of the path below it."""
    named = Path(env.get("XDG_CONFIG_HOME", ""))
    if named.is_absolute():
        return named, PurePosixPath()
    return home(env), PurePosixPath(".config")
