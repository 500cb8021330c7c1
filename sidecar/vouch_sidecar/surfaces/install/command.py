"""`vouch-sidecar install`: writes our files, prints what to paste into others, and what is next."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
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
        left = f"take out by hand: this, of {where}" if uninstall else f"paste: this, into {where}"
        say(f"{meant.title}: left to {left}", err=True)
        return
    project = None if user else root or project_of(Path.cwd(), os.environ)
    base, files = meant.files(asked_for(meant, os.environ, project))
    try:
        found = find(files, base, user=user)
        change = _uninstalled if uninstall else _installed
        state = change(found, base, dry_run)
    except InstallError as error:
        raise click.ClickException(f"{error}; nothing was changed") from None
    except OSError as error:
        raise click.ClickException(f"can't be written: {error.strerror}") from None
    if not uninstall:
        for line in _remarks(meant, base, found):
            say(line, err=True)
        here = project or Path.cwd()
        tries = f"`{PROGRAM} doctor` tries a prompt"
        without = f"there is no knowledge base yet; {how_to_begin(here)}"
        state += f"; {tries if discover(here, env=os.environ) else without}"
    say(f"{meant.title}: {state}", err=True)


def project_of(start: Path, env: Mapping[str, str]) -> Path:
    """The folder of the knowledge base at or above a folder, else that."""
    bases = map(Path, discover(start, env=env))
    return next((base for base in bases if start.resolve().is_relative_to(base)), start)


def _installed(found: Sequence[FoundFile], _: Path, dry_run: bool) -> str:
    """Write what is absent or older, and print the rest. The state then, for people."""
    foreign = [file for file in found if file.is_foreign]
    written = [file for file in found if not file.is_foreign and not file.is_current]
    for file in written:
        say(file.difference(), nl=False)
        if not dry_run:
            write(file)
    for file in foreign:
        instead = f", in place of what names {PROGRAM} in {file.naming_us}"
        place = instead if file.naming_us else ""
        say(f"{file.file.path} is somebody else's. Add this to it{place}:", err=True)
        say(file.file.part or file.file.text, nl=False)
    if foreign:
        return f"left to paste: what stands above, into {', '.join(f.file.path for f in foreign)}"
    if not written:
        return "is there"
    return "would be installed" if dry_run else "installed"


def _uninstalled(found: Sequence[FoundFile], base: Path, dry_run: bool) -> str:
    """Remove what is ours. The state then, for people."""
    ours = [file for file in found if file.is_ours]
    for file in ours:
        if not dry_run:
            remove(file, base)
        say(f"{'would remove' if dry_run else 'removed'} {file.file.path}")
    left = [f"{f.file.path}, {f.naming_us}" for f in found if f.is_foreign and f.naming_us]
    if left:
        return f"left to take out by hand: what names {PROGRAM} in {'; '.join(left)}"
    if not ours:
        return "was not there"
    return "would be taken out" if dry_run else "taken out"


def _remarks(host: Host, base: Path, found: Sequence[FoundFile]) -> Iterator[str]:
    """Further remarks for the user."""
    if not all(file.is_current for file in found):
        yield host.after
    if host.permission:
        yield f"To let its tools, which only read, run without asking: {host.permission}."
    if find_spec("mcp") is None:
        yield "The MCP server needs the extra: pip install 'vouch-sidecar[mcp]'"
    if not finds(host, os.environ):
        command = asked_for(host, os.environ, None).command
        yield f"{PROGRAM} is not on the PATH that {host.title} starts with; it is {command}"
    for hook in vouch_hooks(host, base):
        yield f"vouch's own prompt hook gives each prompt a second block; take it out: {hook}"
