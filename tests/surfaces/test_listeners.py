"""What a connection listens with: one that fails keeps no other from being called."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from vouch_sidecar.engine import Engine, Keeper, Pushes
from vouch_sidecar.surfaces.lsp.features.pushes import Pusher
from vouch_sidecar.surfaces.lsp.server import Sidecar
from vouch_sidecar.surfaces.streams import Outbox

from tests.engine.bases import base, engine_on, until

SECRET = "hunter2"


def fails(*_: object) -> Any:
    raise TypeError(SECRET)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return engine_on(base(tmp_path / "kb"))


@pytest.fixture
def server(engine: Engine) -> Iterator[Sidecar]:
    with Path(os.devnull).open("wb") as sink:
        outbox = Outbox(sink, on_broken=lambda: None)
        yield Sidecar(engine, Keeper(engine), outbox)
        outbox.close()


def test_one_that_fails_keeps_no_other_from_starting_or_closing(
    server: Sidecar, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="vouch_sidecar")
    called: list[str] = []
    server.on_start += [fails, lambda: called.append("start")]
    server.on_close += [fails, lambda: called.append("close")]
    server._start()
    server.close()
    assert called == ["start", "close"]
    assert caplog.text.count("TypeError in a") == 2
    assert SECRET not in caplog.text


def test_pushes_that_fail_are_said_and_made_again(
    server: Sidecar, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(server, "tell", lambda _, params: told.append(params))
    pusher = Pusher(server)

    async def main() -> None:
        engine.observe("s", None, "the Key Vault")
        with monkeypatch.context() as broken:
            broken.setattr(Pushes, "salience", fails)
            pusher.start()
            await until(lambda: bool(told))
            assert [params.health for params in told] == ["warning"]
            assert "TypeError" in told[0].message
            assert engine.degraded() == ["watch_lost"]
        told.clear()
        engine.touch()
        await until(lambda: len(told) == 2)
        assert [row.entity_id for row in told[0].salience] == ["vault"]
        assert (told[1].health, engine.degraded()) == ("ok", [])
        pusher.stop()

    anyio.run(main)
