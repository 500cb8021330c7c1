"""Edits that break a claim, and commits, which mostly break none: the claims that they meet.

The knowledge base `pip` needs a clone of pypa/pip, which `PIP=` names; the commits are its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from shutil import copytree
from tempfile import TemporaryDirectory

from vouch_sidecar.retrieval.blocks.touched_files import met_by
from vouch_sidecar.retrieval.constants import EDIT_LEAST

from benchmarks.quality.measures import Case
from benchmarks.quality.sets import Edit, read_edits
from benchmarks.quality.world import World, view_of

KBS = Path(__file__).resolve().parents[3] / "shared" / "kbs"
TWENTY = Path(__file__).parent / "real" / "twenty"
PIP_COMMIT = "6d309205789d368b2749d93fd6193d584811efd5"
"""The commit of pypa/pip that the knowledge base was made at."""
COMMITS = 300
MOST_INSERTED = 5_000
"""Characters of a hunk: what is longer is no edit by hand."""
_HUNK = re.compile(r"^@@ .*\n(?:[-\\].*\n)*+((?:\+.*\n)++)", re.MULTILINE)
_FILE = re.compile(r"^\+\+\+ b/(.+)\n", re.MULTILINE)

Over = tuple[str, World, Sequence[Edit]]


def worlds() -> Iterator[Over]:
    """The knowledge bases, each with its edits and, where there is a clone of pip, its commits;
    these are asked of `twenty`, too, as from a file that nothing is tied to.
    """
    edits, clone = read_edits(), os.environ.get("PIP")
    drawn = list[Edit]()
    if clone is None or not (KBS / "pip").is_dir():
        print("no clone of pypa/pip (PIP=): neither its edits nor commits", file=sys.stderr)
    else:
        with _checkout(Path(clone)) as root:
            drawn = commits(root)
            own = [edit for edit in edits if edit.base == "pip"]
            yield "pip", World(root), [*own, *drawn]
    elsewhere = [edit.model_copy(update={"path": f"elsewhere/{edit.path}"}) for edit in drawn]
    own = [edit for edit in edits if edit.base == "twenty"]
    yield "twenty", World(TWENTY), [*own, *elsewhere]


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


def edit_cases(world: World, edits: Sequence[Edit]) -> Iterator[Case]:
    """Whether the claim that is told of what was inserted is one that it breaks, and whether a
    commit is told any.
    """
    view = view_of(world)
    for edit in edits:
        met = met_by(view, edit.path, edit.inserted)[:1]
        told = [one.artifact.id for one in met if one.likelihood >= EDIT_LEAST]
        right = not set(told).isdisjoint(edit.want) if edit.want else not told
        measure = "edit told" if edit.want else "commit fires"
        wrong = f"{edit.path}: {edit.inserted[:80]!r} gave {told}, not {list(edit.want)}"
        yield Case({measure: (float(right is bool(edit.want)), 1.0)}, [] if right else [wrong])
