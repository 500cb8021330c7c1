"""Whatever lies in the cache, a process that starts answers as one without any."""

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.engine.collection import Collection
from vouch_sidecar.index import base_cache
from vouch_sidecar.index.base_cache import Bases

from tests.engine.bases import base, cached, counts, engine_on, finished, load, only, reread, write
from tests.engine.processes import holds
from tests.engine.world import TOPICS, files, lay
from tests.kb.samples import claim

SECRET = "doormat"


def started(root: Path, tmp_path: Path) -> Engine:
    return engine_on(root, env=cached(tmp_path))


def kept(engine: Engine, root: Path) -> tuple[Collection, Bases]:
    """What an engine serves of a knowledge base, and its bases."""
    collection = only(engine, root)
    assert collection.bases is not None
    return collection, collection.bases


def flipped(name: str, base: Path) -> Path:
    data = bytearray((base / name).read_bytes())
    data[len(data) // 2] ^= 1
    (base / name).write_bytes(data)
    return base


def a_file(base: Path) -> Path:
    shutil.rmtree(base)
    base.write_bytes(b"no folder")
    return base


def fifo(name: str, base: Path) -> Path:
    """To open it would wait for whoever writes to it."""
    path = next(base.glob(name), base / name)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    return base


def readable_by_others(base: Path) -> Path:
    base.chmod(0o755)
    return base


def test_a_base_that_can_not_be_trusted_is_none(tmp_path: Path) -> None:
    """Damaged in any of its files, not one of ours, or with something in it that is no file."""
    root = lay(tmp_path / "kb", files(40))

    def said() -> list[dict[str, int]]:
        engine = started(root, tmp_path)
        return [counts(engine, topic) for topic in TOPICS]

    wanted = said()
    (first,) = finished(tmp_path)
    shutil.copytree(first, tmp_path / "whole")
    names = [file.name for file in first.iterdir() if file.stat().st_size]
    assert len(names) >= 9
    harms: list[Callable[[Path], Path]] = [partial(flipped, name) for name in names]
    pipes = ("records", "meta.json", "*.store", ".tantivy-*", "new")
    harms += [partial(fifo, name) for name in pipes]
    for harm in (*harms, a_file, readable_by_others):
        for old in finished(tmp_path):
            shutil.rmtree(old)
        harmed = harm(Path(shutil.copytree(tmp_path / "whole", first)))
        assert said() == wanted, harm
        assert not harmed.exists(), harm
        assert len(finished(tmp_path)) == 1, harm


@pytest.mark.parametrize("file", ["index/links.py", "text/english.txt", "kb/files/new.py"])
def test_a_base_of_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    package = Path(shutil.copytree(Path(base_cache.__file__).parents[1], tmp_path / "package"))
    monkeypatch.setattr(base_cache, "__file__", str(package / "index" / "base_cache.py"))
    monkeypatch.setattr(base_cache, "code_version", base_cache.code_version.__wrapped__)
    (package / file).parent.mkdir(exist_ok=True)
    (package / "kb/.#store.py").symlink_to("somebody@a-host.1:2")  # an editor's lock
    root, found = base(tmp_path / "kb"), list[Path]()
    for more in ("", "", "# another line\n"):
        with (package / file).open("a", encoding="utf-8") as stream:
            stream.write(more)
        started(root, tmp_path)
        found += finished(tmp_path)
    assert found[0] == found[1] != found[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    text = f"The key is under the {SECRET}."
    master = claim("master", text=text, entities=["vault"])
    return base(tmp_path / "kb", {"claims/master.yaml": master})


def test_when_one_is_written(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After many changes; of no half of a file, which the next process reads anew."""
    monkeypatch.setattr("vouch_sidecar.engine.disk_reader.REBASE_FROM", 3)
    engine = started(root, tmp_path)
    (first,) = finished(tmp_path)
    for number in range(3):
        load(engine)
        write(root, f"claims/c{number}.yaml", claim(f"c{number}", entities=["vault"]))
        reread(engine)
    assert finished(tmp_path) == [first]
    whole = write(root, "claims/half.yaml", claim("half", entities=["vault"])).read_bytes()
    reread(engine)
    write(root, "claims/half.yaml", b"id: [")
    load(engine)
    (second,) = finished(tmp_path)
    assert second != first
    assert not only(engine).reader.latest.changed
    assert counts(engine, "key vault") == {"vault": 6}
    assert counts(started(root, tmp_path), "key vault") == {"vault": 5}
    write(root, "claims/half.yaml", whole)
    assert counts(started(root, tmp_path), "key vault") == {"vault": 6}


def test_what_is_retired_is_in_no_base_and_another_is_written(root: Path, tmp_path: Path) -> None:
    """Vectors that another process made of it go with it, whether or not this one has a model."""
    engine = started(root, tmp_path)
    _, bases = kept(engine, root)
    assert holds(tmp_path / "cache", SECRET)
    assert bases.write_extra("vectors", b"made of the claim")
    (root / ".vouch" / "claims" / "master.yaml").unlink()
    reread(engine)
    assert not holds(tmp_path / "cache", SECRET)
    assert finished(tmp_path) == []
    assert Bases(bases.caches, root / ".vouch").read_extra("vectors") is None
    assert bases.read_extra("vectors"), "in memory, for other claims"
    assert bases.write_extra("vectors", b"made of others")
    bases.purge()
    assert bases.read_extra("vectors") == b"made of others"
    load(engine)
    assert len(finished(tmp_path)) == 1
    assert not holds(tmp_path / "cache", SECRET)
    assert counts(started(root, tmp_path), "key vault") == {"vault": 1}


def test_vectors_without_a_base_go_before_a_start(root: Path, tmp_path: Path) -> None:
    """A process was killed before it kept a base, and a claim was redacted since."""
    _, bases = kept(started(root, tmp_path), root)
    bases.purge()
    assert bases.write_extra("vectors", b"made of the claim")
    _, others = kept(started(root, tmp_path), root)
    assert Bases(bases.caches, root / ".vouch").read_extra("vectors") is None
    assert others.read_extra("vectors"), "in memory, for other claims"


def test_all_is_for_this_user_alone(root: Path, tmp_path: Path) -> None:
    before = os.umask(0)
    (tmp_path / "cache" / "vouch-sidecar").mkdir(parents=True)
    _, bases = kept(started(root, tmp_path), root)
    assert bases.write_extra("vectors", b"data")
    os.umask(before)
    assert bases.caches.stat().st_mode & 0o777 == 0o700
    for path in bases.caches.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_a_base_removed_midway(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By another process, while it is written: who writes is told so, and nothing is left."""
    collection, bases = kept(started(root, tmp_path), root)
    layer_of = vars(base_cache)["layer_of"]

    def removed(*given: Any) -> Any:
        Bases(bases.caches, root / ".vouch").purge()
        return layer_of(*given)

    with monkeypatch.context() as patched:
        patched.setattr(base_cache, "layer_of", removed)
        with pytest.raises(FileNotFoundError):
            bases.write(collection.knowledge, collection.reader.store.stats(), None)
    assert [path.name for path in bases.folder.iterdir()] == ["root"]
    assert counts(started(root, tmp_path), "key vault") == {"vault": 2}
    assert len(finished(tmp_path)) == 1


def test_caches_of_what_is_gone_go(root: Path, tmp_path: Path) -> None:
    gone = base(tmp_path / "gone")
    _, bases = kept(engine_on(root, gone, env=cached(tmp_path)), root)
    caches, half_gone = bases.caches, bases.caches / "gone-1-1"
    (gone / ".vouch").rename(tmp_path / "away")
    not_ours = [caches / name for name in ("notes.cache", "notes", f"{'a' * 31}.cache", "odd")]
    for path in not_ours[:3]:
        path.write_bytes(b"x")
    not_ours[3].mkdir()
    shutil.copytree(bases.folder, half_gone)
    assert len([*caches.iterdir()]) == len(not_ours) + 3
    started(root, tmp_path)
    assert {*caches.iterdir()} == {bases.folder, *not_ours}
