"""What fails ends nothing but itself: it is said, made again, and forgotten once it succeeds."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Caller, Engine, Pushes
from vouch_sidecar.engine.pushes import StatusPush
from vouch_sidecar.kb.settings import Settings
from vouch_sidecar.operations.readiness import indexed

from tests.engine.bases import (
    Clock,
    ask,
    base,
    cached,
    counts,
    finished,
    kept,
    pushed_now,
    unread_engine,
    until,
    write,
)
from tests.kb.samples import claim

pytestmark = pytest.mark.anyio

SECRET = "hunter2"
ONE, TWO = {"vault": 1}, {"vault": 2}


class Switch:
    """Makes a method fail (`module:class:name`), of the objects that it is told, while it is on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
        module, owner, name = where.split(":")
        broken = getattr(importlib.import_module(module), owner)
        real: Callable[..., Any] = getattr(broken, name)
        self.on = False
        self.of: Callable[[Any], bool] = lambda _: True

        def method(one: Any, *args: Any, **kwargs: Any) -> Any:
            if self.on and self.of(one):
                raise TypeError(SECRET)
            return real(one, *args, **kwargs)

        monkeypatch.setattr(broken, name, method)


Fails = Callable[[str], Switch]


@pytest.fixture
def fails(monkeypatch: pytest.MonkeyPatch) -> Fails:
    return lambda where: Switch(monkeypatch, where)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return base(tmp_path / "kb")


@pytest.fixture
def engine(root: Path, clock: Clock) -> Engine:
    """An engine that has read nothing yet."""
    return unread_engine(root, clock=clock)


def faults(engine: Engine) -> list[str]:
    """What fails, as the status says it."""
    (status,) = ask(engine, "status")["roots"]
    return [problem["message"] for problem in status["problems"] if not problem["path"]]


def degraded(engine: Engine) -> list[str]:
    found: list[str] = ask(engine, "status")["degraded"]
    return [one for one in found if one != "workspace_pending"]  # that begins and ends by itself


def told(engine: Engine) -> StatusPush:
    """What a client that connects now is told."""
    push = Pushes(engine, Caller()).status()
    assert push is not None
    return push


def redact(root: Path) -> None:
    write(root, "claims/rotation.yaml", claim("rotation", text="[redacted]", status="redacted"))


async def again(engine: Engine, clock: Clock, condition: Callable[[], bool]) -> None:
    """Let time pass until something is so."""
    with anyio.fail_after(20):
        while not condition():
            clock.now += 2.0
            engine.check_soon(engine.collections)
            await anyio.sleep(0.05)


LOOKS = [
    "vouch_sidecar.kb.store:Store:reconcile",
    "vouch_sidecar.engine.collection:Collection:publish",
    "vouch_sidecar.engine.engine:Engine:_configure",
    "vouch_sidecar.index.knowledge:Knowledge:after",
]


