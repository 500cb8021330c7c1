"""Record what every operation answers, or compare two recordings.

    python -m benchmarks.record REV OUT.jsonl        what the program of a commit answers
    python -m benchmarks.record --here OUT.jsonl     what that of this working tree answers
    python -m benchmarks.record --compare A B        what differs; exit code 1 where anything does

The knowledge bases and the questions are always those of this working tree: two recordings that are
to be compared are made with the same one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.record.compare import differences, report
from benchmarks.record.recording import record

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    add = parser.add_argument
    add("paths", nargs="+", metavar="REV OUT | OUT | A B")
    add("--here", action="store_true", help="record this working tree")
    add("--compare", action="store_true", help="compare two recordings")
    add("--kb", action="append", default=[], help="record only this one; repeatable")
    add("--show", type=int, default=5, help="differences to print of each operation (5)")
    options = parser.parse_args(arguments)
    if len(options.paths) != (1 if options.here else 2):
        parser.error("the wrong number of arguments")
    first, out = options.paths[0], Path(options.paths[-1])
    if options.compare:
        return _compare(Path(first), out, options.show)
    if options.here:
        _record(ROOT, out, set(options.kb))
        return 0
    with TemporaryDirectory(prefix="vouch-tree-") as folder:
        tree = Path(folder) / "tree"
        _git("worktree", "add", "--detach", str(tree), first)
        try:
            _record(tree, out, set(options.kb))
        finally:
            _git("worktree", "remove", "--force", str(tree))
    return 0


def _record(tree: Path, out: Path, only: set[str]) -> None:
    with out.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in record(tree, only))


def _git(*arguments: str) -> None:
    subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True)


def _compare(first: Path, second: Path, most: int) -> int:
    with first.open(encoding="utf-8") as one, second.open(encoding="utf-8") as other:
        count = report(differences(one, other), sys.stdout, most)
    print(f"{count} answers differ" if count else "no answer differs")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
