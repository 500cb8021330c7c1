"""`vouch-sidecar install`: shows the changes, applies them, explains the next steps."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

import click

from vouch_sidecar.kb.discovery import discover
from vouch_sidecar.surfaces.install import vouch_hooks
from vouch_sidecar.surfaces.install.edits import Edit
from vouch_sidecar.surfaces.install.hosts import host_called
from vouch_sidecar.surfaces.install.hosts.host import Host, Location
from vouch_sidecar.surfaces.install.known_versions import COMMAND
from vouch_sidecar.surfaces.install.plan import FileChange, apply, difference, plan
from vouch_sidecar.surfaces.install.project_files import InstallError
from vouch_sidecar.surfaces.stdio import say

DESKTOP_PATH = "/usr/local/bin:/usr/bin:/bin"
"""The shortest PATH of programs that are started from the desktop."""


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
    """Install or remove the integration with a host. Raises `click.ClickException`."""
    host = host_called(name)
    if host.snippet is not None:
        say(host.snippet, nl=False)
        return
    place = place_of(host, root, env, user=user)
    if not (uninstall or replace_hook or dry_run):
        replace_hook = _confirm_replacing(place)
    edits = _edits(host, place, env, user=user)
    if uninstall or replace_hook:
        edits += [vouch_hooks.TakenOver(path) for path in place.vouch]
    try:
        changes, pastes = plan(edits, place.base, uninstall=uninstall, force=force)
    except InstallError as error:
        raise click.ClickException(f"{error}; nothing was changed") from None
    _show(changes, pastes)
    if not changes and not pastes:
        say(f"{host.title}: {'was not there' if uninstall else 'is there'}.", err=True)
    elif not dry_run:
        _apply(changes)
    if not uninstall:
        is_changed = (changes or pastes) and not dry_run
        remarks = _remarks(host, place, env, user=user, replaced=replace_hook)
        for line in [*([host.after] if is_changed else []), *remarks]:
            say(line, err=True)


def _show(changes: Sequence[FileChange], pastes: Mapping[str, str]) -> None:
    for change in changes:
        say(difference(change), nl=False)
    for path, text in pastes.items():
        say(f"{path} is there already. Add this to it:", err=True)
        say(text, nl=False)


def _apply(changes: Sequence[FileChange]) -> None:
    try:
        apply(changes)
    except InstallError as error:
        raise click.ClickException(str(error)) from None


def _confirm_replacing(place: Location) -> bool:
    """Ask on a terminal whether to replace vouch's own prompt hook, if there is one."""
    doubled = vouch_hooks.hooks(place.base, place.vouch)
    if not doubled or not sys.stdin.isatty():
        return False
    return click.confirm(
        f"vouch's own prompt hook is in {_listed(doubled)}. Take it over?", err=True
    )


def place_of(host: Host, root: Path | None, env: Mapping[str, str], *, user: bool) -> Location:
    """The location of the integration with a host that has one, not just a snippet."""
    where = host.user(env) if user and host.user else None
    if where is None and host.project is not None:
        start = root or Path.cwd()
        found = [] if root else [Path(one) for one in discover(start, env=env)]
        above = next((one for one in found if start.resolve().is_relative_to(one)), start)
        where = host.project(above)
    assert where is not None, "a host has a place or a snippet"
    return where


def found_by(host: Host, env: Mapping[str, str]) -> bool:
    """Whether a host finds our command on its PATH."""
    path = DESKTOP_PATH if host.from_desktop else env.get("PATH")
    return shutil.which(COMMAND, path=path) is not None


def _command(env: Mapping[str, str]) -> str:
    """The absolute path of this program."""
    found = shutil.which(COMMAND, path=env.get("PATH"))
    return str(Path(found or Path(sys.executable).with_name(COMMAND)).absolute())


def _edits(host: Host, place: Location, env: Mapping[str, str], *, user: bool) -> list[Edit]:
    """The edits of the integration. A user's integration contains the command's absolute path if
    the host would not find it by name; a project's does not, because other machines read it, too.
    """
    command = _command(env)
    if not user or found_by(host, env) or not command.isprintable() or " " in command:
        return list(place.edits)
    return [edit.calling(command) for edit in place.edits]


def _remarks(
    host: Host, place: Location, env: Mapping[str, str], *, user: bool, replaced: bool
) -> list[str]:
    """Further remarks for the user."""
    remarks = []
    if host.permission:
        remarks.append(f"To let its tools, which only read, run without asking: {host.permission}.")
    if find_spec("mcp") is None:
        remarks.append("The MCP server needs the extra: pip install 'vouch-sidecar[mcp]'")
    if not found_by(host, env):
        command = _command(env)
        named = "the integration names" if user and " " not in command else "it needs"
        remarks.append(
            f"{COMMAND} is not on the PATH that {host.title} starts with: {named} {command}"
        )
    hooks = [] if replaced else vouch_hooks.hooks(place.base, place.vouch)
    servers = vouch_hooks.servers(place.base, place.vouch)
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
