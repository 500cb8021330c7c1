"""A config that is half written."""

from __future__ import annotations

from pathlib import Path

from sidecar.engine import Engine

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
