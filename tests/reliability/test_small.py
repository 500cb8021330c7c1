"""What a careless or hostile peer, clock or environment brings, each met once."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller
from vouch_sidecar.index.base_cache import user_folder
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.runtime_folder import runtime_folder
from vouch_sidecar.workspace.git import Repository

from tests.engine.bases import ask, base, engine_on, write
from tests.kb.samples import claim


def test_a_lock_of_git_from_the_future_delays_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    lock = tmp_path / ".git" / "index.lock"
    lock.touch()
    repository = Repository.holding(tmp_path)
    assert repository is not None
    assert repository.is_changing()
    future = time.time() + 86_400
    os.utime(lock, (future, future))
    assert not repository.is_changing()


@pytest.mark.parametrize("name", ["XDG_RUNTIME_DIR", "TMPDIR", "XDG_CACHE_HOME", "HOME"])
def test_nothing_of_ours_lies_in_the_workspace(name: str) -> None:
    env = {"HOME": "/home/somebody", name: "here"}
    assert Path(runtime_folder(env)).is_absolute()
    caches = user_folder(env)
    assert caches is None or caches.is_absolute()


def test_who_may_see_it_is_told_what_is_wrong(tmp_path: Path) -> None:
    root = base(tmp_path / "kb")
    scope = {"visibility": "private", "agent": "mole"}
    write(root, "claims/hidden-name.yaml", claim("other-id", scope=scope))
    engine = engine_on(root)
    (problem,) = ask(engine, "status", Caller(viewer=Viewer(agent="mole")))["roots"][0]["problems"]
    assert problem["path"] == "claims/hidden-name.yaml"
