"""Whenever a process is killed, the next start answers as one with an empty cache."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine

from tests.engine.bases import engine_on, finished, unread_engine
from tests.engine.processes import place, resident, serving
from tests.engine.world import changed, files, lay, said_by, take
from tests.forks import Forked
from tests.soak import LONG, soak

ROUNDS = 50 if LONG else 5
TOO_LATE = 2.0
"""Seconds after which a process is killed that does not come to the moment."""


MOMENTS = ("unfinished-*", "unfinished-*/*.store", "unfinished-*/records", "gone-*")
"""What lies in the cache when a base is begun, written, about to be renamed, or removed."""


def kill_at(
    moment: str, cache: Path, process: subprocess.Popen[bytes] | Forked, rng: random.Random
) -> None:
    """Kill a process when it comes to a moment, or a little later."""
    deadline = time.monotonic() + TOO_LATE
    while not reached(moment, cache) and process.poll() is None and time.monotonic() < deadline:
        continue
    time.sleep(rng.choice([0.0, 0.0, rng.random() * 0.05]))
    process.kill()
    process.wait()


def reached(moment: str, cache: Path) -> bool:
    try:
        return any(cache.rglob(moment))
    except FileNotFoundError:  # something was removed while it was looked through
        return False


@soak
@pytest.mark.timeout(30 * ROUNDS)
def test_the_next_start_answers_as_one_with_an_empty_cache() -> None:
    rng = random.Random(ROUNDS)
    with place() as (folder, env):
        before, cache = files(100), folder / "cache"
        root = lay(folder / "kb", before)
        for number in range(ROUNDS):
            if number % 4 == 0:
                shutil.rmtree(cache, ignore_errors=True)
            change = changed(before, number)
            before = take(before, change)
            moment = rng.choice(MOMENTS)
            if number % 2:  # it takes in a change that retires something, so writes another base
                with serving(root, env, 1) as (server,):
                    assert server.status()
                    lay(root, change)
                    kill_at(moment, cache, server.process, rng)
            else:
                lay(root, change)
                kill_at(moment, cache, resident(root, env), rng)
            wanted = said_by(engine_on(root))
            assert said_by(read(root, env)) == wanted, number
        engine_on(root, env=env)
        assert len(finished(folder)) == 1
        assert said_by(read(root, env)) == wanted
        left = [path for path in cache.glob("vouch-sidecar/*/*") if is_left(path)]
        assert {path.name for path in left if not path.name.startswith("beside-")} == {
            "root",
            *(base.name for base in finished(folder)),
        }


def is_left(path: Path) -> bool:
    """Whether this is not a base that this process has begun."""
    return not path.name.startswith(f"unfinished-{os.getpid()}-")


def read(root: Path, env: dict[str, str]) -> Engine:
    """An engine that has read what is there, and left nothing itself."""
    engine = unread_engine(root, env=env)
    engine.read()
    return engine
