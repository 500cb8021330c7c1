"""What vouch-kb finds salient after every turn of the dialogues.

Reads `[{"root": folder, "texts": [...]}, ...]` on stdin, prints a list of lists of entity ids a
turn, `{"8": ..., "1": ...}` by window.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def salient(root: Path, texts: list[str], window: int) -> list[list[str]]:
    """Ids by turn: the window holds this turn and those before it."""
    salience: Any = import_module("vouch.salience")
    health: Any = import_module("vouch.health")
    store = import_module("vouch.storage").KBStore(root)
    health.rebuild_index(store)
    session = f"{root}-{window}"
    out = []
    for text in texts:
        salience.record_query(session, text, window=window)
        out.append([row["entity_id"] for row in salience.compute_salience(store, session)])
    return out


def main() -> None:
    """Answers all requests, for both windows."""
    requests = json.load(sys.stdin)
    answers = {
        str(window): [salient(Path(r["root"]), r["texts"], window) for r in requests]
        for window in (8, 1)
    }
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
