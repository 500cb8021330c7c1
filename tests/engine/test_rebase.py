"""When a base is written, taken up and finished, and when it is not."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anyio
import pytest
from tantivy import Document
from vouch_sidecar.engine import Engine
from vouch_sidecar.engine.base_writer import BaseWriter
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.engine.disk_follower import DiskFollower
from vouch_sidecar.index.layers import Layer, Writing

from tests.engine.bases import Clock, base, cached, counts, engine_on, finished, write
from tests.engine.processes import holds
from tests.kb.samples import claim

SECRET = "doormat"
LIVE = {"text": f"The key is under the {SECRET}.", "entities": ["vault"]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return base(tmp_path / "kb", {"claims/master.yaml": claim("master", **LIVE)})


def started(root: Path, tmp_path: Path) -> tuple[Engine, Collection]:
    engine = engine_on(root, env=cached(tmp_path), clock=Clock())
    return engine, engine.collections[root]


def test_a_few_changes_are_worth_no_base(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vouch_sidecar.engine.base_writer.REBASE_FROM", 3)
    engine, collection = started(root, tmp_path)
    (first,) = finished(tmp_path)
    for number in range(3):
        assert not collection.reader.wants_base
        write(root, f"claims/c{number}.yaml", claim(f"c{number}", entities=["vault"]))
        engine.read()
    assert finished(tmp_path) == [first]
    assert collection.reader.wants_base
    assert engine.load()
    (second,) = finished(tmp_path)
    assert second != first
    assert not collection.reader.latest.changed
    assert counts(engine, "key vault") == {"vault": 5}
    assert counts(started(root, tmp_path)[0], "key vault") == {"vault": 5}


def test_changes_that_came_before_a_start_count(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vouch_sidecar.engine.base_writer.REBASE_FROM", 3)
    started(root, tmp_path)
    for number in range(5):
        write(root, f"claims/c{number}.yaml", claim(f"c{number}", entities=["vault"]))
    engine, collection = started(root, tmp_path)
    assert not collection.reader.latest.changed
    assert counts(engine, "key vault") == {"vault": 7}


def test_a_base_is_written_for_little_where_it_shall_be_whole(root: Path, tmp_path: Path) -> None:
    engine, collection = started(root, tmp_path)
    (first,) = finished(tmp_path)
    write(root, "claims/c0.yaml", claim("c0", entities=["vault"]))
    assert engine.load()
    assert finished(tmp_path) == [first]
    assert engine.load(whole=True)
    (second,) = finished(tmp_path)
    assert second != first
    assert not collection.reader.latest.changed
    assert engine.load(whole=True)
    assert finished(tmp_path) == [second]


def test_nothing_is_finished_while_a_file_may_change_unnoticed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("vouch_sidecar.kb.store.YOUNG_SECONDS", 1e9)
        engine, _ = started(root, tmp_path)
        assert not engine.load()
        assert finished(tmp_path) == []
    assert engine.load()
    assert len(finished(tmp_path)) == 1


def test_nothing_is_finished_while_an_earlier_version_serves(root: Path, tmp_path: Path) -> None:
    engine, collection = started(root, tmp_path)
    (first,) = finished(tmp_path)
    write(root, "claims/master.yaml", b"id: [")
    write(root, "config.yaml", {"kb": {"name": "ops"}})
    engine.read()
    assert collection.reader.wants_base
    assert not engine.load()
    assert finished(tmp_path) == [first]
    assert counts(engine, "key vault") == {"vault": 2}
    assert counts(started(root, tmp_path)[0], "key vault") == {"vault": 1}


def test_what_is_retired_while_a_base_is_written_is_in_none(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where its id has come to say something else by then."""
    engine, collection = started(root, tmp_path)
    bases = collection.bases
    assert bases is not None
    really = bases.write

    def late(documents: Iterable[Document]) -> Any:
        before = list(documents)
        (root / ".vouch" / "claims" / "master.yaml").unlink()
        engine.read()
        write(root, "claims/master.yaml", claim("master", text="It is safe.", entities=["vault"]))
        engine.read()
        return really(before)

    with monkeypatch.context() as patch:
        patch.setattr(type(bases), "write", lambda _, documents: late(documents))
        written = collection.reader.write()
    assert written is not None
    collection.reader.adopt(written)
    collection.reader.finish_base()
    assert not holds(tmp_path / "cache", SECRET)
    assert finished(tmp_path) == []
    assert collection.reader.wants_base
    assert engine.load()
    assert not holds(tmp_path / "cache", SECRET)
    assert counts(started(root, tmp_path)[0], "key vault") == {"vault": 2}


