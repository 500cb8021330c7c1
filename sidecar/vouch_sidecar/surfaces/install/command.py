"""`vouch-sidecar install`: writes our files, prints what to paste into others, and what is next."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import click

from vouch_sidecar.kb.beginning import how_to_begin
from vouch_sidecar.kb.discovery import discover
from vouch_sidecar.surfaces.install.files import PROGRAM, FoundFile, InstallError, remove, write
from vouch_sidecar.surfaces.install.hosts import (
    HOSTS,
    Host,
    command_for,
    finds,
    integration,
    vouch_hooks,
)
from vouch_sidecar.surfaces.stdio import say


@click.command()
@click.argument("host", type=click.Choice(sorted(HOSTS)))
@click.option("--user", is_flag=True, help="For all projects of this user.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--uninstall", is_flag=True, help="Take out what bears our mark.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the project.  [default: that of the knowledge base, else .]",
)
def install(host: str, root: Path | None, user: bool, dry_run: bool, uninstall: bool) -> None:
    """Integrate this with a host: an agent or an editor.

    Write files where none are, and renew those that this wrote. Of a file that is somebody else's,
    print what to add to it.
    """
    meant = HOSTS[host]
    if meant.files is None:
        text, where = meant.snippet
        say(text, nl=False)
        say(f"{'Take this out of' if uninstall else 'Paste this into'} {where}.", err=True)
        return
    project = None if user else root or project_of(Path.cwd(), os.environ)
    try:
        base, found = integration(meant, project, os.environ)
        for each in found if not dry_run else ():  # before a word is said, which may go unread
            if uninstall and each.state in ("current", "older"):
                remove(each, base)
            elif not uninstall and each.state in ("absent", "older"):
                write(each)
    except InstallError as error:
        raise click.ClickException(f"{error}; nothing was changed") from None
    except OSError as error:
        raise click.ClickException(f"can't be written: {error.strerror}") from None
    for each in found:
        (_say_uninstalled if uninstall else _say_installed)(each, dry_run)
    if not uninstall:
        for remark in _remarks(meant, base, project or Path.cwd(), found):
            say(remark, err=True)


def project_of(start: Path, env: Mapping[str, str]) -> Path:
    """The folder of the knowledge base at or above a folder, else that."""
    bases = map(Path, discover(start, env=env))
    return next((base for base in bases if start.resolve().is_relative_to(base)), start)


def _say_installed(found: FoundFile, dry_run: bool) -> None:
    """Print that a file was written, or what belongs into one of others."""
    path, text = found.file.path, found.file.text
    if found.state == "foreign":
        instead = f", in place of what names {PROGRAM} there" if found.names_us else ""
        say(f"{path} is somebody else's. Add this to it{instead}:", err=True)
        say(found.file.part or text, nl=False)
    elif found.state == "current":
        say(f"{path} is there")
    else:
        say(f"would write {path}:\n{text.rstrip()}" if dry_run else f"wrote {path}")


def _say_uninstalled(found: FoundFile, dry_run: bool) -> None:
    """Print that a file was removed, or what is left to take out of it."""
    if found.state in ("current", "older"):
        say(f"{'would remove' if dry_run else 'removed'} {found.file.path}")
    elif found.names_us:
        say(f"take out by hand what names {PROGRAM} in {found.file.path}", err=True)


def _remarks(host: Host, base: Path, folder: Path, found: list[FoundFile]) -> list[str]:
    """What is left to do."""
    remarks = [] if all(each.state == "current" for each in found) else [host.after]
    if host.permission:
        remarks += [f"To let its tools, which only read, run without asking: {host.permission}."]
    if find_spec("mcp") is None:
        remarks += ["The MCP server needs the extra: pip install 'vouch-sidecar[mcp]'"]
    if not finds(host, os.environ):
        command = command_for(host, os.environ)
        remarks += [f"{PROGRAM} is not on the PATH that {host.title} starts with; it is {command}"]
    for hook in vouch_hooks(host, base):
        remarks += [
            f"vouch's own prompt hook gives each prompt a second block; take it out: {hook}"
        ]
    if discover(folder, env=os.environ):
        return [*remarks, f"`{PROGRAM} doctor` tries a prompt."]
    return [*remarks, f"There is no knowledge base yet; {how_to_begin(folder)}"]
