"""Describes a host: an agent or editor with which this program integrates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vouch_sidecar.surfaces.install.host_files import HostFile
from vouch_sidecar.surfaces.install.program import COMMAND as COMMAND
from vouch_sidecar.surfaces.install.program import ENV as ENV
from vouch_sidecar.surfaces.install.program import ENV_PREFIX as ENV_PREFIX
from vouch_sidecar.surfaces.install.program import ENV_TABLE as ENV_TABLE

PROGRAM_NAME = "vouch-sidecar"
MCP = ("mcp",)

Env = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Location:
    """A folder, and the files below it that make up an integration."""

    base: Path
    files: Sequence[HostFile]
    vouch: Sequence[PurePosixPath] = ()
    """Files below the folder that may contain vouch's own integration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A host. `after` tells its user what is left to do. `project` and `user` return the location
    of an integration for one project or all; a user's starts this program by a command that is
    given, because no other machine reads it.
    """

    title: str
    after: str
    project: Callable[[Path], Location] | None = None
    user: Callable[[Env, str], Location] | None = None
    snippet: tuple[str, str] | None = None
    """If there is no file to write: the text for users to paste, and where."""
    adds_servers: str | None = None
    """The host's own command that adds an MCP server to its settings."""
    permission: str | None = None
    """The host's setting that lets it call the tools without asking, and its file."""
    from_desktop: bool = False
    """Whether it starts from the desktop, without the PATH of a shell."""


def home(env: Env) -> Path:
    """The user's home folder."""
    return Path(env["HOME"]) if env.get("HOME") else Path.home()


def config_home(env: Env) -> tuple[Path, PurePosixPath]:
    """The user's configuration folder: a folder that exists, and the rest of the path below it."""
    folder = Path(env.get("XDG_CONFIG_HOME", ""))
    if folder.is_absolute():
        return folder, PurePosixPath()
    return home(env), PurePosixPath(".config")
