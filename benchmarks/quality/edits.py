"""Edits that break a claim, and commits, which mostly break none: the claims that they meet.

The knowledge base `pip` needs a clone of pypa/pip, which `PIP=` names; the commits are its own.
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
from benchmarks.quality.sets import KBS, REAL, Edit, Prompt, read_edits
from benchmarks.quality.world import World, view_of

TWENTY = REAL / "twenty"
PIP_COMMIT = "6d309205789d368b2749d93fd6193d584811efd5"
"""The commit of pypa/pip that the knowledge base was made at."""
COMMITS = 300
MOST_INSERTED = 5_000
"""Characters of a hunk: what is longer is no edit by hand."""
_HUNK = re.compile(r"^@@ .*\n(?:[-\\].*\n)*+((?:\+.*\n)++)", re.MULTILINE)
_FILE = re.compile(r"^\+\+\+ b/(.+)\n", re.MULTILINE)


@contextmanager
def over(base: str) -> Iterator[tuple[World, Sequence[Edit]]]:
    """A knowledge base with its edits and, where there is a clone of pip, the commits; `twenty` is
    asked of these as from a file that nothing is tied to.
    """
    own = [edit for edit in read_edits() if edit.base == base]
    clone = os.environ.get("PIP")
    if clone is None:
        yield World(TWENTY), own
        return
    with _checkout(Path(clone)) as root:
        drawn = commits(root)
        if base == "pip":
            yield World(root), [*own, *drawn]
        else:
            away = [edit.model_copy(update={"path": f"elsewhere/{edit.path}"}) for edit in drawn]
            yield World(TWENTY), [*own, *away]


def bases() -> list[str]:
    """Those whose edits can be asked."""
    return ["pip", "twenty"] if os.environ.get("PIP") and (KBS / "pip").is_dir() else ["twenty"]


@contextmanager
def _checkout(clone: Path) -> Iterator[Path]:
    with TemporaryDirectory(prefix="quality-") as folder:
        root = Path(folder) / "pip"
        _git(Path(folder), "clone", "--quiet", "--shared", "--no-checkout", str(clone), str(root))
        _git(root, "checkout", "--quiet", PIP_COMMIT)
        copytree(KBS / "pip" / ".vouch", root / ".vouch")
        yield root


def commits(root: Path) -> list[Edit]:
    """One hunk each of commits drawn by lot: what it inserted into a file that is still there."""
    random = Random("commits")
    hashes = _git(root, "log", "--no-merges", "--format=%H", PIP_COMMIT).split()
    random.shuffle(hashes)
    drawn: list[Edit] = []
    for commit in hashes:
        if len(drawn) == COMMITS:
            break
        patch = _git(root, "show", "--format=", "--unified=0", "--no-color", commit)
        hunks = [
            Edit(base="pip", path=path, inserted=inserted)
            for path, inserted in _hunks(patch)
            if (root / path).is_file() and "_vendor" not in path
        ]
        drawn += [random.choice(hunks)] if hunks else []
    return drawn


def _hunks(patch: str) -> Iterator[tuple[str, str]]:
    for part in patch.split("\ndiff --git "):
        path = _FILE.search(part)
        for hunk in _HUNK.finditer(part) if path else ():
            lines = "\n".join(line[1:] for line in hunk[1].splitlines())
            if path and lines.strip() and len(lines) <= MOST_INSERTED:
                yield path[1], lines


def _git(root: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=root, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode("utf-8", "replace")


def told(edits: Iterable[Edit], world: World) -> Iterator[Outcome]:
    """Whether a claim that an edit breaks is told of it; a commit should be told nothing."""
    view = view_of(world)
    for edit in edits:
        met = met_by(view, edit.path, edit.inserted)[:1]
        ids = [one.artifact.id for one in met if one.likelihood >= EDIT_LEAST]
        counts = not set(ids).isdisjoint(edit.want) if edit.want else bool(ids)
        text = f"{edit.path}: {edit.inserted[:80]}"
        kind = "edit" if edit.want else "commit"
        yield outcome(Prompt(kind=kind, text=text, want=edit.want), counts, ids)
