"""Bases on disk: written whole, for this user alone; nothing that can't be trusted is opened.

That one has all that was written is in `tests/engine/test_restart.py` and in
`tests/reliability/test_histories.py`; what a killed process leaves in `tests/engine/test_kills.py`.
"""

from __future__ import annotations

import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from vouch_sidecar.index.base_cache import Bases, tidy
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.records import Artifact

from tests.kb.samples import make_kb
from tests.retrieval.samples import claim, entity, knowledge_of

ARTIFACTS: list[Artifact] = [
    entity("e", "Vault"),
    claim("c", "The vault rotates its keys weekly.", entities=("e",)),
]
STAT = b"x" * 24
CONFIG = b"kb: {name: ops}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_kb(tmp_path / "kb")
    return tmp_path / "kb"


@pytest.fixture
def caches(tmp_path: Path) -> Path:
    return tmp_path / "home" / "cache" / "vouch-sidecar"


@pytest.fixture
def bases(caches: Path, root: Path) -> Bases:
    return Bases(caches, root)


def leave(bases: Bases) -> Path:
    """Write a base; its folder."""
    it = knowledge_of(ARTIFACTS)
    bases.write(it, stats(it), CONFIG)
    (folder,) = finished(bases)
    return folder


def stats(knowledge: Knowledge) -> dict[str, bytes]:
    return dict.fromkeys((*(r.path for r in knowledge.records.values()), "config.yaml"), STAT)


def finished(bases: Bases) -> list[Path]:
    return sorted(path.parent for path in bases.folder.glob("*/records"))


def test_all_is_for_this_user_alone(bases: Bases, caches: Path) -> None:
    before = os.umask(0)
    leave(bases)
    assert bases.write_extra("vectors", b"data")
    os.umask(before)
    assert caches.stat().st_mode & 0o777 == 0o700
    for path in caches.rglob("*"):
        wanted = 0o700 if path.is_dir() else 0o600
        assert path.stat().st_mode & 0o777 == wanted, path


def test_processes_that_remove_and_write_at_once(bases: Bases, caches: Path, root: Path) -> None:
    """Whoever writes is told that the base was removed, and of nothing else."""
    failed: list[BaseException] = []
    knowledge = knowledge_of(ARTIFACTS)

    def work(removes: bool) -> None:
        mine = Bases(caches, root)
        try:
            for _ in range(8):
                with suppress(FileNotFoundError):
                    mine.write(knowledge, stats(knowledge), CONFIG)
                if removes:
                    mine.purge()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(n == 0,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    leave(bases)
    found = bases.open()
    assert found is not None
    assert found.knowledge.records == knowledge.records


def test_caches_of_what_is_gone_go(bases: Bases, caches: Path, tmp_path: Path) -> None:
    make_kb(tmp_path / "gone")
    gone = Bases(caches, tmp_path / "gone")
    leave(bases)
    leave(gone)
    (tmp_path / "gone" / ".vouch").rename(tmp_path / "away")
    not_ours = [caches / name for name in ("notes.cache", "notes", f"{'a' * 31}.cache", "odd")]
    for path in not_ours[:3]:
        path.write_bytes(b"x")
    not_ours[3].mkdir()
    half_gone = caches / "gone-1-1"
    shutil.copytree(bases.folder, half_gone)
    tidy(caches)
    assert {*caches.iterdir()} == {bases.folder, *not_ours}
    leave(gone)
    bases.open()  # every process begins with it
    assert {*caches.iterdir()} == {bases.folder, *not_ours}


@pytest.mark.parametrize("name", ["records", "meta.json", "*.store", ".tantivy-*", "new"])
def test_a_base_in_which_something_is_no_file_is_none(bases: Bases, name: str) -> None:
    """To open a FIFO would wait for whoever writes to it."""
    folder = leave(bases)
    path = next(folder.glob(name), folder / name)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert bases.open() is None
