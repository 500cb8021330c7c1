"""Several processes on one knowledge base, each with its own view of a base that all share."""

from __future__ import annotations

import random
import time
from pathlib import Path

from tests.engine.bases import engine_on, finished
from tests.engine.processes import Server, place, serving, until
from tests.engine.world import TIMELESS, Files, answers, changed, files, lay, said_by, take

CHANGES = 12


def change_for_a_while(root: Path, before: Files, servers: list[Server]) -> Files:
    """Change files, claims that are retired among them, while somebody asks."""
    rng = random.Random(3)
    for seed in range(CHANGES):
        change = changed(before, seed)
        before = take(before, change)
        lay(root, change)
        assert servers[seed % len(servers)].ask("experts", topic="key vault")["experts"]
        time.sleep(rng.random() * 0.3)
    return before


def test_five_processes_agree_in_the_end() -> None:
    with place() as (folder, env):
        before = files()
        root = lay(folder / "kb", before)
        with serving(root, env, 5) as servers:
            for server in servers:
                assert server.status()["counts"]["claims"]
            change_for_a_while(root, before, servers)
            wanted = said_by(engine_on(root), TIMELESS)

            def agree() -> bool:
                return all(answers(server.ask, root, TIMELESS) == wanted for server in servers)

            until(agree, "they do not agree")
            assert [server.faults() for server in servers] == [[]] * len(servers)
            until(lambda: len(finished(folder)) == 1, "there is not one base")
        assert said_by(engine_on(root, env=env), TIMELESS) == wanted
