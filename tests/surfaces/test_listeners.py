"""What a connection listens with: one that fails keeps no other from being called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Caller, Engine, Pushes, SaliencePush, pushes, sessions

from tests.engine.bases import Clock, base, engine_on, until, write
from tests.kb.samples import claim

pytestmark = pytest.mark.anyio


def fails(*_: object) -> Any:
    raise TypeError


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return engine_on(base(tmp_path / "kb"))


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
            assert engine.health.degraded() == ["watch_lost"]
        told.clear()
        engine.notify()
        await until(lambda: len(told) == 2)
        assert [row.entity.id for row, _ in told[0].update.rows] == ["vault"]
        assert (told[1].health, engine.health.degraded()) == ("ok", [])
        tasks.cancel_scope.cancel()


async def test_a_session_that_runs_out_is_told_although_nothing_else_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "SESSION_SECONDS", 0.1)
    monkeypatch.setattr(pushes, "PAUSE_SECONDS", 0.1)
    clock, told = Clock(), list[SaliencePush]()
    engine = engine_on(base(tmp_path / "other"), clock=clock)

    def tell(push: object) -> None:
        if isinstance(push, SaliencePush):
            told.append(push)
            clock.now += 1

    async with anyio.create_task_group() as tasks:
        engine.observe("s", None, "the Key Vault")
        tasks.start_soon(Pushes(engine, Caller()).run, tell)
        await until(lambda: len(told) == 2)
        tasks.cancel_scope.cancel()
    assert [[row.entity.id for row, _ in push.update.rows] for push in told] == [["vault"], []]


def test_a_push_of_what_was_published_over_is_void(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was retired while a push was worked out is not in it."""
    (root,) = engine.collections
    told = Pushes(engine, Caller())

    async def late(run: Callable[[], Any]) -> Any:
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
