"""A knowledge base of another user says nothing, unless this user trusts its folder."""

import os
import shutil
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar import NoKnowledgeBaseError, open_kb
from vouch_sidecar.engine import Caller, Engine, health
from vouch_sidecar.engine.collection import SILENT_SECONDS
from vouch_sidecar.kb.discovery import BaseInTree
from vouch_sidecar.surfaces.socket_server import LocalServer

from tests.engine.bases import Clock, ask, base, counts, engine_on, load, places, settle, until
from tests.protocol.client import run_command

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root can give folders away")

STRANGER = 12_345
ALMANAC = Path(__file__).parents[2] / "examples" / "almanac"
TRUST = "VOUCH_SIDECAR_TRUST_FOLDERS"


def give(path: Path) -> Path:
    """Hand a folder and all below to another user."""
    for one in (path, *path.rglob("*")):
        os.chown(one, STRANGER, STRANGER, follow_symlinks=False)
    return path


def theirs(folder: Path) -> Path:
    """Another user's `.vouch/` in a folder that everybody may write to."""
    shared = base(folder / "shared")
    shared.chmod(0o1777)
    give(shared / ".vouch")
    return shared


def behind_a_link(folder: Path) -> Path:
    """The same, behind a link of this user's own."""
    (folder / "own").mkdir()
    (folder / "own" / ".vouch").symlink_to(theirs(folder) / ".vouch")
    return folder / "own"


def below(folder: Path) -> Path:
    """Another user's project below the folder that is opened."""
    return give(base(folder / "all" / "project")).parent


def served(start: Path, trust: str = "", **options: Any) -> Engine:
    """What a process that starts in a folder serves."""
    return engine_on(start, env={"HOME": str(start.parents[1]), TRUST: trust}, **options)


@pytest.mark.parametrize("where", [theirs, behind_a_link, below])
def test_it_is_served_where_it_is_trusted(tmp_path: Path, where: Callable[[Path], Path]) -> None:
    start = where(tmp_path)
    engine = served(start)
    status = ask(engine, "status")
    assert status["roots"] == []
    (refused,) = status["refused"]
    assert TRUST in refused
    assert "trust.folders" in refused
    assert any(TRUST in problem.message for problem in health.faulty(engine))
    engine.registry.configure({"trust": {"folders": [str(tmp_path)]}})  # by the client, at any time
    load(engine)
    for trusting in (engine, served(start, "*"), served(start, str(tmp_path))):
        assert counts(trusting, "key vault") == {"vault": 1}
        assert ask(trusting, "status")["refused"] == []
        assert not health.faulty(trusting)
    engine.registry.configure({})
    assert not engine.registry.collections


def test_a_program_may_trust_it_and_the_shell_says_why_there_is_nothing(tmp_path: Path) -> None:
    shared = theirs(tmp_path)
    with pytest.raises(NoKnowledgeBaseError):
        open_kb(shared)
    with open_kb(shared, settings={"trust": {"folders": [str(shared)]}}) as kb:
        assert [row.claim_count for row in kb.experts("key vault").experts] == [1]
    done = run_command("experts", "key vault", cwd=shared, code=2)
    assert (done.stdout, done.stderr.count(TRUST)) == ("", 1)


def test_a_config_can_not_trust_itself(tmp_path: Path) -> None:
    root = base(tmp_path / "kb", {"config.yaml": b"sidecar:\n  trust:\n    folders: ['*']\n"})
    (problem,) = ask(served(root), "status")["roots"][0]["problems"]
    assert "environment" in problem["message"]
    assert not served(give(root)).registry.collections


async def test_the_process_that_serves_trusts_what_the_asker_trusts(tmp_path: Path) -> None:
    """No other asker's question is answered from it."""
    stranger = places(theirs(tmp_path))
    async with anyio.create_task_group() as tasks:
        server = LocalServer({TRUST: "/elsewhere"}, tasks)
        other = server.engine_for(Caller(places=stranger))
        trusting = server.engine_for(Caller(places=stranger, env={TRUST: str(tmp_path)}))
        await until(lambda: trusting.registry.has_looked)
        assert counts(trusting, "key vault") == {"vault": 1}
        assert ask(trusting, "status")["refused"] == []
        assert not other.registry.collections
        (refused,) = ask(other, "status")["refused"]
        assert TRUST in refused
        tasks.cancel_scope.cancel()


def test_who_names_what_no_search_would_give_is_refused(tmp_path: Path) -> None:
    engine, root = served(tmp_path / "a" / "b"), base(tmp_path / "kb")
    folder = base(tmp_path / "theirs")
    os.chown(folder, STRANGER, STRANGER)
    for place in ((folder, folder), ("kb", root), (root, "."), (root, root / "no"), ("\0", root)):
        with chdir(tmp_path):
            engine.registry.add([BaseInTree(map(str, place))])
    assert not engine.registry.collections
    engine.registry.add(places(root))
    engine.registry.add(places(other := base(tmp_path / "other")))
    assert {*engine.registry.collections} == places(root, other)
    forced = engine_on(env={"VOUCH_KB_PATH": str(folder / ".vouch")})
    forced.registry.add(places(folder))
    assert forced.registry.collections, "what a search gives there is served"


def test_one_that_changes_hands_says_nothing_new_and_then_nothing(tmp_path: Path) -> None:
    root, clock = Path(shutil.copytree(ALMANAC, tmp_path / "kb")), Clock()
    engine = served(root, clock=clock)
    settle(engine)

    def says() -> list[bool]:
        """Whether it says claims, and topics."""
        hits = ask(engine, "search", query="yearbook")["hits"]
        named = ask(engine, "mentions", text="How is the yearbook printed?")["mentions"]
        return [bool(hits), bool(named)]

    assert says() == [True, True]
    give(root / ".vouch")
    load(engine)
    assert any(TRUST in problem.message for problem in health.faulty(engine))
    assert says() == [True, True]
    clock.now += SILENT_SECONDS
    assert says() == [False, False]
