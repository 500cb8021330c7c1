"""What fails ends nothing but itself: it is said, made again, and forgotten once it succeeds."""

import importlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Engine, running
from vouch_sidecar.engine.checks import CheckContext, check_all

from tests.engine import bases
from tests.engine.bases import Clock, ask, base, counts, health_told, load, only, until, write
from tests.kb.samples import claim

Fails = Callable[[str], "Switch"]
SECRET = "hunter2"
ONE = {"vault": 1}
LOOKS = ["kb.store:Store:reconcile", "index.knowledge:Knowledge:after"]
LOOKS += ["engine.collection:Published:configured"]
WATCHER, BUILD = "kb.watch::awatch", "engine.collection:Collection:build"
STEPS = {
    **dict.fromkeys(LOOKS, ("Changes on disk could not be taken in", ["files_skipped"])),
    "index.base_cache:Bases:write": ("The cache could not be written", []),
    BUILD: ("Claims are not tied to files", []),
    WATCHER: ("Changes on disk are noticed late: the watcher was lost", ["watch_lost"]),
}


class Switch:
    """Makes a method (`module:class:name`) or function (`module::name`) fail while it is on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
        module, owner, name = f"vouch_sidecar.{where}".split(":")
        broken = importlib.import_module(module)
        broken = getattr(broken, owner) if owner else broken
        real: Callable[..., Any] = getattr(broken, name)
        self.on = False
        self.of: Callable[[Any], bool] = lambda _: True

        def method(one: Any, *args: Any, **kwargs: Any) -> Any:
            if self.on and self.of(one):
                raise TypeError(SECRET)
            return real(one, *args, **kwargs)

        monkeypatch.setattr(broken, name, method)


@pytest.fixture
def fails(monkeypatch: pytest.MonkeyPatch) -> Fails:
    """What fails is made again soon."""
    monkeypatch.setattr("vouch_sidecar.engine.faults.RETRY_SECONDS", 0.01)
    return lambda where: Switch(monkeypatch, where)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return base(tmp_path / "kb")


@pytest.fixture
def engine(root: Path, tmp_path: Path, clock: Clock) -> Engine:
    return bases.unread_engine(root, env=bases.cached(tmp_path), clock=clock)


def faults(engine: Engine) -> list[str]:
    status = ask(engine, "status")["roots"][0]
    return [problem["message"] for problem in status["problems"] if not problem["path"]]


def degraded(engine: Engine, root: Path | None = None) -> list[str]:
    found: list[str] = ask(engine, "status", root=root and str(root))["degraded"]
    return [one for one in found if one != "workspace_pending"]  # that begins and ends by itself


async def again(engine: Engine, clock: Clock, condition: Callable[[], bool]) -> None:
    """Let time pass until something is so."""
    with anyio.fail_after(60):
        while not condition():
            clock.now += 2.0
            engine.look_soon(engine.registry.roots)
            await anyio.sleep(0.05)


@pytest.mark.parametrize("where", STEPS)
async def test_a_step_that_fails_is_said_and_made_again(
    engine: Engine, clock: Clock, fails: Fails, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Wherever it fails: what it may have half taken in is read anew, and the rest goes on."""
    (root,), (sentence, values) = engine.registry.roots, STEPS[where]
    switch = fails(where)
    switch.on = where == WATCHER  # it does not begin twice

    async with running(engine):
        await until(lambda: engine.registry.has_looked)
        switch.on = True
        write(root, "config.yaml", {"kb": {"name": "ops"}})
        write(root, "claims/rotation.yaml", claim("rotation", text="-", status="redacted"))
        await again(engine, clock, lambda: bool(faults(engine)))
        assert faults(engine) == [f"{sentence} (TypeError)"]
        await until(lambda: degraded(engine) == values)
        assert health_told(engine) == ("warning", *faults(engine))
        lacks = only(engine).lacks({"ties"}, frozenset())
        assert where != BUILD or lacks == {"workspace_pending": None}, "it is not waited for"
        assert ask(engine, "status")["watcher"] == ("sweep" if where == WATCHER else "own")
        if where not in LOOKS:
            await again(engine, clock, lambda: counts(engine, "key vault") == {})
        switch.on = False
        await again(engine, clock, lambda: not faults(engine))
        assert counts(engine, "key vault") == {}
        assert ask(engine, "status")["roots"][0]["collection"] == "ops"
        await until(lambda: degraded(engine) == [])
        assert health_told(engine) == ("ok", None)
        write(root, "claims/new.yaml", claim("new", text="New.", entities=["vault"]))
        await again(engine, clock, lambda: counts(engine, "key vault") == ONE)
        await again(engine, clock, lambda: bool(bases.finished(root.parent)))
    assert SECRET not in caplog.text