@pytest.mark.parametrize("where", LOOKS)
async def test_a_look_that_fails_is_made_again(
    engine: Engine,
    root: Path,
    clock: Clock,
    fails: Fails,
    where: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Wherever it fails: what it may have half taken in is read anew."""
    switch = fails(where)

    async with kept(engine):
        await until(lambda: engine.registry.complete)
        switch.on = True
        write(root, "config.yaml", {"kb": {"name": "ops"}})
        redact(root)
        engine.check_soon(engine.collections)
        await until(lambda: bool(faults(engine)))
        assert faults(engine) == ["Changes on disk could not be taken in (TypeError)"]
        assert degraded(engine) == ["files_skipped"]
        assert (told(engine).health, told(engine).message) == ("warning", *faults(engine))
        switch.on = False
        await again(engine, clock, lambda: not faults(engine))
        assert counts(engine, "key vault") == {}
        assert ask(engine, "status")["roots"][0]["collection"] == "ops"
        await until(lambda: degraded(engine) == [])
        assert told(engine).health == "ok"
        write(root, "claims/new.yaml", claim("new", text="New.", entities=["vault"]))
        await again(engine, clock, lambda: counts(engine, "key vault") == ONE)
    assert SECRET not in caplog.text


async def test_after_a_minute_nothing_is_said_until_a_look_succeeds(
    tmp_path: Path, engine: Engine, root: Path, clock: Clock, fails: Fails
) -> None:
    """Of that knowledge base alone; the others are followed."""
    other = base(tmp_path / "other")
    engine.registry.add_root(other)
    switch = fails(LOOKS[0])
    switch.of = lambda store: bool(store.kb_dir.parent == root)
    pushes = Pushes(engine, Caller())

    def claims() -> dict[str, int]:
        found = ask(engine, "status")["roots"]
        return {row["root"]: row["counts"]["claims"] for row in found}

    async with kept(engine):
        await until(lambda: engine.registry.complete)
        engine.observe("s", None, "the Key Vault")
        assert len((await pushed_now(pushes))[0].update.rows) == 2
        switch.on = True
        engine.check_soon([root])
        await until(lambda: engine.collections[root].is_failing)
        clock.now += 59
        assert claims() == {str(root): 1, str(other): 1}
        assert told(engine).health == "warning"
        clock.now += 1
        assert claims() == {str(root): 0, str(other): 1}
        rows = ask(engine, "experts", topic="key vault")["experts"]
        assert [row["collection"] for row in rows] == ["other"]
        (push,) = await pushed_now(pushes)
        assert [row.view.collection for row, _ in push.update.rows] == ["other"]
        status, said = told(engine), "Nothing of kb is said"
        assert status.health == "error"
        assert str(status.message).startswith(said)
        problems = [p["message"] for p in ask(engine, "status")["roots"][0]["problems"]]
        assert any(said in message for message in problems)
        assert degraded(engine) == ["files_skipped"]
        write(other, "claims/new.yaml", claim("new", text="New.", entities=["vault"]))
        await again(engine, clock, lambda: claims() == {str(root): 0, str(other): 2})
        switch.on = False
        await again(engine, clock, lambda: claims() == {str(root): 1, str(other): 2})
        assert told(engine).health == "ok"
        await until(lambda: degraded(engine) == [])


async def test_a_first_look_that_fails_is_not_waited_for(
    engine: Engine, clock: Clock, fails: Fails
) -> None:
    switch = fails(LOOKS[0])
    switch.on = True

    async with kept(engine):
        with anyio.fail_after(20):
            await indexed(engine)
        assert counts(engine, "key vault") == {}
        assert degraded(engine) == ["index_building", "files_skipped"]
        assert told(engine).health == "warning"
        switch.on = False
        await again(engine, clock, lambda: counts(engine, "key vault") == ONE)
        await until(lambda: degraded(engine) == [])


async def test_a_cache_that_can_not_be_written_is_said_and_written_later(
    tmp_path: Path,
    root: Path,
    clock: Clock,
    fails: Fails,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("vouch_sidecar.engine.disk_reader.REBASE_FROM", 1)
    engine = unread_engine(root, env=cached(tmp_path), clock=clock)
    switch = fails("vouch_sidecar.index.base_cache:Bases:write")

    async with kept(engine):
        await until(lambda: engine.registry.complete)
        switch.on = True
        write(root, "claims/new.yaml", claim("new", text="New.", entities=["vault"]))
        await again(engine, clock, lambda: bool(faults(engine)))
        assert faults(engine) == ["The cache could not be written (TypeError)"]
        assert told(engine).health == "warning"
        await again(engine, clock, lambda: counts(engine, "key vault") == TWO)
        switch.on = False
        await again(engine, clock, lambda: not faults(engine) and bool(finished(tmp_path)))
        assert told(engine).health == "ok"


async def test_without_a_watcher_the_sweep_goes_on(
    engine: Engine, root: Path, clock: Clock, fails: Fails, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch = fails("vouch_sidecar.kb.watch:Watch:run")
    switch.on = True
    monkeypatch.setattr("vouch_sidecar.engine.disk_follower.RETRY_SECONDS", 0.01)

    async with kept(engine):
        await until(lambda: engine.watching == "sweep")
        assert faults(engine) == [
            "Changes on disk are noticed late: the watcher was lost (TypeError)"
        ]
        assert degraded(engine) == ["watch_lost"]
        assert (told(engine).health, told(engine).message) == ("warning", *faults(engine))
        clock.now += 120
        assert counts(engine, "key vault") == ONE
        redact(root)
        await again(engine, clock, lambda: counts(engine, "key vault") == {})
        switch.on = False
        await until(lambda: not faults(engine))
        assert (engine.watching, degraded(engine)) == ("own", [])


def test_the_last_good_config_survives_a_look_that_fails(
    engine: Engine, root: Path, fails: Fails
) -> None:
    """An opt-out does not end where its file can't be read when all is read anew."""
    write(root, "config.yaml", {"retrieval": {"reflex": {"enabled": False}}})
    engine.load()
    write(root, "config.yaml", b"retrieval: [")
    switch = fails(LOOKS[0])
    switch.on = True
    engine.load()
    switch.on = False
    engine.load()
    (collection,) = engine.collections.values()
    assert not collection.is_failing
    assert collection.settings != Settings()
    assert not collection.settings.reflex.enabled
    (root / ".vouch" / "config.yaml").unlink()
    engine.load()
    assert collection.settings.reflex.enabled
