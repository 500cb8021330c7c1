"""What is disposable may fail: the full-text index, and a config that is half written."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from sidecar.engine import Caller, Engine, Keeper
from sidecar.index.content import needles
from sidecar.index.titles import Fold, Pending, Titles
from sidecar.kb.access import OPEN
from sidecar.operations import call

CLAIM = "id: {id}\ntext: {text}\nevidence: [minutes]\nstatus: stable\nentities: [relay]\n"


def kb_in(folder: Path, config: str = "") -> Path:
    kb = folder / ".vouch"
    for name in ("claims", "entities", "pages"):
        (kb / name).mkdir(parents=True)
    (kb / "config.yaml").write_text(config)
    (kb / "entities" / "relay.yaml").write_text("id: relay\nname: relay service\ntype: system\n")
    (kb / "claims" / "a.yaml").write_text(CLAIM.format(id="a", text="The relay service drains."))
    page = "---\nid: drain\ntitle: Draining the relay\n---\nDrain it first.\n"
    (kb / "pages" / "drain.md").write_text(page)
    return kb


def test_a_failed_fold_builds_the_index_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = kb_in(tmp_path)
    engine = Engine(env={})
    engine.add_root(tmp_path.resolve())
    keeper = Keeper(engine)
    folded = Titles.fold
    failures = 0

    def fold(self: Titles, pending: Pending) -> Fold:
        nonlocal failures
        if engine.complete and not failures:
            failures += 1
            raise ValueError("the index is gone")
        return folded(self, pending)

    monkeypatch.setattr(Titles, "fold", fold)

    def found() -> list[str]:
        return [h["id"] for h in call(engine, "search", {"query": "lag alarms"}, Caller())["hits"]]

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(keeper.run)
            with anyio.fail_after(10):
                while not engine.complete:
                    await anyio.sleep(0.01)
                (collection,) = engine.collections.values()
                page = "---\nid: lag\ntitle: Consumer lag alarms\n---\nLook at the dashboards.\n"
                (kb / "pages" / "lag.md").write_text(page)
                while not failures or collection.knowledge.search.titles.pending():
                    await anyio.sleep(0.01)
            group.cancel_scope.cancel()

    anyio.run(main)
    assert failures == 1
    assert found() == ["lag"]
    assert call(engine, "status", {}, Caller())["degraded"] == []


def test_a_search_that_fails_is_told_and_made_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb_in(tmp_path)
    engine = Engine(env={})
    engine.add_root(tmp_path.resolve())
    engine.load()

    class Broken:
        def search(self, *_: object, **__: object) -> object:
            raise ValueError("a segment is gone")

    (collection,) = engine.collections.values()
    titles = collection.knowledge.search.titles
    monkeypatch.setattr(titles, "_searcher", Broken())
    text = "what about draining the relay before lunch"
    answer = call(engine, "probe", {"text": text}, Caller())
    assert answer["degraded"] == ["search_failed"]
    assert "drain" in [hit["id"] for hit in answer["hits"]]
    collection.knowledge.fold()
    assert titles.holding(needles(text), frozenset({OPEN}), 2)
    assert call(engine, "probe", {"text": text}, Caller())["degraded"] == []


def test_a_config_half_written_does_not_undo_the_opt_out(tmp_path: Path) -> None:
    kb = kb_in(tmp_path, "retrieval:\n  reflex:\n    enabled: false\n")
    now = [0.0]
    engine = Engine(env={}, clock=lambda: now[0])
    engine.add_root(tmp_path.resolve())
    engine.load()
    (collection,) = engine.collections.values()
    (kb / "config.yaml").write_text("retrieval:\n  reflex: {enabled: fal")
    engine.load()
    assert not collection.settings.reflex.enabled
    assert "config.yaml" in collection.problems
    now[0] = 61.0
    engine.load()
    assert collection.settings.reflex.enabled
