"""Record what every operation answers, or compare two recordings.

    python -m benchmarks.record REV OUT.jsonl        what the program of a commit answers
    python -m benchmarks.record --here OUT.jsonl     what that of this working tree answers
    python -m benchmarks.record --compare A B        what differs; exit code 1 where anything does

Asked over JSONL are the example and a generated knowledge base of 10,000 claims, at a fixed time,
with an empty cache and once more after a restart. Bases and questions are always those of this
working tree: two recordings that are to be compared are made with the same one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.generate import MEDIUM, generated
from benchmarks.record.compare import report
from benchmarks.record.questions import Question, questions

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("driver.py")
WRITTEN, NOW = 1_790_812_800, 1_793_491_200
"""When every file was last changed, and what the clock of every program shows."""
Ask = Callable[[Question], dict[str, Any]]


def record(tree: Path) -> Iterator[str]:
    """What the program of a tree answers, one JSON object a line."""
    with TemporaryDirectory(prefix="vouch-record-") as name:
        for source in (ROOT / "examples" / "courier", generated(MEDIUM)):
            root = Path(name) / source.name
            shutil.copytree(source / ".vouch", root / ".vouch")
            for path in root.rglob("*"):
                os.utime(path, (WRITTEN, WRITTEN))
            for phase in ("cold", "restarted"):
                with served(tree, root, Path(name)) as ask:
                    while ask(Question("experts", {"topic": "x"})).get("complete") is False:
                        continue
                    for one in questions(root):
                        line = {
                            "kb": root.name,
                            "phase": phase,
                            **one._asdict(),
                            "answer": ask(one),
                        }
                        yield json.dumps(line, ensure_ascii=False).replace(name, "")


@contextmanager
def served(tree: Path, root: Path, own: Path) -> Iterator[Ask]:
    """The program of a tree over the knowledge base in a folder, one question at a time."""
    others = {k: v for k, v in os.environ.items() if not k.startswith(("VOUCH_", "XDG_"))}
    env = others | dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"), str(own))
    env |= {"PYTHONPATH": str(tree / "sidecar"), "PYTHONSAFEPATH": "1"}
    env |= {"VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000"}
    program = [str(DRIVER), str(tree / "sidecar"), "vouch_sidecar", str(NOW), "jsonl"]
    command = [sys.executable, "-P", *program]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=root, env=env) as process:
        source, sink = process.stdin, process.stdout
        assert source is not None
        assert sink is not None

        def ask(question: Question) -> dict[str, Any]:
            request = {"id": 0, "method": f"kb.{question.op}", "params": question.params}
            source.write(json.dumps(request).encode() + b"\n")
            source.flush()
            answer: dict[str, Any] = json.loads(sink.readline())
            return answer["result"] if answer["ok"] else {"error": answer["error"]}

        try:
            yield ask
        finally:
            source.close()  # it serves until its input ends


def main() -> int:
    """Run the command line; the exit code."""
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("paths", nargs="+", metavar="REV OUT | OUT | A B")
    parser.add_argument("--here", action="store_true", help="record this working tree")
    parser.add_argument("--compare", action="store_true", help="compare two recordings")
    parser.add_argument("--show", type=int, default=5, help="differences of each operation (5)")
    options = parser.parse_args()
    if len(options.paths) != (1 if options.here else 2):
        parser.error("the wrong number of arguments")
    first, out = options.paths[0], Path(options.paths[-1])
    if options.compare:
        with Path(first).open(encoding="utf-8") as one, out.open(encoding="utf-8") as other:
            count = report(one, other, sys.stdout, options.show)
        print(f"{count} answers differ" if count else "no answer differs")
        return 1 if count else 0
    with TemporaryDirectory(prefix="vouch-tree-") as tree, out.open("w", encoding="utf-8") as file:
        if not options.here:
            archive = ["git", "-C", ROOT, "archive", first, "sidecar"]
            packed = subprocess.run(archive, check=True, capture_output=True).stdout
            subprocess.run(["tar", "-x", "-C", tree], input=packed, check=True)
        file.writelines(f"{line}\n" for line in record(ROOT if options.here else Path(tree)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
