"""What all commands that ask share: options, finding knowledge bases, an engine, JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vouch_sidecar.kb.discovery import discover, start_folder

if TYPE_CHECKING:
    from vouch_sidecar.engine import Caller, Engine

__all__ = [
    "NOTHING",
    "SESSION",
    "Asked",
    "common_options",
    "found",
    "loaded",
    "nothing_found",
    "print_json",
    "root_option",
    "roots_of",
    "start_at",
]

SESSION = "shell"
NOTHING = "no knowledge base found"

root_option = click.option(
    "--root",
    type=click.Path(exists=True, path_type=Path),
    help="Folder to look for the knowledge base from.  [default: .]",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """From where a command asks, and as whom."""

    root: Path | None
    project: str | None
    agent: str | None


def common_options() -> list[click.Parameter]:
    """The options of every command that asks."""
    root = click.Path(exists=True, path_type=Path)
    where = "Folder to look for the knowledge base from.  [default: .]"
    return [
        click.Option(["--root"], type=root, help=where),
        click.Option(["--json", "as_json"], is_flag=True, help="Print the result as JSON."),
        click.Option(["--project"], help="Project whose claims count as well."),
        click.Option(["--agent"], help="Agent whose private claims count as well."),
    ]


def roots_of(asked: Asked) -> list[Path]:
    """The roots of the knowledge bases. Raises `click.UsageError` when there are none."""
    roots = found(asked)
    if not roots:
        raise click.UsageError(nothing_found(asked))
    return roots


def nothing_found(asked: Asked) -> str:
    """A message: there is no knowledge base, and where it was looked for."""
    if forced := os.environ.get("VOUCH_KB_PATH"):
        return f"{NOTHING}: VOUCH_KB_PATH names {forced}, which is no .vouch folder"
    return f"{NOTHING} from {start_at(asked.root)}"


def found(asked: Asked) -> list[Path]:
    """The roots of the knowledge bases, if there are any."""
    return [Path(root) for root in discover(start_at(asked.root), env=os.environ)]


def start_at(root: Path | None) -> Path:
    """The folder from which knowledge bases are looked for."""
    return root or Path(start_folder(os.environ))


def loaded(asked: Asked) -> tuple[Engine, Caller]:
    """An engine that has read the knowledge bases, and the caller for its answers."""
    from vouch_sidecar.engine import Caller, Engine
    from vouch_sidecar.kb.access import Viewer

    engine = Engine(env=os.environ)
    engine.add_start(start_at(asked.root))
    engine.load()
    return engine, Caller(connection=SESSION, viewer=Viewer(asked.project, asked.agent))


def print_json(data: Mapping[str, Any]) -> None:
    """Print an object as JSON, in ASCII where the output can't take more."""
    takes_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(data, indent=2, ensure_ascii=not takes_unicode))
