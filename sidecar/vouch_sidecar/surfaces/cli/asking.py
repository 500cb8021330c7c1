"""What the commands that ask share: options, the knowledge base, the engine, JSON."""

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
from vouch_sidecar.surfaces.local.client import ask, viewer_of

if TYPE_CHECKING:
    from vouch_sidecar.engine import Caller, Engine

__all__ = [
    "NOTHING",
    "RESIDENT_SECONDS",
    "SESSION",
    "Asked",
    "common_options",
    "found",
    "loaded",
    "nothing_found",
    "of_resident",
    "print_json",
    "root_option",
    "roots_of",
    "start_at",
]

SESSION = "shell"
PREFIX, LOG_VARIABLE = "VOUCH_SIDECAR_", "VOUCH_SIDECAR_LOG"
PREFIX, LOG_VARIABLE = "VOUCH_SIDECAR_", "VOUCH_SIDECAR_LOG"
RESIDENT_SECONDS = 2.0
"""How long a process that runs may take."""
NOTHING = "no knowledge base found"

root_option = click.option(
    "--root",
    type=click.Path(exists=True, path_type=Path),
    help="Folder to look for the knowledge base from.  [default: .]",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What every command that asks takes."""

    root: Path | None
    as_json: bool
    project: str | None
    agent: str | None


def common_options() -> list[click.Parameter]:
    """What every command that asks takes: the fields of `Asked`."""
    root = click.Path(exists=True, path_type=Path)
    where = "Folder to look for the knowledge base from.  [default: .]"
    return [
        click.Option(["--root"], type=root, help=where),
        click.Option(["--json", "as_json"], is_flag=True, help="Print the result as JSON."),
        click.Option(["--project"], help="Project whose claims count as well."),
        click.Option(["--agent"], help="Agent whose private claims count as well."),
    ]


def roots_of(asked: Asked) -> list[Path]:
    """The folders of the knowledge bases. Without one, it is misuse."""
    roots = found(asked)
    if not roots:
        raise click.UsageError(nothing_found(asked))
    return roots


def nothing_found(asked: Asked) -> str:
    """That there is no knowledge base, and where one was looked for."""
    if forced := os.environ.get("VOUCH_KB_PATH"):
        return f"{NOTHING}: VOUCH_KB_PATH names {forced}, which is no .vouch folder"
    return f"{NOTHING} from {start_at(asked.root)}"


def found(asked: Asked) -> list[Path]:
    """The folders of the knowledge bases that there are."""
    return [Path(root) for root in discover(start_at(asked.root), env=os.environ)]


def start_at(root: Path | None) -> Path:
    """The folder to look from."""
    return root or Path(start_folder(os.environ))


def loaded(asked: Asked) -> tuple[Engine, Caller]:
    """An engine that has read the knowledge base, and who asks it."""
    from vouch_sidecar.engine import Caller, Engine
    from vouch_sidecar.kb.access import Viewer

    engine = Engine(env=os.environ)
    engine.add_start(start_at(asked.root))
    engine.load()
    return engine, Caller(connection=SESSION, viewer=Viewer(asked.project, asked.agent))


def of_resident(asked: Asked, method: str, params: Mapping[str, object]) -> dict[str, Any] | None:
    """The result of the process that runs for the knowledge base, if it has a whole one.

    None also where settings in this process's environment are to count.
    """
    roots = found(asked)
    settings = [one for one in os.environ if one.startswith(PREFIX) and one != LOG_VARIABLE]
    if settings:
        return None
    own = {"project": asked.project, "agent": asked.agent}
    viewer = viewer_of(os.environ) | {k: v for k, v in own.items() if v is not None}
    question = {**params, "viewer": viewer}
    answered = ask(roots, method, question, timeout=RESIDENT_SECONDS, env=os.environ)
    result = answered.get("result") if answered is not None and answered.get("ok") else None
    return result if isinstance(result, dict) and result.get("complete") else None


def print_json(data: Mapping[str, Any]) -> None:
    """Print an object."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=not _takes_unicode()))


def _takes_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
