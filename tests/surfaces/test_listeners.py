"""What a connection listens with: one that fails keeps no other from being called."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Caller, Engine, Indexer, Pushes
from vouch_sidecar.surfaces.lsp.server import Sidecar

from tests.engine.bases import base, engine_on, until

SECRET = "hunter2"


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
    server = Sidecar(engine, Indexer(engine))
    server.on_start += [fails, lambda: called.append("start")]
    server.start()
    assert called == ["start"]
    assert caplog.text.count("TypeError in a") == 1
    assert SECRET not in caplog.text


def test_pushes_that_fail_are_said_and_made_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    pushes = Pushes(engine, Caller())

    async def main() -> None:
        engine.observe("s", None, "the Key Vault")
        with monkeypatch.context() as broken:
            broken.setattr(Pushes, "salience", fails)
            pushes.start(told.append, asyncio.get_running_loop().call_later)
            await until(lambda: bool(told))
            assert [push.health for push in told] == ["warning"]
            assert "TypeError" in told[0].message
            assert engine.degraded() == ["watch_lost"]
        told.clear()
        engine.tell()
        await until(lambda: len(told) == 2)
        assert [row.entity.id for row in told[0].rows] == ["vault"]
        assert (told[1].health, engine.degraded()) == ("ok", [])

    anyio.run(main)
