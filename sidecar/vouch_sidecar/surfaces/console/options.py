"""The options of commands, the knowledge bases that they mean, and what to do where there is none.
Imports no engine.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from glob import glob
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from vouch_sidecar.kb.discovery import FORCED, Found, find, start_folder, why_none, why_refused
from vouch_sidecar.kb.sanitize import count, escaped
from vouch_sidecar.surfaces.stdio import say

PROGRAM = "vouch-sidecar"
PLACES = (
    *("docs/adr", "docs/adrs", "docs/decisions", "docs/architecture/decisions", "docs/rfcs"),
    *("doc/adr", "adr", "adrs", "rfcs", "docs"),
)
"""Where decisions and other documents lie, of equally full ones the likeliest place first."""
ROOT_OPTION: dict[str, Any] = {
    "type": click.Path(readable=False),  # `start_at` looks at it
    "help": "Folder to look for the knowledge base from.  [default: .]",
}
root_option = click.option("--root", **ROOT_OPTION)
_INSTALL = (  # in an environment that uv made there is no pip
    f"{sys.executable} -m pip install"
    if find_spec("pip")
    else f"uv pip install --python {sys.prefix}"
)
NEEDS_MCP = f"The MCP server needs the package mcp: `{_INSTALL} 'mcp<2'`"


class MissingKnowledgeBaseError(click.ClickException):
    """There is no knowledge base to ask. The command exits with 2."""

    exit_code = 2


def common_options() -> list[click.Parameter]:
    """The options of every command that asks a knowledge base."""
    return [
        click.Option(["--root"], **ROOT_OPTION),
        click.Option(["--json", "as_json"], is_flag=True, help="Print the result as JSON."),
        click.Option(["--header"], is_flag=True, help="In a pipe, begin with the columns' names."),
        click.Option(
            ["--project"],
            help="Project to ask as: claims of others don't count.  [default: VOUCH_PROJECT, else "
            "its own]",
        ),
        click.Option(["--agent"], help="Agent to ask as: its private claims count."),
    ]


def found_from(root: str | None) -> Found:
    """The knowledge bases found from a folder; None: the working folder. Raises
    `MissingKnowledgeBaseError`.
    """
    found = find(start := start_at(root), os.environ)
    if not found.places:
        raise MissingKnowledgeBaseError(how_to_begin(found, start))
    for folder in found.refused:
        say(f"vouch-sidecar: {why_refused(folder)}", err=True)
    return found


def how_to_begin(found: Found, start: Path) -> str:
    """Why no knowledge base is found from a folder, and, where none is there, the commands that
    make one: of the documents there, where some lie in a usual place.
    """
    is_there = found.refused or os.environ.get(FORCED)
    how = "" if is_there else f"; {_commands(start)}"
    return escaped(why_none(found, start, os.environ) + how)


def _commands(folder: Path) -> str:
    held = {place: len(glob("*.md", root_dir=Path(folder, place))) for place in PLACES}  # noqa: PTH207  # raises nothing
    place, files = max(held.items(), key=lambda each: each[1])
    if files:
        each = f'for file in {place}/*.md; do vouch ingest "$file"; done'
        return (
            f"to make one of {place}, {count(files, 'file')}: `pipx install vouch-kb`, "
            f"`vouch init`, `{each}`; `vouch-sidecar demo` shows an example"
        )
    return (
        "to make one: `pipx install vouch-kb`, then `vouch init` in the folder of your project; "
        "`--root FOLDER` looks elsewhere; `vouch-sidecar demo` shows an example"
    )


def start_at(root: str | None, folder: str = "") -> Path:
    """The path from which the search for knowledge bases starts, for who stands in a folder, by
    default that of this process. Raises `BadParameter`.
    """
    if root is None:
        return Path(start_folder(os.environ))
    start = Path(folder, root)
    if not (root and os.path.exists(start)):  # noqa: PTH110 - raises nothing
        raise click.BadParameter(f"Path {root!r} does not exist.", param_hint="'--root'")
    return start


def location() -> str:
    """The absolute path of this program."""
    return str(Path(shutil.which(PROGRAM) or Path(sys.executable).with_name(PROGRAM)).absolute())


def program() -> str:
    """What starts this program in a shell of the user: its path, where it is not on the PATH."""
    return PROGRAM if shutil.which(PROGRAM) else shlex.quote(location())
