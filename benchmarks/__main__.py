"""The whole suite in one run: `python -m benchmarks [--quick]`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import floors, sidecar, soak, vouch
from benchmarks.check import differing
from benchmarks.client import COMMAND
from benchmarks.generate import LARGE, MEDIUM, SMALL, Size, generated, questions_of
from benchmarks.heartbeat import Stall
from benchmarks.names import measure as names
from benchmarks.report import Results, as_json, conditions, draw, table

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"small": SMALL, "medium": MEDIUM, "large": LARGE}


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = options.add_argument
    add("--quick", action="store_true", help="5,000 claims, few repeats: a minute")
    add("--size", action="append", choices=SIZES, help="only this one; repeatable")
    add("--vouch-large", action="store_true", help="vouch-kb at 100,000 claims too: minutes a call")
    asked = options.parse_args()
    chosen = asked.size or (["small"] if asked.quick else list(SIZES))
    held = conditions()
    results = [_measure(SIZES[name], asked.quick, asked.vouch_large) for name in chosen]
    print(
        f"\n{held['date']}, {held['cpu']}, {held['cores']} cores, load {held['load']} at the start,"
    )
    versions = ", ".join(f"{name} {number}" for name, number in held["versions"].items())
    print(f"{held['system']}, Python {held['python']}, {versions}\n")
    print("\n\n".join(table(result) for result in results))
    folder = ROOT / "artifacts" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    name = "quick" if asked.quick else "full"
    (folder / f"{name}.json").write_text(json.dumps(as_json(results, held), indent=1), "utf-8")
    if not asked.quick and not asked.size:
        draw(results, ROOT / "docs" / "images")
    if any(result.differing for result in results):
        sys.exit("answers differ from the reference")


def _measure(size: Size, quick: bool, vouch_large: bool) -> Results:
    _say(f"{size.label}: files")
    root = generated(size)
    questions = questions_of(root)
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        _say("sidecar")
        measured = sidecar.measure(root, cache, questions, quick)
        measured.figures["names"] = names(root, questions)
        result = Results(size, measured.figures)
        _say("floors")
        result.floors = floors.measure(root, questions)
        _say("stalls of the loop")
        result.stalls = _stalls(root, Path(folder) / "heart")
        if size is not LARGE:
            _say("soak")
            result.soak = soak.measure(root, cache, questions, 1_000 if quick else 10_000)
            _say("reference")
            result.differing = differing(root, measured.answers)
    if size is not LARGE or vouch_large:
        _say("vouch-kb")
        small = size is not LARGE
        calls = 1 if quick or not small else 2
        result.vouch_fast = vouch.measure(root, questions, fast=True, calls=calls, index=small)
        result.vouch = vouch.measure(
            root, questions, fast=False, calls=1, index=small and not quick
        )
    return result


def _stalls(root: Path, cache: Path) -> dict[str, Stall]:
    """Of a process that reads everything, and of one that starts from what another one read."""
    env = os.environ | {"XDG_CACHE_HOME": str(cache)}
    cold = _beat(root, env)
    subprocess.run([COMMAND, "warm", "--root", root], env=env, check=True)
    warm = _beat(root, env)
    warm.pop("idle")
    return cold | {f"{phase}, after a warm start": stall for phase, stall in warm.items()}


def _beat(root: Path, env: dict[str, str]) -> dict[str, Stall]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.heartbeat", root],
        env=env,
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return {phase: Stall(*stall) for phase, stall in json.loads(done.stdout).items()}


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
