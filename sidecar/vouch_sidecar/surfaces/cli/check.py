"""`vouch-sidecar check`: lists the problems of a knowledge base, for people and for CI."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from vouch_sidecar.api import engine_on
from vouch_sidecar.engine import Caller
from vouch_sidecar.engine.checks import CheckContext, check_all
from vouch_sidecar.engine.worlds import settle
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.records import Problem
from vouch_sidecar.kb.sanitize import count, printable, with_field
from vouch_sidecar.operations.table import Shown, Words
from vouch_sidecar.surfaces.console.options import common_options, print_json, roots_from
from vouch_sidecar.surfaces.console.printing import show
from vouch_sidecar.surfaces.stdio import say

PROBLEMS = 1
FORMATS = ("text", "json", "github")
GITHUB = {"error": "error", "warning": "warning", "hint": "notice"}
SEVERITY_COLOURS = {"error": "red", "warning": "yellow", "hint": "cyan"}
Found = tuple[Path, Problem]
"""A problem of the knowledge base in a folder."""


def _check(**given: Any) -> None:
    every = list(_problems_of(given["root"], Viewer(given["project"], given["agent"])))
    problems = [found for found in every if given["hints"] or found[1].severity != "hint"]
    hints = len(every) - len(problems)
    unusable = len({(root, problem.path) for root, problem in every if problem.is_unusable})
    if given["as_json"] or given["form"] == "json":
        listed = [_as_json(*found) for found in problems]
        print_json({"problems": listed, "unusable": unusable, "hints_left_out": hints})
    elif given["form"] == "github":
        for found in problems:
            say(_as_github(*found))
    else:
        heading = Words(record=("place", "severity", "code", "message") if given["header"] else ())
        show([heading, *(_shown(*found) for found in problems)])
        also = f" {count(hints, 'hint')}: `--hints` lists them" if hints else ""
        if unusable or also or not problems:
            bad = f"{count(unusable, 'file')} can't be used." if unusable else ""
            show([Words(f"{bad or '' if problems else 'No problems.'}{also}".strip(), aside=True)])
    if any(problem.severity != "hint" for _, problem in problems):
        sys.exit(PROBLEMS)


def _problems_of(folder: Path | None, viewer: Viewer) -> Iterator[Found]:
    """All problems, also across files, sorted by knowledge base, file and line."""
    engine = engine_on(roots_from(folder))
    engine.load()
    settle(engine.collections.values())
    for served in engine.serving(Caller("shell", viewer=viewer)):
        collection = served.collection
        problems = engine.problems.problems_of(collection)
        around = CheckContext(collection, collection.knowledge, now=served.view.now)
        for path, more in check_all(around, served.view.visible.sees).items():
            problems[path] = (*problems.get(path, ()), *more)
        for _, several in sorted(problems.items()):
            for problem in sorted(several, key=lambda problem: (problem.line, problem.column)):
                yield collection.root, problem


def _file(root: Path, problem: Problem) -> str:
    """The path of the file from the working directory; empty for problems of settings."""
    return printable(os.path.relpath(root / KB_DIRNAME / problem.path)) if problem.path else ""


def _shown(root: Path, problem: Problem) -> Shown:
    file, message = _file(root, problem), with_field(problem.field, problem.message)
    place = f"{file}:{problem.line}:{problem.column}" if file else "settings"
    words = f"{place} {problem.severity} {message} {problem.code}"
    row = (place, problem.severity, problem.code, message)
    return Words(words, SEVERITY_COLOURS[problem.severity], row, whole=True)


def _as_json(root: Path, problem: Problem) -> dict[str, Any]:
    return {
        "root": str(root),
        "path": problem.path,
        "line": problem.line,
        "column": problem.column,
        "field": problem.field,
        "severity": problem.severity.value,
        "code": problem.code,
        "message": problem.message,
    }


def _as_github(root: Path, problem: Problem) -> str:
    """A workflow command, which GitHub shows at the line in a pull request."""
    place: dict[str, object] = {"title": f"vouch: {problem.code}"}
    if file := _file(root, problem):
        place = {"file": file, "line": problem.line, "col": problem.column, **place}
    properties = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in place.items())
    message = with_field(problem.field, problem.message)
    return f"::{GITHUB[problem.severity]} {properties}::{_escaped(message)}"


def _escaped(text: str, signs: str = "") -> str:
    for sign in f"%\r\n{signs}":
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


check = click.Command(
    "check",
    callback=_check,
    params=[
        click.Option(
            ["--format", "form"],
            type=click.Choice(FORMATS),
            default="text",
            show_default=True,
            help="github: annotations of a pull request.",
        ),
        click.Option(["--hints"], is_flag=True, help="List hints as well."),
        *common_options(),
    ],
    help="List the problems of a knowledge base. Exit code 1 when there are any; hints are none.",
)
