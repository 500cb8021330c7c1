"""Times vouch-kb's own functions on one knowledge base.

Reads `{"root", "jobs": [[name, arguments], …]}` on standard input and prints, for each job, the
seconds it took.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def vouch(module: str) -> Any:
    return import_module(f"vouch.{module}")


def index(store: Any) -> None:
    """What `vouch-kb index` calls."""
    vouch("health").rebuild_index(store)


def experts(store: Any, topic: str) -> None:
    vouch("experts").rank_experts(store, topic)


def salience(store: Any, texts: list[str]) -> None:
    module = vouch("salience")
    module.reset_session("bench")
    for text in texts:
        module.record_query("bench", text)
    module.compute_salience(store, "bench")


def names(store: Any, text: str) -> float:
    """Only the look for names, with the entities at hand."""
    entities = store.list_entities()
    started = time.perf_counter()
    vouch("salience")._substring_entity_ids(entities, text)
    return time.perf_counter() - started


JOBS: dict[str, Callable[..., Any]] = {
    "index": index,
    "experts": experts,
    "salience": salience,
    "names": names,
}


def main() -> None:
    asked = json.load(sys.stdin)
    store = vouch("storage").KBStore(Path(asked["root"]))
    taken = []
    for name, arguments in asked["jobs"]:
        started = time.perf_counter()
        own = JOBS[name](store, *arguments)
        taken.append(time.perf_counter() - started if own is None else own)
    json.dump(taken, sys.stdout)


if __name__ == "__main__":
    main()
