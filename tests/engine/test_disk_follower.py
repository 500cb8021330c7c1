"""The published knowledge follows the disk, a change at a time and whole."""

import os
import shutil
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import disk_follower, running
from vouch_sidecar.engine.collection import Collection, Seen
from vouch_sidecar.engine.disk_follower import CollectionFollower
from vouch_sidecar.engine.registry import Registry
from vouch_sidecar.kb.discovery import Found
from vouch_sidecar.workspace import breath
from vouch_sidecar.workspace.git import Repository

from tests.engine import bases
from tests.engine.bases import ask, base, cached, counts, only, places, unread_engine, until, write
from tests.kb.samples import claim
from tests.workspace.places import cite, git, held, repository


def add(root: Path, name: str) -> None:
    write(root, f"claims/{name}.yaml", claim(name, text="New.", entities=["vault"]))


@pytest.mark.parametrize(("below", "is_watched"), [("", True), ("services/api", False)])
async def test_a_checkout_of_another_branch_is_one_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str, is_watched: bool
) -> None:
    """All files change at once: no answer shows a part of them, whether or not they are named."""
    if not is_watched:
        monkeypatch.setattr("vouch_sidecar.engine.collection.sweep_interval", lambda _: 60.0)
        monkeypatch.setattr(disk_follower, "GIT_LOOK_SECONDS", 0.1)
        monkeypatch.setattr(CollectionFollower, "_watch", lambda _: anyio.sleep_forever())
    repository = tmp_path / "repository"
    root = base(repository / below, bases.known("relay", "Key Vault Relay"))
    git(repository, "init", "-q", "-b", "other")
    for branch, about in (("other", "relay"), ("main", "vault")):
        for i in range(60):
            write(root, f"claims/c{i}.yaml", claim(f"c{i}", text=f"On {branch}.", entities=[about]))
        git(repository, "checkout", "-q", "-B", branch)
        git(repository, "add", ".")
        git(repository, "commit", "-qm", branch)
    engine = unread_engine(root)
    branches = {"other": {"relay": 61, "vault": 1}, "main": {"relay": 1, "vault": 61}}

    async with running(engine):
        await until(lambda: engine.registry.has_looked)
        for branch, wanted in branches.items():
            answer: dict[str, int] = {}
            async with anyio.create_task_group() as group:
                group.start_soon(anyio.to_thread.run_sync, git, repository, "checkout", branch)
                with anyio.fail_after(60):
                    while answer != wanted:
                        answer = counts(engine, "key vault")
                        assert answer in branches.values()
                        await anyio.sleep(0.002)


async def test_claims_are_looked_at_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The look at what is around comes before that at the claims."""
    root = repository(tmp_path / "house", {"one.py": "", "two.py": ""}, commit=True)
    cite(root, "first", "Nothing is named.", "https://example.org")
    engine = unread_engine(root, env=cached(tmp_path))
    collection = only(engine)
    may_look, looks = threading.Event(), list[bool]()
    look, stamp = Collection.look, Repository.stamp
    may_look.set()

    def look_late(self: Collection, *args: Any) -> Seen:
        may_look.wait()
        return look(self, *args)

    def looked(self: Repository) -> bytes:
        looks.append("two.py" in collection.world.files)
        return stamp(self)

    monkeypatch.setattr(Collection, "look", look_late)
    monkeypatch.setattr(Repository, "stamp", looked)
    async with running(engine):
        await until(lambda: collection.world.inputs.is_whole)
        may_look.clear()
        git(root, "rm", "-q", "two.py")
        looks.clear()
        try:
            while len(looks) < 20:
                engine.look_soon([root / "two.py"])
                await anyio.sleep(0.01)
            assert all(looks)
        finally:
            may_look.set()
        await until(lambda: "two.py" not in collection.world.files)


@pytest.mark.parametrize("step", ["look", "build"])
async def test_what_git_writes_in_is_made_again_for_a_while_and_forgets_no_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Here git writes more often than claims are read, or worlds are built."""
    monkeypatch.setattr(disk_follower, "LOCK_SECONDS", 0.2)
    monkeypatch.setattr(disk_follower, "GIT_LOOK_SECONDS", 0.1)
    root, work = repository(tmp_path / "house", {"one.py": ""}, commit=True), vars(Collection)[step]
    cite(root, "first", "Nothing is named.", "https://example.org")
    engine = unread_engine(root, env=cached(tmp_path))
    collection, made = only(engine), list[None]()

    def meanwhile(self: Collection, *args: Any) -> Any:
        done = work(self, *args)
        os.utime(root / ".git" / "index")
        made.append(None)
        return done

    def is_there() -> bool:
        is_read = collection.knowledge.claim("second") is not None
        return is_read and "two.py" in collection.world.files

    async with running(engine):
        await until(lambda: collection.world.inputs.is_whole and not collection.is_world_due)
        monkeypatch.setattr(Collection, step, meanwhile)
        (root / "two.py").touch()
        cite(root, "second", "Nothing is named either.", "https://example.org")
        engine.look_soon([root / "two.py", root / ".vouch"])
        await until(is_there)
        assert len(made) > 1
        assert collection.published.seen.is_torn or step == "build"


async def test_unreported_files_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vouch_sidecar.engine.collection.sweep_interval", lambda _: 0.1)
    monkeypatch.setattr(disk_follower, "GIT_LOOK_SECONDS", 0.1)
    engine = unread_engine(root := base(tmp_path / "kb"))
    async with running(engine):
        await until(lambda: only(engine).world.inputs.is_whole)
        (root / "new.py").touch()
        await until(lambda: "new.py" in only(engine).world.files)