def test_what_is_retired_as_the_writing_of_a_base_begins_is_in_none(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, collection = started(root, tmp_path)
    really = BaseWriter.write

    def late(writer: BaseWriter, *taken: Any) -> Any:
        (root / ".vouch" / "claims" / "master.yaml").unlink()
        engine.read()
        return really(writer, *taken)

    with monkeypatch.context() as patch:
        patch.setattr(BaseWriter, "write", late)
        written = collection.reader.write()
    assert written is not None
    collection.reader.adopt(written)
    collection.reader.finish_base()
    assert not holds(tmp_path / "cache", SECRET)


def is_wanted(collection: Collection) -> bool:
    return collection.reader.wants_base


def test_one_base_is_enough_for_several_processes(root: Path, tmp_path: Path) -> None:
    """All remove the bases that hold what was retired; who is first writes another."""
    first, _ = started(root, tmp_path)
    second, collection = started(root, tmp_path)
    (root / ".vouch" / "claims" / "master.yaml").unlink()
    first.read()
    second.read()
    assert finished(tmp_path) == []
    assert is_wanted(collection)
    assert first.load()
    (left,) = finished(tmp_path)
    assert not is_wanted(collection)
    assert second.load()
    assert finished(tmp_path) == [left]
    shutil.rmtree(left)
    assert is_wanted(collection)
    assert counts(second, "key vault") == {"vault": 1}


def test_who_runs_out_of_room_goes_on_in_memory(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = Writing.finish

    def full(writing: Writing) -> Layer:
        if writing._folder is not None:
            raise OSError(errno.ENOSPC, "no space")
        return really(writing)

    with monkeypatch.context() as patch:
        patch.setattr(Writing, "finish", full)
        engine, collection = started(root, tmp_path)
    assert counts(engine, "key vault") == {"vault": 2}
    assert "The cache could not be written (OSError)" in [*collection.faults]
    assert not list((tmp_path / "cache").rglob("*.store"))
    assert engine.load()
    assert len(collection.faults) == 0
    assert len(finished(tmp_path)) == 1
    assert counts(engine, "key vault") == {"vault": 2}


def test_what_a_failed_read_has_read_is_not_published(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, collection = started(root, tmp_path)
    before = collection.knowledge
    write(root, "claims/c0.yaml", claim("c0", entities=["vault"]))
    with monkeypatch.context() as patch:
        patch.setattr("vouch_sidecar.engine.disk_reader._retired", _fail)
        assert not engine.load(whole=True)
    assert collection.reader.latest is not before
    assert collection.knowledge is before
    assert engine.load(whole=True)
    assert counts(engine, "key vault") == {"vault": 3}


def test_a_base_is_not_taken_up_while_reading_fails(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the failed read has read would be published with it."""
    monkeypatch.setattr("vouch_sidecar.engine.base_writer.REBASE_FROM", 1)
    engine, collection = started(root, tmp_path)
    follower = DiskFollower(engine)
    write(root, "claims/c0.yaml", claim("c0", entities=["vault"]))
    engine.read()
    written = collection.reader.write()
    assert written is not None
    before = collection.knowledge
    write(root, "claims/c1.yaml", claim("c1", entities=["vault"]))
    with monkeypatch.context() as patch:
        patch.setattr("vouch_sidecar.engine.disk_reader._retired", _fail)
        engine.read()
    assert collection.is_failing
    anyio.run(follower._adopt, collection, written)
    assert collection.knowledge is before
    assert collection.is_failing
    engine.read()
    assert counts(engine, "key vault") == {"vault": 4}


def _fail(*_: object) -> bool:
    raise OSError(errno.EIO, "no disk")
