"""Whenever a process is killed, the next start answers as one with an empty cache, and what is
retired is in no file soon.
"""

from __future__ import annotations

import os
import random
import shutil
from contextlib import suppress
from subprocess import TimeoutExpired

import pytest

from tests.conftest import LONG
from tests.engine.bases import engine_on, finished, reread, unread_engine, write
from tests.engine.processes import Server, holds, place, serving, until
from tests.engine.world import answers, changed, files, lay, said_by
from tests.kb.samples import claim

ROUNDS = 50 if LONG else 5
TOO_LATE = 20.0
"""Seconds after which a process is killed that does not come to its moment."""
MOMENTS = ("os.mkdir */unfinished-*", "open */unfinished-*/records", "os.rename */unfinished-*")
"""When a base is begun, its files are written, and it is finished; each time or a little later."""
REMOVED = "os.rename */gone-*"
"""When one is removed."""
SECRET = "doormat"
TEXT = f"The Key Vault keeps its master key under the {SECRET}."


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
            with serving(root, {**env, "KILLED_AT": str(killed_at)}, 1) as (server,):
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


@pytest.mark.soak
def test_what_is_retired_goes_though_the_first_process_to_notice_is_killed() -> None:
    """It is in no answer at once, and in no file soon."""
    live = {"text": TEXT, "entities": ["e0"], "confidence": 1.0}

    def claims(server: Server) -> int:
        return int(server.status()["counts"]["claims"])

    def said(server: Server) -> str:
        """All that a server answers, and what it says of the word itself."""
        about = server.ask("search", query=SECRET)["hits"], server.ask("probe", text=TEXT)["hits"]
        return f"{answers(server.ask, root)}{about}{server.ask('claim', id='master')}"

    with place() as (folder, env):
        root = lay(folder / "kb", {**files(), "claims/master.yaml": claim("master", **live)})
        with serving(root, env, 3) as servers:
            (number,) = {claims(server) for server in servers}
            until(lambda: finished(folder), "no base was finished")
            assert all(SECRET in said(server) for server in servers)
            assert holds(folder / "cache", SECRET)
            retired = {**live, "text": "[redacted]", "status": "redacted"}
            write(root, "claims/master.yaml", claim("master", **retired))
            until(lambda: any(claims(server) < number for server in servers), "nobody noticed")
            first = next(server for server in servers if claims(server) < number)
            assert SECRET not in said(first)
            first.dispose()
            others = [server for server in servers if server is not first]
            until(lambda: all(claims(server) < number for server in others), "it was not noticed")
            assert not any(SECRET in said(server) for server in others)
            until(lambda: finished(folder), "no base was finished anew")
            until(lambda: not holds(folder / "cache", SECRET), "a file still holds it")
            wanted = said_by(engine_on(root))
            assert [answers(server.ask, root) for server in others] == [wanted, wanted]
