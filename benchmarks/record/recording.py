"""One recording: every knowledge base asked before, between and after its changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.record.bases import GENERATED, Base, bases, digest
from benchmarks.record.changes import CHANGES, Change, apply, changes
from benchmarks.record.material import Material, read
from benchmarks.record.program import Asking, Program, wait_until_ready
from benchmarks.record.questions import VIEWERS, Question, lookups, questions, texts

AGAIN = 4
"""Every so many questions, one is asked again after a restart."""
Line = dict[str, Any]


def record(tree: Path, only: set[str]) -> Iterator[str]:
    """What the program of a tree answers, one JSON object a line; `only` of some knowledge bases,
    if any are named. It is not told where they lay.
    """
    with TemporaryDirectory(prefix="vouch-record-") as name:
        folder = Path(name).resolve()
        for line in _recorded(tree, folder, only):
            yield json.dumps(line, ensure_ascii=False).replace(f"{folder}/bases", "")


def _recorded(tree: Path, folder: Path, only: set[str]) -> Iterator[Line]:
    for made in ("own", "bases"):
        (folder / made).mkdir()
    program = Program.of(tree, folder / "own")
    small: list[Path] = []
    for base in bases(folder / "bases", only):
        yield from _of(base, program)
        if base.root.name != GENERATED:
            small.append(base.root)
    if len(small) > 1:
        yield from _together(program, small)


def _of(base: Base, program: Program) -> Iterator[Line]:
    """Cold, changed, and after a restart."""
    root, known = base.root, read(base.root)
    yield _line(root, "files", Question("files", {}), {"digest": digest(root)})
    asked = [*questions(known, base.share), *lookups(base.looked_up)]
    made = changes(known, round(CHANGES * max(base.share, 0.1)))
    with program.jsonl(root) as ask:
        wait_until_ready(ask)
        yield from _asked(root, "before", ask, [*asked, Question("stats", {})])
        apply(root, made, ask)
        wait_until_ready(ask)
        yield from _asked(root, "after", ask, [*asked, *_about(made, known)])
    with program.jsonl(root) as ask:
        wait_until_ready(ask)
        yield from _asked(root, "restarted", ask, asked[::AGAIN])


def _together(program: Program, roots: list[Path]) -> Iterator[Line]:
    """Several knowledge bases in one process."""
    asked: list[Question] = []
    for number, root in enumerate(roots):
        asked += questions(read(root), 0.1, seed=9)[number :: len(roots)]
    asked += [Question(q.op, {**q.params, "root": str(roots[0])}) for q in asked[::9]]
    with program.server(roots) as server:
        wait_until_ready(server)
        yield from _asked(Path("together"), "served", server, asked)


def _about(made: list[Change], known: Material) -> list[Question]:
    """What became of what was changed, and what the new words bring in."""
    found = lookups([change.asked for change in made if not change.path.startswith("pages/")])
    for number, change in enumerate(made):
        fields = change.fields or {}
        viewer = VIEWERS[number % len(VIEWERS)]
        who = {} if viewer is None else {"viewer": viewer}
        if said := fields.get("text") or fields.get("name") or fields.get("title"):
            found.append(Question("experts", {"topic": said, **who}))
            found.append(Question("search", {"query": said, **who}))
    return found + [Question("probe", {"text": text}) for text in texts(known, 20, seed=12)]


def _asked(root: Path, phase: str, ask: Asking, asked: list[Question]) -> Iterator[Line]:
    return (_line(root, phase, question, ask(*question)) for question in asked)


def _line(root: Path, phase: str, question: Question, answer: dict[str, Any]) -> Line:
    return {"kb": root.name, "phase": phase, **question._asdict(), "answer": answer}
