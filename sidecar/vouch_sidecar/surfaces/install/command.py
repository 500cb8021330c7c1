"""`vouch-sidecar install`: writes our files, prints what to paste into others, and what is next."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import click

from vouch_sidecar.api import engine_on
from vouch_sidecar.engine import Caller
from vouch_sidecar.engine.first_read import FirstRead
from vouch_sidecar.kb.discovery import HOW_TO_BEGIN, discover
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.sanitize import count, one_line
from vouch_sidecar.operations.readiness import READY_SECONDS
from vouch_sidecar.surfaces.console.options import MissingKnowledgeBaseError, roots_from
from vouch_sidecar.surfaces.install import vouch_hooks
from vouch_sidecar.surfaces.install.host_files import (
    ExaminedFile,
    FileState,
    InstallError,
    examine,
    remove,
    write,
)
from vouch_sidecar.surfaces.install.hosts import host_called
from vouch_sidecar.surfaces.install.hosts.host import PROGRAM_NAME, Host, Location
from vouch_sidecar.surfaces.install.program import COMMAND, ENV
from vouch_sidecar.surfaces.stdio import leave, say

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
) -> None:
    """Install or remove the integration with a host. Raises `click.ClickException`."""
    host = host_called(name)
    if host.snippet is not None:
        text, where = host.snippet
        say(text, nl=False)
        left = f"take out by hand: this, of {where}" if uninstall else f"paste: this, into {where}"
        say(f"{host.title}: left to {left}", err=True)
        return
    place = place_of(host, root, env, user=user)
    try:
        files = examine(place.files, place.base, user=user)
    except InstallError as error:
        raise click.ClickException(f"{error}; nothing was changed") from None
    if uninstall:
        state = _uninstall(files, place.base, dry_run=dry_run)
        say(f"{host.title}: {state}", err=True)
        return
    state = _install(files, dry_run=dry_run)
    for line in _remarks(host, place, files, env, user=user):
        say(line, err=True)
    contents = _contents(root)
    say(f"{host.title}: {state}; {contents or 'its claims are still being read'}", err=True)
    if contents is None:
        leave(0)


def _install(files: Sequence[ExaminedFile], *, dry_run: bool) -> str:
    """Write our files and print what to paste. Returns the state of the integration, for people."""
    written = [file for file in files if file.state in {FileState.ABSENT, FileState.OUTDATED}]
    foreign = [file for file in files if file.state is FileState.FOREIGN]
    for file in written:
        say(file.difference(file.file.text), nl=False)
    for file in foreign:
        instead = (
            f", in place of what names {PROGRAM_NAME} in {file.naming_us}" if file.naming_us else ""
        )
        say(f"{file.shown} is there already. Add this to it{instead}:", err=True)
        say(file.file.part, nl=False)
    for file in [] if dry_run else written:
        try:
            write(file)
        except OSError as error:
            raise _failure(file, error) from None
    if foreign:
        return f"left to paste: what stands above, into {', '.join(f.shown for f in foreign)}"
    if not written:
        return "is there"
    return "would be installed" if dry_run else "installed"


def _uninstall(files: Sequence[ExaminedFile], base: Path, *, dry_run: bool) -> str:
    """Remove our files. Returns what became of the integration, for people."""
    removed = [file for file in files if file.state in {FileState.CURRENT, FileState.OUTDATED}]
    for file in removed:
        if not dry_run:
            try:
                remove(file, base)
            except OSError as error:
                raise _failure(file, error) from None
        say(f"{'would remove' if dry_run else 'removed'} {file.shown}")
    naming_us = [file for file in files if file.naming_us and file not in removed]
    if changed := [file.shown for file in naming_us if file.is_changed]:
        return f"left to delete by hand, as they were changed since: {', '.join(changed)}"
    if naming_us:
        left = "; ".join(f"{file.shown}, {file.naming_us}" for file in naming_us)
        return f"left to take out by hand: what names {PROGRAM_NAME} in {left}"
    if not removed:
        return "was not there"
    return "would be taken out" if dry_run else "taken out"


def _failure(file: ExaminedFile, error: OSError) -> click.ClickException:
    return click.ClickException(f"{file.shown} can't be written: {error.strerror}")


def _contents(root: Path | None) -> str | None:
    """The number of claims that the host will find, and a prompt to try; None while these are still
    being read, which holds up the end of the process.
    """
    try:
        engine = engine_on(roots_from(root))
    except MissingKnowledgeBaseError:
        return f"there is no knowledge base yet; {HOW_TO_BEGIN}"
    FirstRead(engine.collections.values()).publish(engine, READY_SECONDS)
    if not engine.registry.complete:
        return None
    views = [kb.view for kb in engine.serving(Caller())]
    claims = count(sum(view.counts.artifacts(Kind.CLAIM) for view in views), "claim")
    entities = [
        (view.counts.claims_of(entity.id), entity.name)
        for view in views
        for entity in view.knowledge.names.entities()
    ]
    most, name = max(entities, default=(0, ""))
    return f"{claims}; try: What is known about {one_line(name)}?" if most else claims


def place_of(host: Host, root: Path | None, env: Mapping[str, str], *, user: bool) -> Location:
    """The location of the integration with a host that has one, not just a snippet."""
    if user and host.user:
        return host.user(env, command_for(host, env, user=True))
    assert host.project is not None, "a host has a place or a snippet"
    start = root or Path.cwd()
    roots = [] if root else [Path(folder) for folder in discover(start, env=env)]
    above = next((folder for folder in roots if start.resolve().is_relative_to(folder)), start)
    return host.project(above)


def found_by(host: Host, env: Mapping[str, str]) -> bool:
    """Whether a host finds our command on its PATH."""
    path = DESKTOP_PATH if host.from_desktop else env.get("PATH")
    return shutil.which(COMMAND, path=path) is not None


def command_for(host: Host, env: Mapping[str, str], *, user: bool) -> str:
    """The command by which an integration starts this program. A user's integration contains its
    absolute path if the host would not find it by name; a project's does not, because other
    machines read it, too.
    """
    command = _absolute(env)
    if not user or found_by(host, env) or not command.isprintable() or " " in command:
        return COMMAND
    return command


def _absolute(env: Mapping[str, str]) -> str:
    """The absolute path of this program."""
    program = shutil.which(COMMAND, path=env.get("PATH"))
    return str(Path(program or Path(sys.executable).with_name(COMMAND)).absolute())


def _remarks(
    host: Host,
    place: Location,
    files: Sequence[ExaminedFile],
    env: Mapping[str, str],
    *,
    user: bool,
) -> list[str]:
    """Further remarks for the user."""
    states = {file.state for file in files}
    command = command_for(host, env, user=user)
    remarks = [] if states <= {FileState.CURRENT, FileState.PASTED} else [host.after]
    if host.adds_servers and FileState.FOREIGN in states:
        variables = " ".join(f"--env {name}={value}" for name, value in ENV.items())
        adds = f"{host.adds_servers} {PROGRAM_NAME} {variables} -- {command} mcp"
        remarks.append(f"{host.title} can add the MCP server itself, for you alone: {adds}")
    if host.permission:
        remarks.append(f"To let its tools, which only read, run without asking: {host.permission}.")
    if find_spec("mcp") is None:
        remarks.append("The MCP server needs the extra: pip install 'vouch-sidecar[mcp]'")
    if not found_by(host, env):
        needs = "it needs" if command == COMMAND else "the integration names"
        remarks.append(
            f"{COMMAND} is not on the PATH that {host.title} starts with: {needs} {_absolute(env)}"
        )
    remarks += [
        f"vouch's own prompt hook gives each prompt a second block; take it out: {hook}"
        for hook in vouch_hooks.hooks(place.base, place.vouch)
    ]
    if servers := vouch_hooks.servers(place.base, place.vouch):
        remarks.append(
            f"vouch's own MCP server is in {', '.join(map(str, servers))}: the model sees tools of "
            "the same names (kb_search, kb_context) twice. vouch's also write; both may stay."
        )
    return remarks
