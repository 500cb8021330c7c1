"""What the worst texts cost: processor time of one question, in a process of its own.

`python -m benchmarks.worst ROOT` loads the knowledge base from its cache, asks, and prints seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.operations import OPERATIONS, perform

from benchmarks.client import environment
from benchmarks.generate import questions_of
from benchmarks.timing import Figure, Figures

NAMES = 1_000
SLOTS = 8
WORDS = 30
INVENTORY = 100_000
"""Characters."""


def measure(root: Path, folder: Path) -> Figures:
    """Of each case, after everything was asked once about something else."""
    command = [sys.executable, "-m", "benchmarks.worst", str(root)]
    done = subprocess.run(command, env=environment(folder), check=True, stdout=subprocess.PIPE)
    return {f"worst: {case}": Figure.of([took]) for case, took in json.loads(done.stdout).items()}


def main() -> None:
    root = Path(sys.argv[1])
    engine = Engine(env=os.environ)
    engine.registry.add_root(root)
    engine.load()
    (collection,) = engine.collections.values()
    names = sorted(entity.name for entity in collection.knowledge.names.entities())[:NAMES]
    words = " ".join(dict.fromkeys(" ".join(questions_of(root).topics).split()[:WORDS]))
    rows = [{"host": name, "owner": other} for name, other in zip(names, names[::-1], strict=True)]
    inventory = json.dumps(rows * 9)[:INVENTORY]
    for number in range(SLOTS):
        engine.observe("full", None, ", ".join(names[number::SLOTS]))

    def asked(operation: str, **params: object) -> Callable[[], object]:
        return lambda: perform(engine, OPERATIONS[operation], params, Caller())

    asked("context", task="What does an ordinary question cost?")()
    cases = {
        "names": asked("context", task=f"Why {', '.join(names)}?"),
        "window": asked("salience", session_id="full"),
        "inventory": asked("context", task=inventory),
        "words": asked("search", query=words),
    }
    print(json.dumps({case: _processor_time(ask) for case, ask in cases.items()}))


def _processor_time(ask: Callable[[], object]) -> float:
    started = time.thread_time()
    ask()
    return time.thread_time() - started


if __name__ == "__main__":
    main()
