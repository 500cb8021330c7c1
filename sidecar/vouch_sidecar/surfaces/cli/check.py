"""`vouch-sidecar check`: lists the problems of a knowledge base, for people and for CI."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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


class FoundProblem(NamedTuple):
    """A problem of a knowledge base. `file` is absolute; None for problems of settings."""

    root: Path
    file: Path | None
    problem: Problem

    @property
    def shown(self) -> str:
        """The path of the file from the working directory."""
        return "settings" if self.file is None else printable(os.path.relpath(self.file))

    @property
    def message(self) -> str:
        return with_field(self.problem.field, self.problem.message)


def _check(**given: Any) -> None:
    viewer = Viewer(given["project"], given["agent"])
    every = list(_problems_of(given["root"], viewer))
    problems = [entry for entry in every if given["hints"] or entry.problem.severity != "hint"]
    hints = len(every) - len(problems)
    unusable = len({entry.file for entry in every if entry.problem.is_unusable})
    if given["as_json"] or given["form"] == "json":
        listed = [_as_json(entry) for entry in problems]
        print_json({"problems": listed, "unusable": unusable, "hints_left_out": hints})
    elif given["form"] == "github":
        for problem in problems:
            say(_as_github(problem))
    else:
        heading = Words(record=("place", "severity", "code", "message"))
        shown = _shown(problems, unusable, hints)
        show([*([heading] if given["header"] else []), *shown])
    if any(entry.problem.severity != "hint" for entry in problems):
        sys.exit(PROBLEMS)


def _problems_of(root: Path | None, viewer: Viewer) -> Iterator[FoundProblem]:
    """All problems, also across files, sorted by knowledge base, file and line."""
    engine = engine_on(roots_from(root))
    engine.load()
    settle(engine.collections.values())
    for served in engine.serving(Caller("shell", viewer=viewer)):
        collection = served.collection
        problems = engine.problems.problems_of(collection)
        around = CheckContext(collection, collection.knowledge, now=served.view.now)
        for path, more in check_all(around, served.view.visible.sees).items():
            problems[path] = (*problems.get(path, ()), *more)
        for path, several in sorted(problems.items()):
            file = Path(os.path.normpath(collection.root / KB_DIRNAME / path)) if path else None
            for problem in sorted(several, key=lambda problem: (problem.line, problem.column)):
                yield FoundProblem(collection.root, file, problem)


def _shown(problems: Sequence[FoundProblem], unusable: int, hints: int) -> Iterator[Shown]:
    """The problems. `unusable`: files that can't be used; `hints`: hints left out."""
    also = f"{count(hints, 'hint')}: `--hints` lists them" if hints else ""
    if not problems:
        yield Words(f"No problems. {also}".strip(), aside=True)
    for reported in problems:
        problem = reported.problem
        at = f":{problem.line}:{problem.column}" if reported.file else ""
        row = (f"{reported.shown}{at}", problem.severity, problem.code, reported.message)
        words = f"{row[0]} {problem.severity} {reported.message} {problem.code}"
        yield Words(words, SEVERITY_COLOURS[problem.severity], row, whole=True)
    if unusable:
        yield Words(f"{count(unusable, 'file')} can't be used", "red")
    if also and problems:
        yield Words(also, "dim")


def _as_json(reported: FoundProblem) -> dict[str, Any]:
    problem = reported.problem
    return {
        "root": str(reported.root),
        "path": problem.path,
        "line": problem.line,
        "column": problem.column,
        "field": problem.field,
        "severity": problem.severity.value,
        "code": problem.code,
        "message": problem.message,
    }


def _as_github(reported: FoundProblem) -> str:
    """A workflow command, which GitHub shows at the line in a pull request."""
    problem = reported.problem
    place: dict[str, object] = {"title": f"vouch: {problem.code}"}
    if reported.file is not None:
        place = {"file": reported.shown, "line": problem.line, "col": problem.column, **place}
    properties = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in place.items())
    return f"::{GITHUB[problem.severity]} {properties}::{_escaped(reported.message)}"


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
