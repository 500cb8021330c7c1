"""What a connection listens with: one that fails keeps no other from being called."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Event, Thread, current_thread
from typing import Any, TypeVar

import anyio
import pytest
from vouch_sidecar.engine import (
    Caller,
    DiskFollower,
    Engine,
    Pushes,
    SaliencePush,
    StatusPush,
    pushes,
    sessions,
)
from vouch_sidecar.engine.changes import GATHER_SECONDS
from vouch_sidecar.engine.question_queue import in_turn
from vouch_sidecar.retrieval.session_update import SessionUpdate, Window, session_update
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.engine.bases import Clock, base, engine_on, until, write
from tests.kb.samples import claim

pytestmark = pytest.mark.anyio

SECRET = "hunter2"
T = TypeVar("T")


def fails(*_: object) -> Any:
    raise TypeError(SECRET)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return engine_on(base(tmp_path / "kb"))


def test_a_feature_that_fails_keeps_no_other_from_starting(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="vouch_sidecar")
    called: list[str] = []
    DiskFollower(engine)
    server = Sidecar(engine)
    server.on_start += [fails, lambda: called.append("start")]
    server.start()
    assert called == ["start"]
    assert caplog.text.count("TypeError in a") == 1
    assert SECRET not in caplog.text


async def test_pushes_that_fail_are_said_and_made_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []

    engine.observe("s", None, "the Key Vault")
    async with anyio.create_task_group() as tasks:
        with monkeypatch.context() as broken:
            broken.setattr(pushes, "session_update", fails)
            tasks.start_soon(Pushes(engine, Caller()).run, told.append)
            await until(lambda: len(told) == 2)
            assert [push.health for push in told] == ["ok", "warning"]
            assert "TypeError" in told[1].message
            assert engine.problems.degraded() == ["watch_lost"]
        told.clear()
        engine.notify()
        await until(lambda: len(told) == 2)
        assert [row.entity.id for row, _ in told[0].update.rows] == ["vault"]
        assert (told[1].health, engine.problems.degraded()) == ("ok", [])
        tasks.cancel_scope.cancel()


async def test_a_session_that_runs_out_is_told_although_nothing_else_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "SESSION_SECONDS", 0.1)
    clock, told = Clock(), list[SaliencePush]()
    engine = engine_on(base(tmp_path / "other"), clock=clock)

    def tell(push: SaliencePush | StatusPush) -> None:
        if isinstance(push, SaliencePush):
            told.append(push)
            clock.now += 1

    async with anyio.create_task_group() as tasks:
        engine.observe("s", None, "the Key Vault")
        tasks.start_soon(Pushes(engine, Caller()).run, tell)
        await until(lambda: len(told) == 2)
        tasks.cancel_scope.cancel()
    assert [[row.entity.id for row, _ in push.update.rows] for push in told] == [["vault"], []]


def test_a_push_is_worked_out_behind_what_is_asked_from_the_newest_text(engine: Engine) -> None:
    """The loop goes on meanwhile, and what is overtaken is never worked out."""
    begun, go_on, order = Event(), Event(), list[str]()
    told: list[Any] = []
    heard: list[tuple[Thread, list[str]]] = []

    def held_up() -> None:
        begun.set()
        assert go_on.wait(30)
        order.append("first question")

    def noted(windows: Sequence[Window], *args: Any) -> SessionUpdate:
        order.append("push")
        heard.append((current_thread(), [*windows[0].texts]))
        return session_update(windows, *args)

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(in_turn, held_up)
            await until(begun.is_set)
            tasks.start_soon(Pushes(engine, Caller()).run, told.append)
            engine.observe("s", "draft", "the Key")
            await anyio.sleep(2 * GATHER_SECONDS)
            engine.observe("s", "draft", "the Key Vault")
            await anyio.sleep(2 * GATHER_SECONDS)
            last = partial(order.append, "last question")
            tasks.start_soon(in_turn, last)
            await anyio.sleep(2 * GATHER_SECONDS)
            assert order == []
            assert [type(push) for push in told] == [StatusPush]  # waits behind nothing
            go_on.set()
            await until(lambda: any(isinstance(push, SaliencePush) for push in told))
            tasks.cancel_scope.cancel()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pushes, "session_update", noted)
        anyio.run(main)
    assert order == ["first question", "last question", "push"]
    ((thread, texts),) = heard
    assert thread is not current_thread()
    assert texts == ["the Key Vault"]


def test_what_is_fresh_is_told_to_one_connection_alone(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many look at a session at once."""
    told: list[SaliencePush] = []
    both_began = anyio.Event()
    waiting: list[object] = []

    async def at_once(run: Callable[[], T]) -> T:
        if (ranked := run()) is not None:
            waiting.append(run)
            if len(waiting) == 2:
                both_began.set()
            await both_began.wait()
        return ranked

    async def look(of_one: Pushes) -> None:
        told.extend([push async for push in of_one.salience_in_turn()])

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(look, Pushes(engine, Caller()))

    monkeypatch.setattr(pushes, "in_turn", at_once)
    engine.observe("s", None, "the Key Vault")
    anyio.run(main)
    assert [[row.entity.id for row, _ in push.update.rows] for push in told] == [["vault"]] * 2
    assert sorted(len(push.update.fresh) for push in told) == [0, 1]


def test_a_push_of_what_was_published_over_is_void(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was retired while a push was worked out is not in it."""
    (root,) = engine.collections
    told = Pushes(engine, Caller())

    async def late(run: Callable[[], T]) -> T:
        if (ranked := run()) is not None:
            text = claim("rotation", text="Keys stay.", entities=["vault"])
            write(root, "claims/rotation.yaml", text)
            engine.read()
        return ranked

    async def texts() -> list[str]:
        return [push.update.block.text async for push in told.salience_in_turn()]

    monkeypatch.setattr(pushes, "in_turn", late)
    engine.observe("s", None, "the Key Vault")
    (said,) = anyio.run(texts)
    assert "Keys stay." in said
    assert "Keys rotate." not in said
