"""The cache: what goes in, what comes back, and what is done in doubt."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Caller, Engine, Keeper
from vouch_sidecar.index.cache import Cache, user_folder
from vouch_sidecar.index.frozen import freeze, frozen_parts, thaw
from vouch_sidecar.index.knowledge import Knowledge, PreparedChange
from vouch_sidecar.kb.glance import glance, state_of
from vouch_sidecar.kb.layout import scan
from vouch_sidecar.kb.reader import Reading, parse
from vouch_sidecar.kb.records import key_of
from vouch_sidecar.operations import call

from tests.protocol import knowledge

RETIRED = "Refresh tokens for JWT rotate on every use."


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = knowledge.make(tmp_path / "project")
    head = "id: auth\ntitle: Auth\nstatus: active\nclaims: [jwt-expires]"
    (made / ".vouch" / "pages" / "auth.md").write_text(f"---\n{head}\n---\n# Keys\n\nJWT.\n")
    settle(made)
    return made


def settle(root: Path) -> None:
    """Let the files be older than what may still change unnoticed."""
    for path in (root / ".vouch").rglob("*"):
        if path.is_file():
            found = path.stat()
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns - 10_000_000_000))


def load(root: Path, env: dict[str, str]) -> Engine:
    engine = Engine(env=env)
    engine.add_root(root)
    engine.load()
    return engine


def look(engine: Engine, root: Path) -> None:
    """Take in what changed on disk."""
    collection = engine.collections[root]
    if (step := collection.read()) is not None:
        engine.publish(collection, step)


def files(env: dict[str, str]) -> list[Path]:
    return list((Path(env["XDG_CACHE_HOME"]) / "vouch-sidecar").glob("*"))


def cache_of(root: Path, env: dict[str, str]) -> Cache:
    folder = user_folder(env)
    assert folder is not None
    return Cache(folder, root)


def test_what_is_kept_comes_back_as_it_was(root: Path, env: dict[str, str]) -> None:
    engine = load(root, env)
    kept = cache_of(root, env).load()
    assert kept is not None
    stats = scan(root / ".vouch")
    assert kept["stats"] == {path: stats[path] for path in stats.keys() - {"config.yaml"}}
    again = {key_of(p.artifact): p for p in thaw(kept).prepared()}
    known = engine.collections[root].knowledge
    assert again == {key_of(p.artifact): p for p in known.prepared()}


def test_a_second_process_reads_only_what_changed(
    root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load(root, env)
    knowledge.claim(root, "redis-holds", "Redis holds the queues.", "redis")
    read: list[str] = []

    def noting(path: str, data: bytes) -> Reading:
        read.append(path)
        return parse(path, data)

    monkeypatch.setattr("vouch_sidecar.kb.batches.parse", noting)
    engine = load(root, env)
    assert read == ["claims/redis-holds.yaml"]
    answered = call(engine, "claim", {"id": "redis-holds"}, Caller())
    assert answered["claim"]["text"] == "Redis holds the queues."


def test_what_is_not_live_is_not_kept(root: Path, env: dict[str, str]) -> None:
    knowledge.claim(root, "old", "Sessions were kept in memcached.", "redis", status="superseded")
    hidden = "scope: {visibility: private}\n"
    knowledge.claim(root, "hidden", "The keys lie in the cellar.", "jwt", more=hidden)
    settle(root)
    load(root, env)
    for path in files(env):
        assert b"Redis holds the sessions" in path.read_bytes()
        assert b"memcached" not in path.read_bytes()
        assert b"cellar" not in path.read_bytes()


def test_what_is_retired_while_running_is_purged_at_once(root: Path, env: dict[str, str]) -> None:
    engine = load(root, env)
    assert any(RETIRED.encode() in path.read_bytes() for path in files(env))
    knowledge.claim(root, "jwt-rotates", RETIRED, "jwt", status="archived")
    look(engine, root)
    assert files(env) == []
    settle(root)
    look(engine, root)
    assert engine.collections[root].remember()
    (path,) = files(env)
    assert RETIRED.encode() not in path.read_bytes()
    assert b"Redis holds the sessions" in path.read_bytes()


def test_what_is_retired_while_nobody_runs_is_purged_at_the_start(
    root: Path, env: dict[str, str]
) -> None:
    load(root, env)
    (root / ".vouch" / "claims" / "jwt-rotates.yaml").unlink()
    engine = load(root, env)
    found = call(engine, "search", {"query": "rotate"}, Caller())
    assert found["hits"] == []
    for path in files(env):
        assert RETIRED.encode() not in path.read_bytes()


def test_the_keeper_writes_it_when_it_is_quiet(root: Path, env: dict[str, str]) -> None:
    async def main() -> None:
        engine = Engine(env=env)
        engine.add_root(root)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Keeper(engine, "client").run)
            with anyio.fail_after(10):
                while not files(env):
                    await anyio.sleep(0.05)
            tasks.cancel_scope.cancel()

    anyio.run(main)
    assert cache_of(root, env).load()


def test_what_changes_while_it_is_kept_is_not_kept(
    root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = load(root, env)
    collection = engine.collections[root]
    knowledge.claim(root, "redis-holds", "Redis holds the queues.", "redis")
    settle(root)
    look(engine, root)

    def meanwhile(known: Knowledge) -> Iterator[tuple[str, Any]]:
        for part in frozen_parts(known):
            yield part
            monkeypatch.undo()
            known.apply(PreparedChange((), frozenset()))

    monkeypatch.setattr("vouch_sidecar.engine.collection.frozen_parts", meanwhile)
    assert not collection.remember()
    assert files(env) == []
    assert collection.remember()
    assert len(files(env)) == 1


def test_where_no_file_was_read_there_is_nothing_to_keep(
    root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load(root, env)
    looked: list[object] = []
    monkeypatch.setattr("vouch_sidecar.engine.collection.state_of", looked.append)
    engine = load(root, env)  # which remembers as well
    look(engine, root)
    assert engine.collections[root].remember()
    assert not looked


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def other_version(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"cache 2 ", b"cache 0 ", 1))


def open_to_all(path: Path) -> None:
    path.chmod(0o644)


def link(path: Path) -> None:
    moved = path.rename(path.with_name("moved"))
    path.symlink_to(moved)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "damage", [flip, halve, empty, other_version, open_to_all, link, folder, Path.unlink]
)
def test_in_doubt_the_files_are_read(
    root: Path, env: dict[str, str], damage: Callable[[Path], None]
) -> None:
    load(root, env)
    (path,) = files(env)
    damage(path)
    assert cache_of(root, env).load() is None
    engine = load(root, env)
    assert call(engine, "status", {}, Caller())["roots"][0]["counts"]["claims"] == 3


def test_only_the_user_may_read_it(root: Path, env: dict[str, str]) -> None:
    load(root, env)
    for path in files(env):
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700


def test_without_a_home_nothing_is_kept(root: Path, tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))
    load(root, {})
    assert set(tmp_path.rglob("*")) == before


def test_a_glance_sees_what_a_survey_sees(root: Path) -> None:
    kb_dir = root / ".vouch"
    (kb_dir / "claims" / "notes.txt").write_text("no claim", "utf-8")
    (kb_dir / "sources" / "empty").mkdir()
    assert glance(kb_dir) == state_of(scan(kb_dir).items())
    knowledge.claim(root, "new", "JWT is new.", "jwt")
    assert glance(kb_dir) == state_of(scan(kb_dir).items())
    linked = root.parent / "worktree" / ".vouch"
    linked.parent.mkdir()
    linked.symlink_to(kb_dir)
    assert glance(linked) == state_of(scan(linked).items()) == glance(kb_dir)
    (kb_dir / "claims" / "link.yaml").symlink_to("new.yaml")
    assert glance(kb_dir) is None


def test_what_was_frozen_answers_as_before(root: Path, env: dict[str, str]) -> None:
    engine = load(root, env)
    live = engine.collections[root].knowledge
    asked = [
        ("experts", {"topic": "tokens"}),
        ("experts", {"topic": "jwt", "weight": "citation", "explain": True}),
        ("probe", {"text": "How does JWT rotation hold up in Redis?"}),
        ("context", {"task": "JSON Web Token and Redis", "adjacent": True}),
        ("search", {"query": "sessions tokens"}),
        ("entity", {"id": "jwt"}),
        ("claim", {"id": "jwt-rotates"}),
        ("status", {}),
    ]

    def answers() -> list[dict[str, object]]:
        found = [call(engine, name, params, Caller()) for name, params in asked]
        for one in found:
            one.pop("probe_time_ms", None)
        return found

    before = answers()
    again = thaw(freeze(live))
    again.generation = live.generation
    engine.collections[root].knowledge = again
    assert answers() == before
