"""What a careless or hostile peer, clock or environment brings, each met once."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.engine import Caller
from vouch_sidecar.index.base_cache import user_folder
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.runtime_folder import runtime_folder
from vouch_sidecar.workspace.git import Repository

from tests.engine.bases import ask, base, engine_on, write
from tests.kb.samples import claim
from tests.protocol.client import indexed_client, run_command


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


MARK = "hunter2"
HIDDEN: list[dict[str, Any]] = [
    {"scope": {"visibility": "project", "project": "kb"}},
    {"scope": {"visibility": "private"}},
    {"scope": {"visibility": "private", "agent": "mole"}},
    {"scope": {"visibility": "project", "project": "secret"}},
    {"status": "redacted"},
    {"status": "Superseded", "confidence": "high"},
    {"scope": {"visibility": "private", "agent": "mole"}, "confidence": "high"},
]


def hiding(folder: Path) -> Path:
    """A knowledge base with faulty files of every scope that some viewer may not see, and with
    claims that are well but for ids that name nothing. The secret word stands in all fields.
    """
    root = base(folder / "kb")
    write(root, "claims/seen.yaml", b"id: [")
    for number, fields in enumerate(HIDDEN):
        secret: dict[str, Any] = {"text": MARK, "evidence": [MARK], "entities": [MARK], **fields}
        write(root, f"claims/lacking-{number}.yaml", claim(f"lacking-{number}", **secret))
        secret |= {"confidence": MARK, "created_at": MARK, "proposed_by": [MARK]}
        write(root, f"claims/hidden-{number}.yaml", claim(f"other-{number}", **secret))
    return root


def test_who_may_see_it_is_told_what_is_wrong(tmp_path: Path) -> None:
    root = base(tmp_path / "kb")
    scope = {"visibility": "private", "agent": "mole"}
    write(root, "claims/hidden-name.yaml", claim("other-id", scope=scope))
    engine = engine_on(root)
    (problem,) = ask(engine, "status", Caller(viewer=Viewer(agent="mole")))["roots"][0]["problems"]
    assert problem["path"] == "claims/hidden-name.yaml"


SURFACES: dict[str, Callable[[Path], str]] = {
    "check": lambda root: _printed(root, "check"),
    "check --json": lambda root: _printed(root, "check", "--json"),
    "check --format github": lambda root: _printed(root, "check", "--format", "github"),
    "pushed": lambda root: _pushed(root),
}


@pytest.mark.parametrize("surface", SURFACES)
def test_every_file_that_cannot_be_used_is_named_and_nothing_of_it_is_said(
    tmp_path: Path, surface: str
) -> None:
    said = SURFACES[surface](hiding(tmp_path))
    assert "claims/seen.yaml" in said
    for number in range(len(HIDDEN)):
        assert f"claims/hidden-{number}.yaml" in said
    assert MARK not in said


def _printed(root: Path, *command: str) -> str:
    done = run_command(*command, cwd=root, code=None)
    assert not done.stderr
    return done.stdout


def _pushed(root: Path) -> str:
    with indexed_client(root) as client:
        client.wait(lambda one: one.get("params", {}).get("health") == "warning")
        client.request("vouch/status")
        return json.dumps(client.received)
