"""`vouch-sidecar install`: writes files that are absent, renews and removes those that bear our
mark, and changes no other; prints what to paste into these, and what is next.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import click

from vouch_sidecar.kb.discovery import find, is_in_kb
from vouch_sidecar.kb.safe_files import UnreadableError, read_bounded
from vouch_sidecar.surfaces.console.options import NEEDS_MCP, PROGRAM, how_to_begin, location
from vouch_sidecar.surfaces.install.hosts import (
    HOSTS,
    MARK,
    SNIPPETS,
    Host,
    HostFile,
)
from vouch_sidecar.surfaces.stdio import say

MAX_FILE = 16 << 20
NAMES = sorted({*HOSTS, *SNIPPETS})
_VOUCH_HOOK = re.compile(r"(?<![^\s/\"'])vouch(?:-kb)? context-hook\b")


@click.command(epilog=f"A host is one of {', '.join(NAMES)}.")
@click.argument("host", type=click.Choice(NAMES), metavar="HOST")
@click.option("--user", is_flag=True, help="For all projects of this user.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--uninstall", is_flag=True, help="Take out what this wrote.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the project.  [default: that of the knowledge base, else .]",
)
def install(host: str, root: Path | None, user: bool, dry_run: bool, uninstall: bool) -> None:
    """Integrate this with a host: an agent or an editor.

    Write files where none are, and renew those that this wrote. Of a file with other content, print
    what to add to it.
    """
    if host in SNIPPETS:
        text, where = SNIPPETS[host]
        say(text, nl=False)
        say(f"{'Take this out of' if uninstall else 'Paste this into'} {where}.", err=True)
        return
    meant = HOSTS[host]
    project = None if user else root or project_of(Path.cwd())
    try:
        base, found = integration(meant, project)
        for each in found:
            if uninstall:
                _uninstall(each, base, dry_run)
            else:
                _install(each, dry_run)
    except OSError as error:
        raise click.ClickException(f"can't be written: {error.strerror}") from None
    if not uninstall:
        for remark in _remarks(meant, base, project, found):
            say(remark, err=True)


def project_of(start: Path) -> Path:
    """The folder of the knowledge base at or above a folder, else that."""
    trees = [Path(place.tree) for place in find(start, os.environ).places]
    return next((tree for tree in trees if start.resolve().is_relative_to(tree)), start)


def _install(found: FoundFile, dry_run: bool) -> None:
    """Write a file, or print what belongs into one of others. Raises OSError."""
    path, text = found.name, found.file.text
    if found.is_current:
        say(f"{path} is there")
    elif found.before is not None and not found.is_ours:
        what = f"What names {PROGRAM} there is to be" if found.names_us else "Add to it"
        say(f"{path} has other content, which stays. {what}:", err=True)
        say(text, nl=False)
    elif dry_run:
        say(f"would write {path}:\n{text.rstrip()}")
    else:
        found.path.parent.mkdir(parents=True, exist_ok=True)
        found.path.write_bytes(text.encode())
        say(f"wrote {path}")


def _uninstall(found: FoundFile, base: Path, dry_run: bool) -> None:
    """Remove a file, or print what is left to take out of it. Raises OSError."""
    if found.is_ours:
        if not dry_run:
            _remove(found, base)
        say(f"{'would remove' if dry_run else 'removed'} {found.name}")
    elif found.names_us:
        say(f"take out by hand what names {PROGRAM} in {found.name}", err=True)
    elif found.before is None:
        say(f"{found.name} is not there", err=True)


def _remarks(host: Host, base: Path, project: Path | None, found: list[FoundFile]) -> Iterator[str]:
    """What is left to do."""
    if not all(each.is_current for each in found):
        yield host.after
    if host.permission:
        yield f"To let its tools, which only read, run without asking: {host.permission}."
    yield from faults(host, base, project)
    start = project or Path.cwd()
    bases = find(start, os.environ)
    yield f"`{PROGRAM} doctor` tries a prompt." if bases.places else how_to_begin(bases, start)


def faults(host: Host, base: Path, project: Path | None) -> Iterator[str]:
    """What keeps an integration from working, or has it work twice."""
    if find_spec("mcp") is None:
        yield NEEDS_MCP
    if _command_for(project) == PROGRAM and shutil.which(PROGRAM) is None:
        yield f"{PROGRAM} is not on the PATH that {host.title} starts with; it is {location()}"
    for path in host.vouch:
        with suppress(UnreadableError):
            if _VOUCH_HOOK.search(_text_of(base / path) or ""):
                named = _before(base, project) + path
                yield f"vouch's own prompt hook gives each prompt a second block; it is in {named}"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of an integration, what it is called in messages, where it lies, and what stands
    there; None if nothing does.
    """

    file: HostFile
    name: str
    path: Path
    before: str | None

    @property
    def is_current(self) -> bool:
        """White space is not compared."""
        return (self.before or "").split() == self.file.text.split()

    @property
    def is_ours(self) -> bool:
        """What others may write into is ours only as it is now."""
        bears_mark = not self.file.is_shared and MARK in (self.before or "")
        return self.is_current or bears_mark

    @property
    def names_us(self) -> bool:
        return PROGRAM in (self.before or "")


def integration(host: Host, project: Path | None) -> tuple[Path, list[FoundFile]]:
    """The integration of a host, for a project or a user: a folder, and its files below it. Raises
    `ClickException` if a file can't be read, is in `.vouch/`, or lies behind a link: in a project
    behind any, as who wrote the project chose it; at home behind one that leads out.
    """
    base, files = host.files(_command_for(project), project)
    found, root = [], base.resolve()
    for file in files:
        name = _before(base, project) + file.path
        try:
            path = (root / file.path).resolve()
            before = _text_of(path)
        except (OSError, RuntimeError, UnreadableError) as error:  # of a link that leads to itself
            raise click.ClickException(
                f"{name} can't be read: {error}; nothing was changed"
            ) from None
        if path != root / file.path and not (project is None and path.is_relative_to(root)):
            raise click.ClickException(f"{name} lies behind a link: nothing is written through one")
        if is_in_kb(path):
            raise click.ClickException(f"{name} lies in a knowledge base: nothing is written")
        found.append(FoundFile(file, name, path, before))
    return base, found


def _before(base: Path, project: Path | None) -> str:
    """What paths below the base of an integration begin with in messages: of a user, the base."""
    return "" if project else f"{base}/".replace(f"{Path.home()}/", "~/")


def _text_of(path: Path) -> str | None:
    """The text of a file; None if it does not exist. Raises UnreadableError if it is no regular
    file, or larger than `MAX_FILE` bytes.
    """
    try:
        return read_bounded(path, MAX_FILE).decode("utf-8", "replace")
    except FileNotFoundError:
        return None


def _remove(found: FoundFile, base: Path) -> None:
    """Remove a file, and the folders below `base` that are empty then. Raises OSError."""
    found.path.unlink()
    for folder in found.path.parents:
        if folder == base.resolve() or any(folder.iterdir()):
            return
        folder.rmdir()


def _command_for(project: Path | None) -> str:
    """What starts this program: in a project its name, as other machines read that, too; for a user
    its absolute path. One that a shell would read otherwise stays a name: hosts run hooks in one.
    """
    path = location()
    return PROGRAM if project or shlex.quote(path) != path else path
