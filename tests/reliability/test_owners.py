"""A knowledge base of another user says nothing, unless this user trusts its folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.engine.collection import SILENT_SECONDS

from tests.engine.bases import Clock, ask, base
from tests.engine.processes import place
from tests.protocol.client import run_command

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root can give folders away")

STRANGER = 12_345
TRUST = "VOUCH_SIDECAR_TRUST_FOLDERS"


@pytest.fixture
def folder() -> Iterator[Path]:
    with place() as (folder, _):
        yield folder


def give(path: Path) -> None:
    """Hand a folder and all below to another user."""
    for one in (path, *path.rglob("*")):
        os.chown(one, STRANGER, STRANGER, follow_symlinks=False)


def theirs(folder: Path) -> Path:
    """Another user's `.vouch/` in a folder that everybody may write to."""
    shared = folder / "shared"
    base(shared)
    shared.chmod(0o1777)
    give(shared / ".vouch")
    return shared


def behind_a_link(folder: Path) -> Path:
    """The same, behind a link of this user's own."""
    own = folder / "own"
    own.mkdir()
    (own / ".vouch").symlink_to(theirs(folder) / ".vouch")
    return own


def in_their_folder(folder: Path) -> Path:
    """Started somewhere in another user's project."""
    root = base(folder / "project")
    (root / "src").mkdir()
    give(root)
    return root / "src"


def below(folder: Path) -> Path:
    """Another user's project below the folder that is opened."""
    give(base(folder / "all" / "project"))
    return folder / "all"


Where = Callable[[Path], Path]
PLACES = [theirs, behind_a_link, in_their_folder, below]


def served(start: Path, env: Mapping[str, str]) -> Engine:
    """What a process that starts in a folder serves."""
    engine = Engine(env=env, clock=Clock())
    engine.registry.set_folders([start])
    engine.load()
    return engine


@pytest.mark.parametrize("where", PLACES)
def test_it_is_not_served_unless_it_is_trusted(folder: Path, where: Where) -> None:
    start, env = where(folder), {"HOME": str(folder)}
    status = ask(served(start, env), "status")
    assert status["roots"] == []
    (refused,) = status["refused"]
    assert TRUST in refused
    assert "trust.folders" in refused
    for trust in ("*", str(folder)):
        engine = served(start, env | {TRUST: trust})
        assert [row["entity_id"] for row in ask(engine, "experts", topic="key vault")["experts"]]
        assert ask(engine, "status")["refused"] == []


def test_the_client_may_trust_it_at_any_time(folder: Path) -> None:
    shared = theirs(folder)
    engine = served(shared, {"HOME": str(folder)})
    assert not engine.collections
    assert any(TRUST in problem.message for problem in engine.health.faulty())
    engine.reconfigure({"trust": {"folders": [str(shared)]}})
    engine.load()
    assert ask(engine, "experts", topic="key vault")["experts"]
    assert not engine.health.faulty()
    engine.reconfigure({})
    assert not engine.collections


def test_a_config_can_not_trust_itself(folder: Path) -> None:
    root = base(folder / "kb", {"config.yaml": b"sidecar:\n  trust:\n    folders: ['*']\n"})
    engine = served(root, {"HOME": str(folder)})
    (problem,) = ask(engine, "status")["roots"][0]["problems"]
    assert "environment" in problem["message"]
    give(root)
    assert not served(root, {"HOME": str(folder)}).collections


def test_one_that_changes_hands_says_nothing_new_and_then_nothing(folder: Path) -> None:
    root, clock = base(folder / "kb"), Clock()
    engine = Engine(env={"HOME": str(folder)}, clock=clock)
    engine.registry.set_folders([root])
    engine.load()
    give(root / ".vouch")
    engine.load()
    assert any(TRUST in problem.message for problem in engine.health.faulty())
    clock.now += SILENT_SECONDS
    assert ask(engine, "experts", topic="key vault")["experts"] == []


def test_the_shell_says_why_there_is_nothing(folder: Path) -> None:
    env = {"HOME": str(folder)}
    done = run_command("experts", "key vault", cwd=theirs(folder), env=env, code=2)
    assert done.stdout == ""
    assert done.stderr.count(TRUST) == 1
