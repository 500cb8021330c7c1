"""`vouch-sidecar install`: writes our files, prints what to paste into others, and what is next."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import click

from vouch_sidecar.kb.beginning import how_to_begin
from vouch_sidecar.kb.discovery import discover
from vouch_sidecar.surfaces.install.files import (
    PROGRAM,
    FoundFile,
    InstallError,
    find,
    remove,
    write,
)
from vouch_sidecar.surfaces.install.hosts import HOSTS, Host, asked_for, finds, vouch_hooks
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
    base, files = meant.files(asked_for(meant, os.environ, project))
    try:
        found = find(files, base, user=user)
        if not dry_run:  # all of it before a word is said, which nobody may read any more
            _change(found, base, uninstall)
    except InstallError as error:
        raise click.ClickException(f"{error}; nothing was changed") from None
    except OSError as error:
        raise click.ClickException(f"can't be written: {error.strerror}") from None
    if uninstall:
        _say_uninstalled(found, dry_run)
    else:
        _say_installed(found, dry_run)
        _remark(meant, base, project or Path.cwd(), found)


def _change(found: list[FoundFile], base: Path, uninstall: bool) -> None:
    """Remove what is ours, or write what is absent or older."""
    for each in found:
        if uninstall and each.is_ours:
            remove(each, base)
        elif not (uninstall or each.is_foreign or each.is_current):
            write(each)


def project_of(start: Path, env: Mapping[str, str]) -> Path:
    """The folder of the knowledge base at or above a folder, else that."""
    bases = map(Path, discover(start, env=env))
    return next((base for base in bases if start.resolve().is_relative_to(base)), start)


def _say_installed(found: list[FoundFile], dry_run: bool) -> None:
    """Print what was written, and what belongs into files of others."""
    for each in found:
        path = each.file.path
        if each.is_foreign:
            instead = f", in place of what names {PROGRAM} there" if each.names_us else ""
            say(f"{path} is somebody else's. Add this to it{instead}:", err=True)
            say(each.file.part or each.file.text, nl=False)
        elif each.is_current:
            say(f"{path} is there")
        elif dry_run:
            say(f"would write {path}:\n{each.file.text}", nl=False)
        else:
            say(f"wrote {path}")


def _say_uninstalled(found: list[FoundFile], dry_run: bool) -> None:
    """Print what was removed, and what is left to take out."""
    for each in found:
        if each.is_ours:
            say(f"{'would remove' if dry_run else 'removed'} {each.file.path}")
        elif each.names_us:
            say(f"take out by hand what names {PROGRAM} in {each.file.path}", err=True)


def _remark(host: Host, base: Path, folder: Path, found: list[FoundFile]) -> None:
    """Print what is left to do."""
    remarks = [] if all(each.is_current for each in found) else [host.after]
    if host.permission:
        remarks += [f"To let its tools, which only read, run without asking: {host.permission}."]
    if find_spec("mcp") is None:
        remarks += ["The MCP server needs the extra: pip install 'vouch-sidecar[mcp]'"]
    if not finds(host, os.environ):
        command = asked_for(host, os.environ, None).command
        remarks += [f"{PROGRAM} is not on the PATH that {host.title} starts with; it is {command}"]
    for hook in vouch_hooks(host, base):
        remarks += [
            f"vouch's own prompt hook gives each prompt a second block; take it out: {hook}"
        ]
    if discover(folder, env=os.environ):
        remarks += [f"`{PROGRAM} doctor` tries a prompt."]
    else:
        remarks += [f"There is no knowledge base yet; {how_to_begin(folder)}"]
    for remark in remarks:
        say(remark, err=True)