async def test_what_a_look_that_failed_was_of_is_looked_at_again(
    engine: Engine, root: Path, fails: Fails, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vouch_sidecar.engine.collection.sweep_interval", lambda _: 1e9)
    switch, collection = fails(BUILD), only(engine)
    async with running(engine):
        await until(lambda: collection.world.inputs.is_whole and not collection.is_world_due)
        switch.on = True
        (root / "new.py").touch()
        engine.look_soon([root / "new.py"])
        await until(lambda: bool(faults(engine)))
        switch.on = False
        await until(lambda: "new.py" in collection.world.files)


async def test_a_base_is_kept_later(engine: Engine, root: Path, clock: Clock, fails: Fails) -> None:
    """Though files change meanwhile: each try writes all of it."""
    switch, tries = fails("index.base_cache:Bases:write"), dict[float, bool]()

    def is_tried_again() -> bool:
        write(root, "claims/new.yaml", claim("new", text=f"At {clock.now}.", entities=["vault"]))
        return len(tries) > 2

    switch.on, switch.of = True, lambda _: tries.setdefault(clock.now, True)
    async with running(engine):
        await again(engine, clock, is_tried_again)
    assert all(after - before >= 5.0 for before, after in pairwise(tries))


async def test_a_minute_of_faults(engine: Engine, root: Path, clock: Clock, fails: Fails) -> None:
    """After it nothing is said until a look succeeds."""
    other = base(root.parent / "other")
    engine.registry.set_folders([root, other])
    switch = fails(LOOKS[0])
    switch.of = lambda store: bool(store.kb_dir.parent == root)
    listener = bases.Listener(engine)

    def claims() -> list[int]:
        return [row["counts"]["claims"] for row in ask(engine, "status")["roots"]]

    async with running(engine):
        await until(lambda: engine.registry.has_looked)
        await until(lambda: not any(kb.is_world_due for kb in engine.registry.collections.values()))
        engine.observe("s", None, "the Key Vault")
        assert len((await listener.told())[0].salience) == 2
        switch.on = True
        engine.look_soon([root])
        await until(lambda: only(engine, root).is_failing)
        clock.now += 59
        assert claims() == [1, 1]
        assert health_told(engine)[0] == "warning"
        clock.now += 1
        assert claims() == [0, 1]
        rows = ask(engine, "experts", topic="key vault")["experts"]
        assert [row["collection"] for row in rows] == ["other"]
        (push,) = await listener.told()
        assert [row["collection"] for row in push.salience] == ["other"]
        health, message = health_told(engine)
        assert health == "error"
        assert str(message).startswith("Nothing of kb is said")
        assert any(one.startswith("Nothing of kb is said") for one in faults(engine))
        assert degraded(engine) == ["files_skipped"]
        write(other, "claims/new.yaml", claim("new", text="New.", entities=["vault"]))
        await again(engine, clock, lambda: claims() == [0, 2])
        switch.on = False
        await again(engine, clock, lambda: claims() == [1, 2])
        assert health_told(engine)[0] == "ok"
        await until(lambda: degraded(engine) == [])


async def test_a_first_look_fails(engine: Engine, root: Path, clock: Clock, fails: Fails) -> None:
    """It is not waited for."""
    other = base(root.parent / "other")
    engine.registry.set_folders([root, other])
    switch = fails(LOOKS[0])
    switch.of = lambda store: bool(store.kb_dir.parent == root)
    switch.on = True

    async with running(engine):
        with anyio.fail_after(60):
            await engine.until_looked()
        lacks = only(engine, root).lacks(set(), frozenset())
        assert lacks == {"index_building": None}
        for at, values in ((root, ["index_building", "files_skipped"]), (other, [])):
            assert ask(engine, "status", root=str(at))["complete"] is (at is other)
            assert degraded(engine, at) == values
        assert health_told(engine)[0] == "warning"
        switch.on = False
        await again(engine, clock, lambda: degraded(engine) == [])
        await until(lambda: degraded(engine) == [])


@pytest.mark.parametrize("is_served", [True, False])
def test_a_refused_setting_is_told_of_client_and_file(tmp_path: Path, is_served: bool) -> None:
    """What merely is odd in a file of a claim is not."""
    noted = {"claims/noted.yaml": claim("noted", type="hunch")}
    roots = [base(tmp_path / "kb", noted)] if is_served else []
    refused = bases.engine_on(*roots, client_settings={"recall": {"max_results": "many"}})
    health, message = health_told(refused)
    assert health == "warning"
    assert str(message).startswith("`vouchSidecar.recall.maxResults` must be")
    engine = bases.engine_on(*roots)
    assert health_told(engine)[0] == "ok"
    for root in roots:
        bases.configure(engine, root, sidecar={"recall": {"max_results": "many"}})
        health, message = health_told(engine)
        assert health == "warning"
        assert str(message).startswith("config.yaml:3: `sidecar.recall.max_results` must be")


def test_what_is_there_is_found_while_looks_fail(engine: Engine, root: Path, fails: Fails) -> None:
    write(root, "entities/broken.yaml", b"id: broken\nname: [")
    write(root, "claims/of.yaml", claim("of", text="Of both.", entities=["vault", "broken"]))
    load(engine)
    collection, switch = only(engine), fails("index.knowledge:Knowledge:after")
    write(root, "claims/more.yaml", claim("more", text="More.", entities=["vault"]))
    switch.on = True
    load(engine)
    assert collection.is_failing
    problems = check_all(CheckContext(collection, collection.knowledge, now=engine.now()))
    assert "dangling-entity" not in {problem.code for problem in problems}


def test_an_opt_out_survives_a_look_that_fails(engine: Engine, root: Path, fails: Fails) -> None:
    """It does not end where its file can't be read when all is read anew."""
    bases.configure(engine, root, retrieval={"reflex": {"enabled": False}})
    write(root, "config.yaml", b"retrieval: [")
    switch = fails(LOOKS[0])
    for switch.on in (True, False):
        load(engine)
        assert only(engine).is_failing is switch.on
    assert not only(engine).settings.reflex.enabled
    (root / ".vouch" / "config.yaml").unlink()
    load(engine)
    assert only(engine).settings.reflex.enabled
