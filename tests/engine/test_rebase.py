"""When a base is written, taken up and finished, and when it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.index.base_cache import Bases

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
    monkeypatch.setattr("vouch_sidecar.engine.disk_reader.REBASE_FROM", 3)
    engine, collection = started(root, tmp_path)
    (first,) = finished(tmp_path)
    for number in range(3):
        engine.load()
        write(root, f"claims/c{number}.yaml", claim(f"c{number}", entities=["vault"]))
        engine.read()
    assert finished(tmp_path) == [first]
    engine.load()
    (second,) = finished(tmp_path)
    assert second != first
    assert not collection.reader.latest.changed
    assert counts(engine, "key vault") == {"vault": 5}
    assert counts(started(root, tmp_path)[0], "key vault") == {"vault": 5}


def test_evidence_that_stays_out_of_a_base_is_worth_none(root: Path, tmp_path: Path) -> None:
    """That of a retired claim: each process reads it again."""
    cited = {"source_id": "0" * 64, "locator": "a", "created_at": "2026-01-01"}
    write(root, "evidence/ev.yaml", {"id": "ev", "quote": SECRET, **cited})
    write(root, "claims/old.yaml", claim("old", evidence=["ev"], status="archived"))
    started(root, tmp_path)
    (first,) = finished(tmp_path)
    later, _ = started(root, tmp_path)
    later.load(whole=True)
    assert finished(tmp_path) == [first]


def test_a_file_that_is_half_written_holds_no_base_up(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next process reads it anew."""
    monkeypatch.setattr("vouch_sidecar.engine.disk_reader.REBASE_FROM", 3)
    engine, _ = started(root, tmp_path)
    (first,) = finished(tmp_path)
    for number in range(3):
        write(root, f"claims/c{number}.yaml", claim(f"c{number}", entities=["vault"]))
    master = root / ".vouch" / "claims" / "master.yaml"
    master.write_bytes(b"id: [")
    engine.load()
    assert finished(tmp_path) != [first]
    assert counts(engine, "key vault") == {"vault": 5}
    assert counts(started(root, tmp_path)[0], "key vault") == {"vault": 4}
    write(root, "claims/master.yaml", claim("master", **LIVE))
    assert counts(started(root, tmp_path)[0], "key vault") == {"vault": 5}


def test_what_is_retired_is_in_no_base_and_one_is_written_without_it(
    root: Path, tmp_path: Path
) -> None:
    """Vectors that another process made of it go with it, whether or not this one has a model."""
    engine, collection = started(root, tmp_path)
    assert holds(tmp_path / "cache", SECRET)
    assert collection.bases is not None
    assert collection.bases.write_extra("vectors-of-a-model", b"made of the claim")
    (root / ".vouch" / "claims" / "master.yaml").unlink()
    engine.read()
    assert not holds(tmp_path / "cache", SECRET)
    assert finished(tmp_path) == []
    assert Bases(collection.bases.caches, root).read_extra("vectors-of-a-model") is None
    assert collection.bases.read_extra("vectors-of-a-model"), "in memory, for other claims"
    assert collection.bases.write_extra("vectors-of-a-model", b"made of others")
    collection.bases.purge()
    assert collection.bases.read_extra("vectors-of-a-model") == b"made of others"
    engine.load()
    assert not collection.reader.latest.changed
    assert len(finished(tmp_path)) == 1
    assert not holds(tmp_path / "cache", SECRET)
    assert counts(started(root, tmp_path)[0], "key vault") == {"vault": 1}
