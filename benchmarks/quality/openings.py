"""What is shown of a file that is opened: over a knowledge base beside its checkout.

    python -m benchmarks.quality.openings ROOT [SEED]

Of the newest 300 commits (no merges, none of a bot, at most 25 files) it prints for how many a
changed file that is still there brings up a claim, folded ones (`weak`) counted apart, then how
many of forty files, one each of commits drawn at random, show something, and how many rows there
are by arm and by how the quote stands (`fresh`). With `SHOW=1` the rows of the forty are listed, to
be judged by somebody who sees file and row alone. Only files that are in the checkout are asked
about.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from vouch_sidecar.api import KnowledgeBase, open_kb

COMMITS, MOST_FILES, OPENINGS = 300, 25, 40
SHOWN = 7
"""Rows of a file that are listed."""


def main(arguments: Sequence[str]) -> int:
    root = Path(arguments[0]).resolve()
    chosen = random.Random(arguments[1] if len(arguments) > 1 else "openings")
    changes = [files for files in islice(commits(root), COMMITS) if files]
    with open_kb(root) as base:
        rows = {path: _rows(base, path) for path in {path for files in changes for path in files}}
    told = [any(rows[path] for path in files) for files in changes]
    strong = [any(not row["weak"] for path in files for row in rows[path]) for files in changes]
    print(f"commits {len(told)}: a claim {_share(told)}, unfolded {_share(strong)}")
    opened = [chosen.choice(files) for files in chosen.sample(changes, min(OPENINGS, len(changes)))]
    every = [row for path in opened for row in rows[path]]
    unfolded = [path for path in opened if any(not row["weak"] for row in rows[path])]
    print(
        f"openings {len(opened)}: shown {sum(map(bool, (rows[path] for path in opened)))}, ", end=""
    )
    print(f"unfolded {len(unfolded)}; rows {len(every)}: {dict(Counter(r['arm'] for r in every))}")
    everywhere = [row for some in rows.values() for row in some]
    print(f"all rows {len(everywhere)}: {dict(Counter(str(row['fresh']) for row in everywhere))}")
    for path in opened if os.environ.get("SHOW") else ():
        print(f"\n{path}")
        for row in rows[path][:SHOWN]:
            folded = " (folded)" if row["weak"] else ""
            print(
                f"  {row['strength']:.2f} L{row['line']} {row['why']}{folded}: {row['text'][:160]}"
            )
    return 0


def commits(root: Path) -> Iterator[list[str]]:
    """The files of each commit that are still there, newest first."""
    command = [
        "git",
        "log",
        "--no-merges",
        f"--max-count={4 * COMMITS}",
        "--name-only",
        "--format=%x00%an",
    ]
    log = subprocess.run(command, cwd=root, capture_output=True, check=True, text=True).stdout
    for entry in log.split("\0")[1:]:
        author, *lines = entry.split("\n")
        files = [path for path in lines if path]
        if len(files) <= MOST_FILES and not author.endswith("[bot]"):
            yield [path for path in files if (root / path).is_file()]


def _rows(base: KnowledgeBase, path: str) -> list[dict[str, Any]]:
    (file,) = base.files(paths=[path]).files
    return [row.model_dump() | {"weak": getattr(row, "weak", None) is True} for row in file.claims]


def _share(of: Sequence[bool]) -> str:
    return f"{sum(of) / max(1, len(of)):.2f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
