"""Wherever a process is killed, the next one answers as with an empty cache, of nothing retired."""

import os
import shutil
import signal
import sys
from collections.abc import Mapping
from itertools import count
from pathlib import Path

import pytest

from tests.conftest import LONG
from tests.engine.bases import engine_on, finished, load, reread, unread_engine
from tests.engine.processes import holds, place
from tests.engine.world import Files, changed, files, lay, said_by
from tests.forks import forked
from tests.kb.samples import claim

TOUCHES = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir")
SECRET = "doormat"
BEFORE = files() | {"claims/master.yaml": claim("master", text=f"The key is under the {SECRET}.")}
AFTER = changed(BEFORE, 1) | {"claims/master.yaml": claim("master", text="-", status="redacted")}


def serve(root: Path, env: Mapping[str, str], after: Files, touched: int) -> None:
    """Keep a base, take in a change that retires something, and keep another one."""
    touches = count()

    def note(event: str, args: tuple[object, ...]) -> None:
        if event in TOUCHES and "vouch-sidecar/" in str(args[0]) and next(touches) == touched:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(note)
    engine = engine_on(root, env=env)
    lay(root, after)
    load(engine)


@pytest.mark.soak
def test_the_next_start_answers_as_one_with_an_empty_cache() -> None:
    with place() as (folder, env):
        root, cache, kills = folder / "kb", folder / "cache", 0
        for touched in count(step=1 if LONG else 4):  # files of the cache
            shutil.rmtree(cache, ignore_errors=True)
            lay(root, BEFORE)
            is_killed = forked(serve, root, env, AFTER, touched) == -signal.SIGKILL
            kills += is_killed
            wanted, next_one = said_by(engine_on(root)), unread_engine(root, env=env)
            reread(next_one)  # and leaves nothing itself
            assert said_by(next_one) == wanted, touched
            is_retired = b"redacted" in (root / ".vouch/claims/master.yaml").read_bytes()
            assert not (is_retired and holds(cache, SECRET)), touched
            del next_one
            for _ in "ab":
                assert said_by(engine_on(root, env=env)) == wanted, touched
            own = f"unfinished-{os.getpid()}-"
            left = {path.name for path in cache.glob("vouch-sidecar/*/*")}
            left = {name for name in left if not name.startswith((own, "beside-"))}
            (base,) = finished(folder)
            assert left == {"root", base.name}, touched
            if not is_killed:
                break
    assert kills > 5
