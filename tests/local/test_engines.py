"""Each set of knowledge bases has an engine, for as long as somebody asks."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.surfaces import socket_server as module
from vouch_sidecar.surfaces.socket_server import LocalServer

from tests.engine.bases import base


@pytest.mark.anyio
async def test_an_engine_answers_for_its_knowledge_bases_until_nobody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = base(tmp_path / "one"), base(tmp_path / "two")
    monkeypatch.setattr(module, "CHECK_SECONDS", 0.01)
    async with anyio.create_task_group() as tasks:
        engines = LocalServer({"VOUCH_SIDECAR_RECALL_MAX_RESULTS": "1"}, tasks)
        alone, both = (
            engines.engine_for(frozenset({one})),
            engines.engine_for(frozenset({one, two})),
        )
        assert engines.engine_for(frozenset({one})) is alone
        assert [*alone.collections] == [one]
        assert sorted(both.collections) == [one, two]
        assert not alone.env
        assert engines.engines_about(frozenset({one})) == [alone, both]
        assert engines.engines_about(frozenset({two})) == [both]
        monkeypatch.setattr(module, "IDLE_SECONDS", -1.0)
        while engines.engines_about(frozenset({one})):
            await anyio.sleep(0.01)
        assert engines.engine_for(frozenset({one})) is not alone
        tasks.cancel_scope.cancel()


@pytest.mark.anyio
async def test_who_names_a_knowledge_base_in_the_environment_is_answered_from_it(
    tmp_path: Path,
) -> None:
    own, named = base(tmp_path / "own"), base(tmp_path / "named")
    forced = str(named / ".vouch")
    window = Engine(env={})
    window.registry.add_root(own)
    async with anyio.create_task_group() as tasks:
        engines = LocalServer({"VOUCH_KB_PATH": str(own / ".vouch")}, tasks, window)
        trees = frozenset({own})
        assert engines.engine_for(trees) is window
        (collection,) = engines.engine_for(trees, forced).collections.values()
        assert (collection.root, collection.tree) == (named, own)
        assert engines.engine_for(trees) is window
        tasks.cancel_scope.cancel()
