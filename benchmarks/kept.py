"""What asking an operation leaves in memory: `python -m benchmarks.kept ROOT OPERATION`.

A process of its own loads the knowledge base from its cache, asks the operation about so many
things, once and again about as many others, and prints the bytes that were kept each time.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path

from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.engine.session_brief import brief
from vouch_sidecar.operations import OPERATIONS, InvalidParamsError, call

from benchmarks.client import environment
from benchmarks.generate import questions_of
from benchmarks.timing import memory

CALLS = 50
BRIEF = "brief"
"""What a session begins with; no operation, but asked like one."""


def measure(root: Path, folder: Path) -> dict[str, tuple[float, float]]:
    """Bytes by operation, after the first calls and after as many more."""
    found = {}
    for name in (*OPERATIONS, BRIEF):
        command = [sys.executable, "-m", "benchmarks.kept", str(root), name]
        done = subprocess.run(command, env=environment(folder), check=True, stdout=subprocess.PIPE)
        first, second = json.loads(done.stdout)
        found[name] = (first, second)
    return found


def main() -> None:
    root, name = Path(sys.argv[1]), sys.argv[2]
    engine = Engine(env=os.environ)
    engine.add_root(root)
    engine.load()
    asked = iter(_params(engine, root))
    held = [_memory()]
    for _ in range(2):
        for params in islice(asked, CALLS):
            _ask(engine, name, params)
        held.append(_memory())
    print(json.dumps([held[1] - held[0], held[2] - held[1]]))


def _params(engine: Engine, root: Path) -> list[dict[str, str]]:
    """For every operation at once: each takes what it knows."""
    questions = questions_of(root)
    names, words = questions.topics[:CALLS], questions.topics[-CALLS:]
    knowledge = next(iter(engine.collections.values())).knowledge
    entities = sorted(entity.id for entity in islice(knowledge.names.entities(), 2 * CALLS))
    return [
        {"topic": topic, "query": topic, "text": prompt, "task": prompt, "id": entity_id}
        for topic, prompt, entity_id in zip(
            chain(*zip(names, words, strict=True)), questions.prompts, entities, strict=False
        )
    ]


def _ask(engine: Engine, name: str, known: Mapping[str, str]) -> None:
    if name == BRIEF:
        served = engine.serving(Caller())
        brief(served)
        return
    params = {
        field: known[field] for field in OPERATIONS[name].params.model_fields if field in known
    }
    if name == "claim":
        params["id"] = "claim-" + params["id"].rpartition("-")[2].zfill(6)
    if name in ("salience", "session_end"):
        params["session_id"] = known["id"]
        engine.observe(known["id"], None, known["text"])
    with suppress(InvalidParamsError):  # a claim that nobody is told of
        call(engine, name, params, Caller())


def _memory() -> int:
    gc.collect()
    return memory(field="RssAnon")


if __name__ == "__main__":
    main()
