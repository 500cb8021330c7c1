"""Replays the history of a repository: which commits touch a file that a claim is tied to.

    python -m benchmarks.replay ROOT [--commits 300] [--lines 40]

ROOT is a clone with its history and a knowledge base in it. A commit of code is one, no merge, that
touches a file whose definitions count (`workspace.sorts`). Files are asked about as they are called
today. `--lines` prints the first line for that many commits, evenly spread, for whoever judges them
with the diff alone. Runs the user's git on ROOT: for repositories that you trust.
"""

from __future__ import annotations

import argparse
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vouch_sidecar.api import KnowledgeBase, open_kb
from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.kb.records import Kind, Source
from vouch_sidecar.operations.files import TiedFile
from vouch_sidecar.workspace.file_kinds import is_for_names, language_of
from vouch_sidecar.workspace.locator import Locator

BY_PATH = {"cites", "quotes", "path"}


class Commit(NamedTuple):
    id: str
    subject: str
    paths: list[str]

    @property
    def is_of_code(self) -> bool:
        return any(language_of(path) and is_for_names(path) for path in self.paths)


def commits(root: Path, most: int) -> Iterator[Commit]:
    """The newest commits, merges left out."""
    log = ["git", "-C", str(root), "log", "--no-merges", f"-{most}"]
    shown = [*log, "--name-only", "--no-renames", "-z", "--format=%x01%H%x02%s%x02"]
    said = subprocess.run(shown, capture_output=True, check=True).stdout.decode("utf-8", "replace")
    for entry in said.split("\x01")[1:]:
        commit, subject, paths = entry.split("\x02", 2)
        names = [name.strip("\n") for name in paths.split("\0")]
        yield Commit(commit, subject, [n for n in names if n and KB_DIRNAME not in n])


def cited(kb: KnowledgeBase) -> list[str]:
    """The files that live claims cite."""
    engine = kb._open()
    found: dict[str, None] = {}
    for collection in engine.collections.values():
        locator: Locator = collection.workspace.locator
        knowledge = collection.knowledge
        for claim in knowledge.all_of(Kind.CLAIM):
            for ref in getattr(claim, "evidence", ()):
                evidence = knowledge.evidence(ref)
                source = knowledge.source(evidence.source_id if evidence else ref)
                if isinstance(source, Source) and (path := locator.of_source(source.locator)):
                    found[path] = None
    return sorted(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--lines", type=int, default=0)
    parser.add_argument("--project")
    asked = parser.parse_args()
    kb = open_kb(asked.root, project=asked.project)
    kb.files(["."])
    every = cited(kb)
    silent = [file.path for file in kb.files(every).files if not file.claims] if every else []
    print(f"cited files: {len(every)}, without their claims: {len(silent)} {silent[:5]}")
    replayed = list(commits(asked.root, asked.commits))
    code = [one for one in replayed if one.is_of_code]
    arms: Counter[str] = Counter()
    spoke: list[tuple[Commit, TiedFile]] = []
    for one in code:
        files = [file for file in kb.files(one.paths[:1000]).files if file.claims]
        if files:
            best = max(files, key=lambda file: file.claims[0].strength)
            spoke.append((one, best))
            arms["by path"] += any(c.arm in BY_PATH for f in files for c in f.claims)
            arms[best.claims[0].arm] += 1
    share = len(spoke) / max(1, len(code))
    print(
        f"commits: {len(replayed)}, of code: {len(code)}, with a claim: {len(spoke)} ({share:.0%})"
    )
    print(f"arms of the first line: {dict(arms)}")
    step = max(1, len(spoke) // asked.lines) if asked.lines else 0
    for commit, file in spoke[:: step or 1][: asked.lines]:
        first = file.claims[0]
        print(f"\n{commit.id[:9]} {commit.subject}\n  {file.path} ({first.why})\n  {first.text}")


if __name__ == "__main__":
    main()
