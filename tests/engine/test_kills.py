"""Whenever a process is killed, the next start answers as one with an empty cache."""

from __future__ import annotations

import os
import random
import shutil
from contextlib import suppress
from subprocess import TimeoutExpired

import pytest

from tests.conftest import LONG
from tests.engine.bases import engine_on, finished, reread, unread_engine
from tests.engine.processes import place, serving, until
from tests.engine.world import changed, files, lay, said_by

ROUNDS = 50 if LONG else 5
TOO_LATE = 20.0
"""Seconds after which a process is killed that does not come to its moment."""
MOMENTS = ("os.mkdir */unfinished-*", "open */unfinished-*/records", "os.rename */unfinished-*")
"""When a base is begun, its files are written, and it is finished; each time or a little later."""
REMOVED = "os.rename */gone-*"
"""When one is removed."""


@pytest.mark.soak
@pytest.mark.timeout(30 * ROUNDS)
def test_the_next_start_answers_as_one_with_an_empty_cache() -> None:
    rng, came = random.Random(ROUNDS), 0
    with place() as (folder, env):
        state, cache = files(400), folder / "cache"
        root, killed_at = lay(folder / "kb", state), folder / "killed-at"
        for number in range(ROUNDS):
            state = changed(state, number)
            if number % 2 == 0:
                shutil.rmtree(cache, ignore_errors=True)
            with serving(root, {**env, "KILLED_AT": str(killed_at)}) as server:
                if number % 2:  # it takes in a change that retires something: another base
                    until(lambda: finished(folder), "no base was finished")
                moment = rng.choice([*MOMENTS, REMOVED] if number % 2 else MOMENTS)
                said = f"{moment} {rng.choice([0.0, 0.0, rng.random() * 0.05])}"
                (folder / "said").write_text(said, "utf-8")
                (folder / "said").rename(killed_at)
                lay(root, state)
                with suppress(TimeoutExpired):  # a change may retire nothing: it is killed then
                    server.process.wait(TOO_LATE)
                    came += 1
            killed_at.unlink()
            wanted, next_one = said_by(engine_on(root)), unread_engine(root, env=env)
            reread(next_one)  # and leaves nothing itself
            assert said_by(next_one) == wanted, number
        assert said_by(engine_on(root, env=env)) == wanted
        assert said_by(engine_on(root, env=env)) == wanted
        own = f"unfinished-{os.getpid()}-"
        left = {path.name for path in cache.glob("vouch-sidecar/*/*")}
        assert {name for name in left if not name.startswith((own, "beside-"))} == {
            "root",
            *(base.name for base in finished(folder)),
        }
        assert len(finished(folder)) == 1
    assert came > ROUNDS / 2
