"""`vouch-sidecar check`: lists the problems of a knowledge base, for people and for CI."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import click

from vouch_sidecar.api import KnowledgeBase, engine_on
from vouch_sidecar.engine import Caller, health
from vouch_sidecar.engine.checks import CheckContext, check_all
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.records import Problem
from vouch_sidecar.kb.sanitize import count, printable, with_field
from vouch_sidecar.operations.table import ColumnKind, Table, Words
from vouch_sidecar.surfaces.console.options import common_options, found_from
from vouch_sidecar.surfaces.console.printing import print_json, show

COLUMNS: dict[str, ColumnKind] = {
    "place": "key",
    "severity": "whole",
    "code": "whole",
    "message": "text",
}
FIELDS = ("path", "line", "column", "field", "severity", "code", "message")


def _check(**given: Any) -> None:
    every = list(_problems_of(given["root"], Viewer(given["project"], given["agent"])))
    problems = [found for found in every if given["hints"] or found[1].severity != "hint"]
    hints = len(every) - len(problems)
    if given["as_json"]:
        listed = [
            {"root": str(root), **{name: getattr(problem, name) for name in FIELDS}}
            for root, problem in problems
        ]
        print_json({"problems": listed, "hints_left_out": hints})
    else:
        said = [] if problems else ["No problems."]
        said += [f"{count(hints, 'hint')}: `--hints` lists them"] if hints else []
        rows = Table(COLUMNS, [_row(*found) for found in problems])
        show([rows, *(Words(words, aside=True) for words in said)], header=given["header"])
    if any(problem.severity != "hint" for _, problem in problems):
        sys.exit(1)


def _problems_of(folder: str | None, viewer: Viewer) -> Iterator[tuple[Path, Problem]]:
    """All problems, also across files, sorted by knowledge base, file and line, each with the
    folder of its knowledge base.
    """
    engine = engine_on(found_from(folder))
    with KnowledgeBase(engine, viewer) as kb:
        kb.until_read()
    for served in engine.registry.serving(Caller(viewer=viewer)):
        collection = served.collection
        around = CheckContext(collection, collection.knowledge, now=served.view.now)
        problems = health.problems_of(engine, collection)
        problems += check_all(around, served.view.sees)
        for problem in sorted(problems, key=attrgetter("path", "line", "column")):
            yield collection.root, problem


def _row(root: Path, problem: Problem) -> tuple[str, ...]:
    """A problem, with its file's path from the working directory, unless it is of the settings."""
    file = printable(os.path.relpath(root / KB_DIRNAME / problem.path))
    place = f"{file}:{problem.line}:{problem.column}" if problem.path else "settings"
    return place, problem.severity, problem.code, with_field(problem.field, problem.message)


check = click.Command(
    "check",
    callback=_check,
    params=[
        click.Option(["--hints"], is_flag=True, help="List hints as well."),
        *common_options(),
    ],
    help="List the problems of a knowledge base. Exit code 1 when there are any; hints are none.",
)
