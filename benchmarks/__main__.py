"""The whole suite in one run: `python -m benchmarks [--quick] [KB ...]`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import hook, sidecar
from benchmarks.generate import LARGE, MEDIUM, Size, generated, questions_of
from benchmarks.report import Results, as_json, conditions, table

ARTIFACTS = Path(__file__).resolve().parent.parent / "artifacts" / "bench"
KBS = {"10000": MEDIUM, "100000": LARGE}


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = options.add_argument
    add("kbs", nargs="*", metavar="KB", help=f"only these of {', '.join(KBS)}")
    add("--quick", action="store_true", help="10,000 claims only: a minute")
    asked = options.parse_args()
    if unknown := set(asked.kbs) - KBS.keys():
        options.error(f"no knowledge base: {', '.join(sorted(unknown))}")
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    out = ARTIFACTS / ("quick.json" if asked.quick else "full.json")
    held = conditions()
    results: list[Results] = []
    for name in asked.kbs or (["10000"] if asked.quick else KBS):
        results.append(_measured(name, KBS[name]))
        out.write_text(json.dumps(as_json(results, held), indent=1), "utf-8")
    print(", ".join(f"{name} {value}" for name, value in held.items()), end="\n\n")
    print(table(results))


def _measured(name: str, size: Size) -> Results:
    _say(name, "files")
    root = generated(size)
    questions = questions_of(root)
    with TemporaryDirectory(prefix="v") as made:
        folder = Path(made)
        _say(name, "questions")
        result = Results(size, sidecar.measure(root, folder / "asked", questions))
        _say(name, "hooks")
        result.sidecar |= hook.measure(root, folder / "asked", questions)
    return result


def _say(*what: str) -> None:
    print(*what, sep=": ", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
