"""vouch-kb 1.5.0 on the same files."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.generate import Questions
from benchmarks.timing import Figure, Figures

VERSION = "1.5.0"
ROOT = Path(__file__).resolve().parent.parent


def measure(root: Path, questions: Questions, calls: int, *, index: bool) -> Figures:
    """So many calls of each; without `index` its index is not built, nor has it one."""
    jobs: list[tuple[str, list[Any]]] = [("index", [])] if index else []
    for number in range(calls):
        jobs.append(("experts", [questions.topics[number * 7]]))
        jobs.append(("salience", [questions.windows[number]]))
    jobs.append(("names", [questions.document]))
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.vouch_driver"],
        cwd=ROOT,
        input=json.dumps({"root": str(root), "jobs": jobs}),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    samples: defaultdict[str, list[float]] = defaultdict(list)
    for (name, _), seconds in zip(jobs, json.loads(done.stdout), strict=True):
        samples[name].append(seconds)
    return {name: Figure.of(taken) for name, taken in samples.items()}
