"""Open documents under `.vouch/` count as they stand in the editor, for their connection only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from vouch_sidecar.engine import Caller, Engine

from tests.engine.bases import ask, base, counts, engine_on, write
from tests.kb.samples import claim, dump, entity

EDITOR, OTHER = Caller("editor"), Caller("other")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return base(tmp_path / "kb")


@pytest.fixture
def engine(root: Path) -> Engine:
    return engine_on(root)


def type_in(engine: Engine, root: Path, path: str, data: bytes | None) -> None:
    text = None if data is None else data.decode()
    engine.overlay("editor", root / ".vouch" / path, text)


def texts(engine: Engine, caller: Caller) -> list[str]:
    """The snippets of all claims that a caller finds."""
    hits = ask(engine, "search", caller, query="keys pins", kinds=["claim"])["hits"]
    return sorted(hit["snippet"] for hit in hits)


def test_the_last_parseable_text_stays(engine: Engine, root: Path) -> None:
    broken = b"text: [unclosed"
    type_in(engine, root, "claims/rotation.yaml", broken)
    assert texts(engine, EDITOR) == ["Keys rotate."]
    type_in(engine, root, "claims/rotation.yaml", claim("rotation", text="Pins rotate."))
    type_in(engine, root, "claims/rotation.yaml", broken)
    assert texts(engine, EDITOR) == ["Pins rotate."]
    collection = next(iter(engine.collections.values()))
    assert "claims/rotation.yaml" in engine.problems(EDITOR, collection)
    assert engine.problems(OTHER, collection) == {}


def test_names_and_links_follow_an_entity_in_the_editor(engine: Engine, root: Path) -> None:
    renamed = entity("vault", name="Strongbox", type="system")
    type_in(engine, root, "entities/vault.yaml", renamed)
    rows = ask(engine, "experts", EDITOR, topic="strongbox")["experts"]
    assert [r["name"] for r in rows] == ["Strongbox"]
    assert counts(engine, "strongbox") == {}


def test_two_open_files_with_one_id_leave_no_trace(engine: Engine, root: Path) -> None:
    type_in(engine, root, "claims/b.yaml", claim("rotation", text="Pins of b."))
    type_in(engine, root, "claims/a.yaml", claim("rotation", text="Pins of a."))
    assert texts(engine, EDITOR) == ["Keys rotate."]
    type_in(engine, root, "claims/rotation.yaml", claim("other", text="Pins other."))
    assert texts(engine, EDITOR) == ["Pins of a.", "Pins other."]
    for name in "ab":
        type_in(engine, root, f"claims/{name}.yaml", None)
    assert texts(engine, EDITOR) == ["Pins other."]
    type_in(engine, root, "claims/rotation.yaml", None)
    assert texts(engine, EDITOR) == ["Keys rotate."]
    assert ask(engine, "status")["roots"][0]["counts"]["claims"] == 1


def test_a_file_that_lost_its_id_to_another_loses_it_in_the_editor_too(root: Path) -> None:
    copy = claim("rotation", text="Pins of a copy.")
    write(root, "claims/copy.yaml", copy)
    engine = engine_on(root)
    type_in(engine, root, "claims/copy.yaml", copy)
    assert texts(engine, EDITOR) == texts(engine, OTHER) == ["Keys rotate."]


def test_what_was_just_saved_counts_before_it_is_published(engine: Engine, root: Path) -> None:
    saved = claim("rotation", text="Pins rotate.")
    type_in(engine, root, "claims/rotation.yaml", saved)
    write(root, "claims/rotation.yaml", saved)
    collection = next(iter(engine.collections.values()))
    step = collection.read()
    assert step is not None
    assert texts(engine, EDITOR) == ["Pins rotate."]
    engine.publish(collection, step)
    assert texts(engine, EDITOR) == texts(engine, OTHER) == ["Pins rotate."]


def test_a_config_in_the_editor_rules_what_its_connection_sees(root: Path) -> None:
    bound = claim("bound", text="Keys of us.", scope={"visibility": "project", "project": "us"})
    write(root, "claims/bound.yaml", bound)
    write(root, "config.yaml", {"kb": {"id": "us"}})
    engine = engine_on(root)
    assert len(texts(engine, EDITOR)) == 2
    type_in(engine, root, "config.yaml", b"kb: {id: [")
    assert len(texts(engine, EDITOR)) == 2
    type_in(engine, root, "config.yaml", dump({"kb": {"id": "them"}}))
    assert texts(engine, EDITOR) == ["Keys rotate."]
    type_in(engine, root, "config.yaml", b"kb: {id: [")
    assert texts(engine, EDITOR) == ["Keys rotate."]
    collection = next(iter(engine.collections.values()))
    assert [p.path for p in engine.problems(EDITOR, collection)["config.yaml"]] == ["config.yaml"]
    assert len(texts(engine, OTHER)) == 2
    engine.overlays.drop("editor")
    assert len(texts(engine, EDITOR)) == 2


def test_what_is_read_in_a_thread_counts_once_it_is_put(engine: Engine, root: Path) -> None:
    file = root / ".vouch" / "claims" / "rotation.yaml"
    read: list[Callable[[], None]] = []
    new = claim("rotation", text="Pins rotate.").decode()
    thread = Thread(target=lambda: read.append(engine.read_overlay("editor", file, new)))
    thread.start()
    thread.join()
    assert texts(engine, EDITOR) == ["Keys rotate."]
    read[0]()
    assert texts(engine, EDITOR) == ["Pins rotate."]