@pytest.mark.parametrize("locked", ["base", "tree", "linked"])
async def test_while_git_holds_its_lock_nothing_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locked: str
) -> None:
    """Neither the files of a base, be its folder a link into another repository, nor those of its
    working tree. It holds up no other base.
    """
    monkeypatch.setattr(disk_follower, "LOCK_SECONDS", 60)
    root, tree = repository(tmp_path / "main", {"a.py": ""}, commit=True), tmp_path / "tree"
    git(root, "worktree", "add", "-q", str(tree))
    cite(root, "first", "Nothing is named.", "https://example.org")
    if locked == "linked":
        kept = repository(tmp_path / "kept", {"a.py": ""}, commit=True)
        shutil.move(root / ".vouch", kept)
        (root / ".vouch").symlink_to(kept / ".vouch")
    engine, other = unread_engine(tree, env=cached(tmp_path)), base(tmp_path / "other")
    (collection,) = engine.registry.collections.values()
    engine.registry.set_folders([tree, other])
    holding, _ = held({"base": root, "tree": tree, "linked": tmp_path / "kept"}[locked])
    lock, stamp, seen = holding.folder / "index.lock", Repository.stamp, list[bool]()

    def is_there() -> bool:
        if locked != "tree":
            return collection.knowledge.claim("new") is not None
        return "new.py" in collection.world.files

    def watched(asked: Repository) -> bytes:
        if asked == holding and lock.exists():
            seen.append(is_there())
        return stamp(asked)

    monkeypatch.setattr(Repository, "stamp", watched)
    async with running(engine):
        await until(lambda: collection.world.inputs.is_whole)
        lock.touch()
        (tree / "new.py").touch()
        cite(root, "new", "Nothing is named either.", "https://example.org")
        engine.look_soon([tree / "new.py", root / ".vouch"])
        await until(lambda: len(seen) > 20)
        add(other, "new")
        await until(lambda: counts(engine, "key vault", root=str(other)) == {"vault": 2})
        assert not any(seen)
        lock.unlink()
        await until(is_there)


@pytest.mark.parametrize("touched", [1.0, 1e10, None])  # long ago, by a clock that runs ahead, now
async def test_a_lock_that_stays_is_waited_for_no_longer_than_a_checkout_lasts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, touched: float | None
) -> None:
    """One that git left behind not at all; with another one, a checkout may be seen in parts."""
    monkeypatch.setattr(disk_follower, "LOCK_SECONDS", 60 if touched else 0.2)
    monkeypatch.setattr("vouch_sidecar.engine.collection.sweep_interval", lambda _: 0.1)
    root = base(tmp_path / "kb")
    git(root, "init", "-q")
    lock = root / ".git" / "index.lock"
    engine = unread_engine(root)

    def is_lost() -> bool:
        status = ask(engine, "status")
        said = str(status["roots"][0]["problems"])
        assert ("A checkout may be seen in parts" in said) == ("watch_lost" in status["degraded"])
        return "watch_lost" in status["degraded"]

    async with running(engine):
        await until(lambda: engine.registry.has_looked)
        lock.touch()
        if touched:
            os.utime(lock, (touched, touched))
        add(root, "new")
        await until(lambda: counts(engine, "key vault") == {"vault": 2})
        assert is_lost() == (touched is None)
        lock.unlink()
        await until(lambda: not is_lost())


async def test_it_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though a thread waits for events of the disk."""
    monkeypatch.setattr("vouch_sidecar.kb.watch.POLL_MS", 60_000)
    engine = unread_engine(base(tmp_path))
    with anyio.fail_after(30):
        async with running(engine):
            await until(lambda: engine.registry.has_looked)
            await anyio.sleep(0.1)  # the thread begins


async def test_no_world_of_a_dropped_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breath, "GIVE_WAY_SECONDS", 60.0)
    begun, breathe = list[None](), breath.Breathe.__call__

    def noted(work: breath.Breathe) -> None:
        begun.append(None)
        breathe(work)

    monkeypatch.setattr(breath.Breathe, "__call__", noted)
    root, other = base(tmp_path / "root"), base(tmp_path / "other")
    engine = unread_engine(root)
    dropped = only(engine)
    async with running(engine):
        with engine.breath:
            await until(lambda: bool(begun))
            engine.registry.set_folders([other])
            await until(lambda: only(engine).complete)
        await until(lambda: only(engine).world.inputs.is_whole)
    assert not dropped.world.inputs.knowledge_serial


@pytest.mark.parametrize(("start", "made"), [("a", "a"), ("a/b/c", "a"), ("a", "a/b/c")])
async def test_a_knowledge_base_that_comes_later_is_found_from_a_folder_of_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str, made: str
) -> None:
    monkeypatch.setattr(disk_follower, "sweep_interval", lambda _: 0.1)
    search, searching, searched = Registry.found_from, threading.Event(), threading.Event()

    def slow(registry: Registry, folder: Path) -> Found:
        searching.set()
        assert searched.wait(60)
        return search(registry, folder)

    (tmp_path / start).mkdir(parents=True)
    other = base(tmp_path / "other")
    engine = unread_engine(other, tmp_path / start, env={"HOME": str(tmp_path)})
    monkeypatch.setattr(Registry, "found_from", slow)

    async with running(engine):
        await until(searching.is_set)
        await until(lambda: counts(engine, "key vault") == {"vault": 1})
        searched.set()
        root = base(tmp_path / made)
        await until(lambda: set(engine.registry.collections) == places(root, other))
        assert not engine.registry.lacking
        shutil.move(root / ".vouch", tmp_path / "away")
        await until(lambda: counts(engine, "key vault", root=str(root)) == {})
        shutil.move(tmp_path / "away", root / ".vouch")
        await until(lambda: counts(engine, "key vault", root=str(root)) == {"vault": 1})
