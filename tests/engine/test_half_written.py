"""A config that is half written."""

from __future__ import annotations

from pathlib import Path

from vouch_sidecar.engine import Engine


def test_a_config_half_written_does_not_undo_the_opt_out(tmp_path: Path) -> None:
    kb = tmp_path / ".vouch"
    kb.mkdir()
    (kb / "config.yaml").write_text("retrieval:\n  reflex:\n    enabled: false\n")
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
