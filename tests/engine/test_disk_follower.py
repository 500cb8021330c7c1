"""The published knowledge follows the disk, a change at a time and whole."""

from __future__ import annotations

import gc
import os
import random
import shutil
import threading
from pathlib import Path
from weakref import WeakSet

import anyio
import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.people.experts import Question, rank
from vouch_sidecar.retrieval.people.topic_matches import matching
from vouch_sidecar.retrieval.search import search
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.git import Repository

from tests.engine.bases import (
    NOW,
    ask,
    base,
    cached,
    counts,
    engine_on,
    finished,
    kept,
    unread_engine,
    until,
    write,
)
from tests.index.worlds import knowledge_of
from tests.kb.samples import claim, dump, entity, page
from tests.workspace.places import cite, git, repository

pytestmark = pytest.mark.anyio


async def test_every_answer_is_that_of_one_generation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers while another thread writes are those of an index made anew of what is published,
    also while bases are written and taken up.
    """
    monkeypatch.setattr("vouch_sidecar.engine.disk_reader.REBASE_FROM", 3)
    monkeypatch.setattr("vouch_sidecar.engine.disk_follower.FINISH_SECONDS", 0.1)
    config = dump({"sidecar": {"topics": {"enabled": False}}})  # what is made anew knows of none
    root = base(tmp_path / "kb", {"config.yaml": config})
    engine = unread_engine(root, env=cached(tmp_path))
    collection = engine.collections[root]
    checked, bases, stop = set[int](), set[int](), threading.Event()

    def check() -> None:
        knowledge = collection.knowledge
        bases.add(id(knowledge.base))
        made = knowledge_of([one for kind in Kind for one in knowledge.all_of(kind)])
        anew = View("kb", made, frozenset({"open"}))
        for topic in ("key vault", "keys rotate", "relay 3x"):
            wanted = rank(matching([anew], Question(topic, NOW, "count", "auto", 100)))
            rows = ask(engine, "experts", topic=topic, limit=100)["experts"]
            assert [(r["entity_id"], r["claim_count"], r["top_claim_ids"]) for r in rows] == [
                (w.entity.id, w.claim_count, list(w.top_claim_ids)) for w in wanted
            ]
        hits = ask(engine, "search", query="keys", kinds=["claim"], limit=100)["hits"]
        assert [(h["id"], h["score"]) for h in hits] == [
            (row.artifact.id, row.score) for row in search([anew], "keys", [Kind.CLAIM], 100)
        ]
        checked.add(engine.generation)

    hammer = threading.Thread(target=_hammer, args=(root, stop), daemon=True)
    try:
        async with kept(engine):
            await until(lambda: engine.registry.complete)
            hammer.start()
            with anyio.fail_after(30):
                while len(checked) < 12 or len(bases) < 3:
                    check()
                    await anyio.sleep(0.001)
            stop.set()
            hammer.join()
            write(root, "claims/last.yaml", claim("last", text="Keys last.", entities=["vault"]))
            anew = engine_claims(engine_on(root))
            await until(lambda: engine_claims(engine) == anew)
            check()
            await until(lambda: bool(finished(tmp_path)))
        assert engine_claims(engine_on(root, env=cached(tmp_path))) == anew
    finally:
        stop.set()


def engine_claims(engine: Engine) -> dict[str, list[str]]:
    """All claims with the entities that they count for."""
    (collection,) = engine.collections.values()
    knowledge = collection.knowledge
    return {a.id: knowledge.links(a.id)[0] for a in knowledge.all_of(Kind.CLAIM)}


def _hammer(root: Path, stop: threading.Event) -> None:
    """Writes in halves, renames and removes claims, entities and pages."""
    rng = random.Random(4)
    while not stop.wait(0.002):
        i = rng.randrange(12)
        path, data = rng.choice(
            [
                (f"claims/c{i}.yaml", claim(f"c{i}", text=f"Keys {i} of Relay 3x.", entities=[])),
                (f"claims/c{i}.yaml", claim(f"c{i}", text="Keys go.", entities=["vault"])),
                (f"claims/c{i}.yaml", claim(f"c{i}", text="Keys.", status="archived")),
                (f"entities/e{i % 4}.yaml", entity(f"e{i % 4}", name=f"Relay {i % 4}x")),
                ("pages/p.md", page(id="p", claims=[f"c{i}"], entities=["vault", "e1"])),
            ]
        )
        file = root / ".vouch" / path
        match rng.randrange(3):
            case 0:
                file.unlink(missing_ok=True)
            case 1:
                with file.open("wb") as half:
                    half.write(data[: len(data) // 2])
                    half.flush()
                    half.write(data[len(data) // 2 :])
            case _:  # as editors do
                file.with_suffix(".tmp").write_bytes(data)
                file.with_suffix(".tmp").replace(file)


@pytest.mark.parametrize("below", ["", "services/api"])
async def test_a_checkout_of_another_branch_is_one_step(tmp_path: Path, below: str) -> None:
    """300 files change at once: no answer shows a part of them."""
    repository = tmp_path / "repository"
    root = base(repository / below)
    write(root, "entities/relay.yaml", entity("relay", name="Key Vault Relay"))
    git(repository, "init", "-q", "-b", "other")
    for branch, about in (("other", "relay"), ("main", "vault")):
        for i in range(300):
            write(root, f"claims/c{i}.yaml", claim(f"c{i}", text=f"On {branch}.", entities=[about]))
        git(repository, "checkout", "-q", "-B", branch)
        git(repository, "add", ".")
        git(repository, "commit", "-qm", branch)
    engine = unread_engine(root)
    main_branch, other_branch = {"vault": 301}, {"vault": 1, "relay": 300}

    async with kept(engine):
        await until(lambda: engine.registry.complete)
        for branch, wanted in (("other", other_branch), ("main", main_branch)):
            seen: list[dict[str, int]] = []
            async with anyio.create_task_group() as group:
                group.start_soon(anyio.to_thread.run_sync, git, repository, "checkout", branch)
                with anyio.fail_after(20):
                    while not seen or seen[-1] != wanted:
                        answer = counts(engine, "key vault")
                        if not seen or seen[-1] != answer:
                            seen.append(answer)
                        await anyio.sleep(0.002)
            assert [a for a in seen if a not in (main_branch, other_branch)] == []


@pytest.mark.parametrize("locked", ["base", "tree"])
async def test_while_git_holds_its_lock_nothing_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locked: str
) -> None:
    """Neither the files of a base, nor those of the working tree that it serves, in another
    repository's folder each.
    """
    root, tree = repository(tmp_path / "main", {"a.py": ""}, commit=True), tmp_path / "tree"
    git(root, "worktree", "add", "-q", str(tree))
    cite(root, "first", "Nothing is named.", "https://example.org")
    engine = Engine(env={**cached(tmp_path), "PATH": os.environ["PATH"]}, now=lambda: NOW)
    engine.registry.search(tree)
    (collection,) = engine.collections.values()
    holding = Repository.holding(root if locked == "base" else tree)
    assert holding is not None
    lock, is_changing, seen = holding.folder / "index.lock", Repository.is_changing, list[bool]()

    def is_there() -> bool:
        if locked == "base":
            return collection.knowledge.claim("new") is not None
        return "new.py" in collection.world.files

    def watched(asked: Repository) -> bool:
        if asked == holding and lock.exists():
            seen.append(is_there())
            if len(seen) == 20:
                lock.unlink()
        return is_changing(asked)

    monkeypatch.setattr(Repository, "is_changing", watched)
    async with kept(engine):
        await until(lambda: collection.world.is_whole)
        lock.touch()
        (tree / "new.py").touch()
        cite(root, "new", "Nothing is named either.", "https://example.org")
        engine.check_soon([tree / "new.py", root / ".vouch"])
        await until(is_there)
        assert seen == [False] * 20


@pytest.mark.parametrize("touched", [1.0, 1e10])  # long ago, and by a clock that runs ahead
async def test_a_lock_that_git_left_behind_holds_nothing_up(tmp_path: Path, touched: float) -> None:
    root = base(tmp_path / "kb")
    git(root, "init", "-q")
    lock = root / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (touched, touched))
    engine = unread_engine(root)

    async with kept(engine):
        await until(lambda: engine.registry.complete)
        write(root, "claims/new.yaml", claim("new", text="New.", entities=["vault"]))
        await until(lambda: counts(engine, "key vault") == {"vault": 2}, seconds=4.0)


async def test_a_checkout_that_takes_long_is_said_while_it_lasts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vouch_sidecar.engine.disk_follower.GIT_LOCK_SECONDS", 0.2)
    root = base(tmp_path / "kb")
    git(root, "init", "-q")
    engine = unread_engine(root)

    async with kept(engine):
        await until(lambda: engine.registry.complete)
        assert "watch_lost" not in ask(engine, "status")["degraded"]
        lock = root / ".git" / "index.lock"
        lock.touch()
        write(root, "claims/new.yaml", claim("new", text="New.", entities=["vault"]))
        await until(lambda: counts(engine, "key vault") == {"vault": 2})
        status = ask(engine, "status")
        assert "watch_lost" in status["degraded"]
        messages = [problem["message"] for problem in status["roots"][0]["problems"]]
        assert any(message.startswith("A checkout may be seen in parts") for message in messages)
        lock.unlink()
        await until(lambda: "watch_lost" not in ask(engine, "status")["degraded"])


@pytest.mark.parametrize(("start", "made"), [("a", "a"), ("a/b/c", "a"), ("a", "a/b/c")])
async def test_a_knowledge_base_that_comes_later_is_found_from_a_folder_of_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str, made: str
) -> None:
    monkeypatch.setattr("vouch_sidecar.engine.disk_follower.SEARCH_SHARE", 1.0)
    (tmp_path / start).mkdir(parents=True)
    other = base(tmp_path / "other")
    engine = Engine(env={"HOME": str(tmp_path)}, now=lambda: NOW)
    engine.registry.set_folders([other, tmp_path / start])

    async with kept(engine):
        await until(lambda: counts(engine, "key vault") == {"vault": 1})
        root = base(tmp_path / made)
        await until(lambda: set(engine.collections) == {root, other})
        assert not engine.registry.lacking
        shutil.move(root / ".vouch", tmp_path / "away")
        await until(lambda: _claims(engine, root) == 0)
        shutil.move(tmp_path / "away", root / ".vouch")
        await until(lambda: _claims(engine, root) == 1)


def _claims(engine: Engine, root: Path) -> int:
    found = ask(engine, "status")["roots"]
    return next(int(row["counts"]["claims"]) for row in found if row["root"] == str(root))


async def test_a_retired_generation_leaves_memory_at_once(tmp_path: Path) -> None:
    """Fifty changes, with questions in between, and no garbage collection: a cycle would last until
    the next full one, which comes after some thirty changes; what is frozen stays for ever.
    """
    root = base(tmp_path / "kb")
    engine = unread_engine(root, env=cached(tmp_path))
    collection = engine.collections[root]
    generations: WeakSet[Knowledge] = WeakSet()
    gc.disable()
    try:
        async with kept(engine):
            await until(lambda: engine.registry.complete and not collection.is_workspace_pending)
            for number in range(50):
                before = collection.knowledge.serial
                text = f"Keys rotate on day {number}."
                write(root, "claims/rotation.yaml", claim("rotation", text=text))
                await until(lambda: collection.knowledge.serial != before)  # noqa: B023
                generations.add(collection.knowledge)
                assert ask(engine, "search", query="rotate")["hits"]
                ask(engine, "context", task="Who rotates the Key Vault?", session_id="s")
                ask(engine, "salience", session_id="s")
            await until(lambda: not collection.is_workspace_pending)
            assert len(generations) <= 3
    finally:
        gc.enable()
