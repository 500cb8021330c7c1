"""Helpers of commands: common options, finding knowledge bases, an engine, printing."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import click

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.discovery import HOW_TO_BEGIN, Finder, start_folder, why_refused
from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.kb.sanitize import count, one_line, printable, with_field
from vouch_sidecar.operations.status import ProblemView, StatusResult
from vouch_sidecar.surfaces.stdio import say

ROOT_OPTION: dict[str, Any] = {
    "type": click.Path(exists=True, path_type=Path),
    "help": "Folder to look for the knowledge base from.  [default: .]",
}
MOST_NAMED = 3
"""Files that can't be used that a command names; it counts the others."""
AS_PROJECT = "claims of others don't count.  [default: VOUCH_PROJECT, else its own]"
root_option = click.option("--root", **ROOT_OPTION)


class MissingKnowledgeBaseError(click.ClickException):
    """There is no knowledge base to ask. The command exits with 2."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Selection:
    """The folder in which a command starts to search (None: the working folder), and the viewer."""

    root: Path | None
    viewer: Viewer | None = None


def common_options() -> list[click.Parameter]:
    """The options of every command that asks a knowledge base."""
    return [
        click.Option(["--root"], **ROOT_OPTION),
        click.Option(["--json", "as_json"], is_flag=True, help="Print the result as JSON."),
        click.Option(["--header"], is_flag=True, help="In a pipe, begin with the columns' names."),
        click.Option(["--project"], help=f"Project to ask as: {AS_PROJECT}"),
        click.Option(["--agent"], help="Agent to ask as: its private claims count."),
    ]


def roots_of(asked: Selection) -> list[Path]:
    """The roots of the knowledge bases. Raises `MissingKnowledgeBaseError`."""
    finder = Finder(os.environ)
    roots = [Path(root) for root in finder.around(start_at(asked.root))]
    for folder in finder.refused:
        say(f"vouch-sidecar: {printable(why_refused(folder))}", err=True)
    if not roots:
        where = f" from {start_at(asked.root)}"
        if forced := os.environ.get("VOUCH_KB_PATH"):
            where = (
                f": VOUCH_KB_PATH names {forced}, which is no .vouch folder; unset it, or name one"
            )
        elif not finder.refused:
            where += f"; {HOW_TO_BEGIN}"
        raise MissingKnowledgeBaseError(f"no knowledge base found{where}")
    return roots


def start_at(root: Path | None) -> Path:
    """The folder in which the search for knowledge bases starts."""
    return root or Path(start_folder(os.environ))


def loaded(asked: Selection) -> tuple[Engine, Caller]:
    """An engine that has read the knowledge bases, and the caller for its answers.

    Raises `MissingKnowledgeBaseError`.
    """
    return engine_on(roots_of(asked)), Caller(connection="shell", viewer=asked.viewer)


def engine_on(roots: Iterable[Path]) -> Engine:
    """An engine that has read these knowledge bases."""
    engine = Engine(env=os.environ)
    for root in roots:
        engine.add_root(root)
    engine.load()
    return engine


def unusable_files(state: StatusResult) -> Iterator[str]:
    """Sentences that name the files that can't be used, by their paths from the working folder,
    with the first problem of each.
    """
    faults: dict[Path, ProblemView] = {}
    for root in state.roots:
        for problem in root.problems:
            if problem.is_unusable:
                faults.setdefault(Path(root.root, KB_DIRNAME, problem.path), problem)
    for file, fault in islice(faults.items(), MOST_NAMED):
        place = f"{os.path.relpath(file)}:{fault.line}"
        yield one_line(f"{place} can't be used: {with_field(fault.field, fault.message)}")
    if len(faults) > MOST_NAMED:
        others = count(len(faults) - MOST_NAMED, "other file")
        yield f"{others} can't be used: `vouch-sidecar check` lists all"


def print_json(data: Mapping[str, Any]) -> None:
    """Print an object as JSON, in ASCII unless the encoding of standard output is UTF-8."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    say(json.dumps(data, indent=2, ensure_ascii=encoding != "utf8"))
