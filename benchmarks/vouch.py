"""vouch-kb 1.5.0 on the same files, as it is and with PyYAML's C loader."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.generate import Questions
from benchmarks.timing import Figure

__all__ = ["measure"]

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".oracle" / "bin" / "python"
Job = tuple[str, Sequence[Any]]


def measure(
    root: Path, questions: Questions, *, fast: bool, calls: int, index: bool
) -> dict[str, Figure]:
    """Figures by name, from this many calls of each; `fast` with the C loader. Without `index`,
    an index that was made before is used, or an empty one.
    """
    jobs: list[Job] = [("index", [])] if index else []
    for number in range(calls):
        jobs.append(("experts", [questions.topics[number * 7]]))
        jobs.append(("salience", [questions.windows[number]]))
    jobs.append(("names", [questions.document]))
    request = {"root": str(root), "fast": fast, "jobs": jobs}
    done = subprocess.run(
        [PYTHON, "-m", "benchmarks.vouch_driver"],
        cwd=ROOT,
        input=json.dumps(request),
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    samples: defaultdict[str, list[float]] = defaultdict(list)
    for (name, _), seconds in zip(jobs, json.loads(done.stdout), strict=True):
        samples[name].append(seconds)
    return {name: Figure.of(taken) for name, taken in samples.items()}
