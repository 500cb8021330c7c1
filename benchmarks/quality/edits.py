"""Edits that break a claim, and commits, which mostly break none: the claims that they meet.

The knowledge base `pip` needs a clone of pypa/pip, which `PIP=` names, and `click` one of
pallets/click (`CLICK=`); the commits are their own.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from shutil import copytree
from tempfile import TemporaryDirectory

from vouch_sidecar.retrieval.blocks.touched_files import met_by
from vouch_sidecar.retrieval.constants import EDIT_LEAST

from benchmarks.quality.runs import Outcome, outcome
from benchmarks.quality.sets import KBS, REAL, Edit, Prompt, lines
from benchmarks.quality.world import World, view_of

TWENTY = REAL / "twenty"
CLONES = {
    "pip": (KBS / "pip", "6d309205789d368b2749d93fd6193d584811efd5"),
    "click": (REAL / "click", "2c8cd3ac958a7eb316d67f2d316c27086c4c0369"),
}
"""Knowledge bases on repositories, and the commits at which their files are looked at."""
COMMITS = 300
MOST_INSERTED = 5_000
"""Characters of a hunk: what is longer is no edit by hand."""
_HUNK = re.compile(r"^@@ .*\n((?:[-\\].*\n)*+)((?:\+.*\n)++)", re.MULTILINE)
_FILE = re.compile(r"^\+\+\+ b/(.+)\n", re.MULTILINE)


@contextmanager
def over(base: str) -> Iterator[tuple[World, Sequence[Edit]]]:
    """A knowledge base with its edits and, where there is a clone of pip, the commits; `twenty` is
    asked of these as from a file that nothing is tied to.
    """
    every = map(Edit.model_validate_json, lines(REAL / "edits.jsonl"))
    own = [edit for edit in every if edit.base == base]
    if "pip" not in cloned():
        yield World(TWENTY), own
        return
    with _checkout(base if base in CLONES else "pip") as root:
        drawn = commits(root)
        if base in CLONES:
            yield World(root), [*own, *drawn]
        else:
            away = [edit.model_copy(update={"path": f"elsewhere/{edit.path}"}) for edit in drawn]
            yield World(TWENTY), [*own, *away]


def cloned() -> list[str]:
    """The knowledge bases on repositories of which there is a clone."""
    return [name for name in CLONES if os.environ.get(name.upper()) and CLONES[name][0].is_dir()]


@contextmanager
def _checkout(name: str) -> Iterator[Path]:
    (base, commit), clone = CLONES[name], os.environ[name.upper()]
    with TemporaryDirectory(prefix="quality-") as folder:
        root = Path(folder) / name
        _git(Path(folder), "clone", "--quiet", "--shared", "--no-checkout", clone, str(root))
        _git(root, "checkout", "--quiet", commit)
        copytree(base / ".vouch", root / ".vouch")
        yield root


def commits(root: Path) -> list[Edit]:
    """One hunk each of commits drawn by lot: what it put into a file that is still there."""
    random = Random("commits")
    hashes = _git(root, "log", "--no-merges", "--format=%H", "HEAD").split()
    random.shuffle(hashes)
    drawn: list[Edit] = []
    for commit in hashes:
        if len(drawn) == COMMITS:
            break
        patch = _git(root, "show", "--format=", "--unified=0", "--no-color", commit)
        hunks = [
            Edit(base=root.name, path=path, inserted=inserted, removed=removed)
            for path, inserted, removed in _hunks(patch)
            if (root / path).is_file() and "_vendor" not in path
        ]
        drawn += [random.choice(hunks)] if hunks else []
    return drawn


def _hunks(patch: str) -> Iterator[tuple[str, str, str]]:
    for part in patch.split("\ndiff --git "):
        path = _FILE.search(part)
        for hunk in _HUNK.finditer(part) if path else ():
            removed, inserted = (
                "\n".join(line[1:] for line in lines.splitlines()) for lines in hunk.groups()
            )
            if path and inserted.strip() and len(inserted) <= MOST_INSERTED:
                yield path[1], inserted, removed


def _git(root: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=root, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode("utf-8", "replace")


def told(edits: Iterable[Edit], world: World) -> Iterator[Outcome]:
    """Whether a claim that an edit breaks is told of it; a commit should be told nothing."""
    view = view_of(world)
    for edit in edits:
        found = [each for each, _ in met_by(view, edit.path, edit.inserted, edit.removed)]
        ids = [one.artifact.id for one in found[:1] if one.likelihood >= EDIT_LEAST]
        counts = not set(ids).isdisjoint(edit.want) if edit.want else bool(ids)
        text = f"{edit.path}: {edit.inserted[:80]}"
        kind = "edit" if edit.want else "commit"
        yield outcome(Prompt(kind=kind, text=text, want=edit.want), counts, ids)
