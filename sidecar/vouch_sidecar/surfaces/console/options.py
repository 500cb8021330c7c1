"""The options of commands, the knowledge bases that they mean, and printing. Imports no engine."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from vouch_sidecar.kb.discovery import Finder, start_folder, why_refused
from vouch_sidecar.kb.sanitize import escaped, printable
from vouch_sidecar.surfaces.console.beginning import how_to_begin
from vouch_sidecar.surfaces.stdio import say

ROOT_OPTION: dict[str, Any] = {
    "type": click.Path(exists=True, path_type=Path),
    "help": "Folder to look for the knowledge base from.  [default: .]",
}
root_option = click.option("--root", **ROOT_OPTION)


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


def roots_from(root: Path | None) -> list[Path]:
    """The roots of the knowledge bases found from a folder; None: the working folder. Raises
    `MissingKnowledgeBaseError`.
    """
    finder = Finder(os.environ)
    roots = [Path(place.tree) for place in finder.placed(start_at(root))]
    for folder in finder.refused:
        say(f"vouch-sidecar: {printable(why_refused(folder))}", err=True)
    if not roots:
        where = f" from {start_at(root)}"
        if forced := os.environ.get("VOUCH_KB_PATH"):
            where = (
                f": VOUCH_KB_PATH names {forced}, which is no .vouch folder; unset it, or name one"
            )
        elif not finder.refused:
            where += f"; {how_to_begin(start_at(root))}"
        raise MissingKnowledgeBaseError(escaped(f"no knowledge base found{where}"))
    return roots


def start_at(root: Path | None) -> Path:
    """The folder in which the search for knowledge bases starts."""
    return root or Path(start_folder(os.environ))


def program(env: Mapping[str, str]) -> str:
    """What starts this program in a shell of the user: its path, where it is not on the PATH."""
    if shutil.which("vouch-sidecar", path=env.get("PATH", "")):
        return "vouch-sidecar"
    return shlex.quote(str(Path(sys.executable).with_name("vouch-sidecar")))


def print_json(data: Mapping[str, Any]) -> None:
    """Print an object as JSON, in ASCII unless the encoding of standard output is UTF-8."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    say(json.dumps(data, indent=2, ensure_ascii=encoding != "utf8"))
