"""`vouch-sidecar install`: shows what changes, changes it, says what comes next."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

import click

from vouch_sidecar.kb.discovery import discover
from vouch_sidecar.surfaces.install import vouch
from vouch_sidecar.surfaces.install.earlier import COMMAND
from vouch_sidecar.surfaces.install.errors import InstallError
from vouch_sidecar.surfaces.install.hosts import host_called
from vouch_sidecar.surfaces.install.hosts.host import Host, Place
from vouch_sidecar.surfaces.install.pieces import Piece
from vouch_sidecar.surfaces.install.plan import Edit, apply, difference, plan
from vouch_sidecar.surfaces.stdio import say

__all__ = ["found_by", "place_of", "run_install"]

DESKTOP_PATH = "/usr/local/bin:/usr/bin:/bin"
"""The PATH that a program started from the desktop has at least."""


def run_install(
    name: str,
    root: Path | None,
    env: Mapping[str, str],
    *,
    user: bool,
    dry_run: bool,
    uninstall: bool,
    force: bool,
    replace_hook: bool,
) -> None:
    """Put the plug of a host in, or take it out. Raises `click.ClickException`."""
    host = host_called(name)
    if host.snippet is not None:
        say(host.snippet, nl=False)
        return
    place = place_of(host, root, env, user=user)
    if not (uninstall or replace_hook or dry_run):
        replace_hook = _taken_over(place)
    pieces = _pieces(host, place, env, user=user)
    if uninstall or replace_hook:
        pieces += [vouch.TakenOver(path) for path in place.vouch]
    try:
        edits = plan(pieces, place.base, uninstall=uninstall, force=force)
    except InstallError as error:
        raise click.ClickException(f"{error}; nothing was changed") from None
    for edit in edits:
        say(difference(edit), nl=False)
    if not edits:
        say(f"{host.title}: {'was not there' if uninstall else 'is there'}.", err=True)
    elif not dry_run:
        _apply(edits)
    if not uninstall:
        remarks = _remarks(host, place, env, user=user, replaced=replace_hook)
        for line in [*([host.after] if edits and not dry_run else []), *remarks]:
            say(line, err=True)


def _apply(edits: Sequence[Edit]) -> None:
    try:
        apply(edits)
    except InstallError as error:
        raise click.ClickException(str(error)) from None


def _taken_over(place: Place) -> bool:
    """Whether the user, asked on a terminal, wants vouch's own prompt hook to be taken over."""
    doubled = vouch.hooks(place.base, place.vouch)
    if not doubled or not sys.stdin.isatty():
        return False
    return click.confirm(
        f"vouch's own prompt hook is in {_listed(doubled)}. Take it over?", err=True
    )


def place_of(host: Host, root: Path | None, env: Mapping[str, str], *, user: bool) -> Place:
    """Where the plug of a host that has one goes."""
    where = host.user(env) if user and host.user else None
    if where is None and host.project is not None:
        start = root or Path.cwd()
        found = [] if root else [Path(one) for one in discover(start, env=env)]
        above = next((one for one in found if start.resolve().is_relative_to(one)), start)
        where = host.project(above)
    assert where is not None, "a host has a place or a snippet"
    return where


def found_by(host: Host, env: Mapping[str, str]) -> bool:
    """Whether a host finds the command by its name."""
    path = DESKTOP_PATH if host.from_desktop else env.get("PATH")
    return shutil.which(COMMAND, path=path) is not None


def _command(env: Mapping[str, str]) -> str:
    """The absolute path of this program."""
    found = shutil.which(COMMAND, path=env.get("PATH"))
    return str(Path(found or Path(sys.executable).with_name(COMMAND)).absolute())


def _pieces(host: Host, place: Place, env: Mapping[str, str], *, user: bool) -> list[Piece]:
    """The parts of the plug. The plug of a user names the absolute path of the command where the
    host would not find it; that of a project does not, because other machines read it too.
    """
    command = _command(env)
    if not user or found_by(host, env) or not command.isprintable() or " " in command:
        return list(place.pieces)
    return [piece.calling(command) for piece in place.pieces]


def _remarks(
    host: Host, place: Place, env: Mapping[str, str], *, user: bool, replaced: bool
) -> list[str]:
    """What the user should know besides."""
    remarks = []
    if host.permission:
        remarks.append(f"To let its tools, which only read, run without asking: {host.permission}.")
    if find_spec("mcp") is None:
        remarks.append("The MCP server needs the extra: pip install 'vouch-sidecar[mcp]'")
    if not found_by(host, env):
        command = _command(env)
        named = "the plug names" if user and " " not in command else "it needs"
        remarks.append(
            f"{COMMAND} is not on the PATH that {host.title} starts with: {named} {command}"
        )
    hooks = [] if replaced else vouch.hooks(place.base, place.vouch)
    servers = vouch.servers(place.base, place.vouch)
    if hooks:
        remarks.append(
            f"vouch's own prompt hook is in {_listed(hooks)}: each prompt gets context twice. "
            "--replace-vouch-hook takes it over, --uninstall gives it back."
        )
    if servers:
        remarks.append(
            f"vouch's own MCP server is in {_listed(servers)}: the model sees tools of the same "
            "names (kb_search, kb_context) twice. vouch's also write; both may stay."
        )
    return remarks


def _listed(paths: Sequence[PurePosixPath]) -> str:
    return ", ".join(map(str, paths))
