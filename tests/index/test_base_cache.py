"""Bases on disk: written whole, for this user alone; nothing that can't be trusted is opened."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tantivy import Document, Index, Query
from vouch_sidecar.index.base_cache import OLD_SECONDS, ROOT, Bases, Inventory, KeptFile, tidy
from vouch_sidecar.index.document_schema import SCHEMA
from vouch_sidecar.index.encoding import StemPlace, placed_stem
from vouch_sidecar.index.layers import Layer
from vouch_sidecar.index.links import LinkState
from vouch_sidecar.index.stored_artifacts import key_in
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Entity,
    Evidence,
    Kind,
    Page,
    Relation,
    Scope,
    Source,
    VouchSession,
    key_of,
)
from vouch_sidecar.names.name_forms import FormKind
from vouch_sidecar.text.content_words import content_stems

from tests.index.worlds import knowledge_of
from tests.kb.samples import make_kb

ARTIFACTS: list[Artifact] = [
    Entity("e", "entities/e.yaml", "Vault", "system"),
    Claim("c", "claims/c.yaml", "The vault rotates its keys weekly.", entities=("e",)),
    Claim("d", "claims/d.yaml", "The queue is drained."),
]
KEPT = Inventory(
    tuple(
        KeptFile(one.path, b"x" * 24, one, knowledge_of(ARTIFACTS).state(key_of(one)))
        for one in ARTIFACTS[:2]
    ),
    ((Kind.CLAIM, "d"),),
    b"kb: {name: ops}",
    b"y" * 24,
)


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


@pytest.fixture(params=[0o022, 0o000])
def mask(request: pytest.FixtureRequest) -> Iterator[None]:
    """What other software lets others read of new files."""
    before = os.umask(request.param)
    yield
    os.umask(before)


def leave(bases: Bases, kept: Inventory = KEPT) -> Path:
    """Write and finish a base; its folder."""
    written = bases.write(knowledge_of(ARTIFACTS).documents())
    assert written is not None
    assert bases.finish(written[0], kept)
    (folder,) = finished(bases)
    return folder


def finished(bases: Bases) -> list[Path]:
    return sorted(path.parent for path in bases.folder.glob("*/records"))


def unfinished(bases: Bases) -> list[Path]:
    return [path for path in bases.folder.iterdir() if path.name.startswith("unfinished-")]


def test_anybody_can_ask_a_base(bases: Bases) -> None:
    """It is an index of tantivy, and a claim is found by what our analysis makes of its words."""
    index = Index.open(str(leave(bases)))
    (stem,) = content_stems("rotating")
    placed = placed_stem(StemPlace(Kind.CLAIM, "open").encode(), stem)
    query = Query.term_query(SCHEMA, "stems", placed, "freq")
    searcher = index.searcher()
    ((_, address),) = searcher.search(query, 10).hits
    assert key_in(searcher.doc(address)) == (Kind.CLAIM, "c", 0)


def test_a_base_is_opened_as_it_was_finished(bases: Bases, caches: Path, root: Path) -> None:
    assert bases.open() is None
    assert not bases.is_there()
    leave(bases)
    assert bases.is_there()
    found = Bases(caches, root).open()
    assert found is not None
    assert found.kept == KEPT
    assert [key_in(one) for one in found.layer.documents()] == [
        key_in(one) for one in knowledge_of(ARTIFACTS).documents()
    ]


def test_records_come_back_as_they_were_whatever_they_hold(bases: Bases) -> None:
    odd, scope = ' \n\r\\"\x85é\u2028', Scope("private", agent="ada")
    made: list[Artifact] = [
        Claim("c", f"claims/{odd}.yaml", odd, evidence=("a", odd), scope=scope, confidence=0.25),
        Page("p", "pages/p.md", odd, body=f"# {odd}", tags=(odd,), scope=scope),
        Source("s", "sources/s/meta.yaml", odd, question=odd, kept=True),
        Evidence("v", "evidence/v.yaml", "s", odd, odd, 1, 2),
        Relation("r", "relations/r.yaml", "c", odd, "e"),
        VouchSession("x", "sessions/x.yaml", odd, ended_at=1.5),
    ]
    state = LinkState("open", (odd,), "named")
    kept = Inventory(tuple(KeptFile(one.path, bytes(range(24)), one, state) for one in made))
    leave(bases, kept)
    found = bases.open()
    assert found is not None
    assert found.kept == kept


def test_names_in_a_base_are_not_taken_apart(bases: Bases, monkeypatch: pytest.MonkeyPatch) -> None:
    leave(bases)
    found = bases.open()
    assert found is not None
    monkeypatch.setattr("vouch_sidecar.names.matcher.forms", pytest.fail)
    (named,) = found.names.find("Two vaults")
    assert (named.entity_id, named.form) == ("e", FormKind.VARIANT)


def test_a_base_takes_the_place_of_those_before_it(bases: Bases) -> None:
    first = leave(bases)
    assert bases.begin().folder.exists()
    second = leave(bases)
    assert not first.exists()
    assert [path.name for path in bases.folder.iterdir() if path.name.startswith("unfinished-")]
    assert second != first


def test_of_two_bases_the_newest_counts_and_the_other_goes(bases: Bases, tmp_path: Path) -> None:
    """As after a kill between a base's coming and its predecessor's going."""
    older = leave(bases)
    older.rename(tmp_path / "aside")
    newer = leave(bases, Inventory(config=b"newer"))
    (tmp_path / "aside").rename(older)
    found = bases.open()
    assert found is not None
    assert found.kept.config == b"newer"
    assert finished(bases) == [newer]


def test_where_the_newest_is_damaged_the_one_before_counts(bases: Bases, tmp_path: Path) -> None:
    older = leave(bases)
    older.rename(tmp_path / "aside")
    (leave(bases) / "meta.json").write_bytes(b"{}")
    (tmp_path / "aside").rename(older)
    assert bases.open() is not None
    assert finished(bases) == [older]


@pytest.mark.usefixtures("mask")
def test_all_is_for_this_user_alone(bases: Bases, caches: Path) -> None:
    leave(bases)
    writing = bases.begin().writing
    writing.add(Document(key="k"))
    files = [path for path in caches.rglob("unfinished-*/*") if path.is_file()]
    assert len(files) > 2
    assert caches.stat().st_mode & 0o777 == 0o700
    for path in caches.rglob("*"):
        wanted = 0o700 if path.is_dir() else 0o600
        assert path.stat().st_mode & 0o777 == wanted, path
    assert not (caches.parent.stat().st_mode & 0o700) ^ 0o700


def test_a_base_that_was_removed_meanwhile_is_not_finished(bases: Bases, caches: Path) -> None:
    written = bases.write(knowledge_of(ARTIFACTS).documents())
    assert written is not None
    made, layer = written
    bases.purge()
    assert not list(caches.iterdir())
    assert not bases.finish(made, KEPT)
    assert layer.size == len(list(layer.documents())) == len(ARTIFACTS)


def test_of_a_base_that_is_removed_while_it_is_written_nothing_stays(
    bases: Bases, caches: Path
) -> None:
    """At whatever moment."""
    documents = list(knowledge_of(ARTIFACTS).documents())

    def removed_after(pause: float) -> Iterator[Document]:
        yield documents[0]
        time.sleep(pause)
        bases.purge()
        yield from documents[1:]

    for pause in (0.0, 0.0003, 0.001, 0.003, 0.01) * 3:
        assert bases.write(removed_after(pause)) is None
        assert not list(caches.iterdir())


def test_processes_that_remove_and_write_at_once_end_with_a_whole_base(
    bases: Bases, caches: Path, root: Path
) -> None:
    """Whoever writes is told that the base was removed, and of nothing else."""
    failed: list[BaseException] = []

    def work(removes: bool) -> None:
        mine = Bases(caches, root)
        try:
            for _ in range(8):
                written = mine.write(knowledge_of(ARTIFACTS).documents())
                if removes:
                    mine.purge()
                elif written is not None:
                    mine.finish(written[0], KEPT)
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
    assert found.layer.size == len(ARTIFACTS)


def test_what_goes_on_being_asked_outlasts_its_files(bases: Bases) -> None:
    leave(bases)
    found = bases.open()
    assert found is not None
    bases.purge()
    assert [*map(key_in, found.layer.documents())] == [
        *map(key_in, knowledge_of(ARTIFACTS).documents())
    ]


@pytest.mark.parametrize("begins", [False, True])
def test_the_next_one_clears_what_nobody_will_finish(bases: Bases, begins: bool) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    leave(bases)
    (base,) = finished(bases)
    mine, old, other, left, torn = (
        bases.folder / name
        for name in (
            f"unfinished-{os.getpid()}-900",
            f"unfinished-{os.getpid()}-901",
            f"unfinished-{os.getppid()}-0",
            f"unfinished-{gone.pid}-0",
            "unfinished-",
        )
    )
    for folder in (mine, old, other, left, torn):
        folder.mkdir()
        (folder / "x.store").write_bytes(b"text")
    hours_ago = time.time() - OLD_SECONDS - 60
    os.utime(old, (hours_ago, hours_ago))
    foreign = bases.folder / f"{'0' * 16}-{time.time_ns()}"
    foreign.mkdir()
    (foreign / "records").write_bytes(b"")
    begun = {bases.begin().folder} if begins else set()
    assert bases.open() is not None
    assert {path for path in bases.folder.iterdir() if path.is_dir()} == {base, mine, other, *begun}


def test_caches_of_knowledge_bases_that_are_gone_go(
    bases: Bases, caches: Path, tmp_path: Path
) -> None:
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
    bases.begin()
    shutil.copytree(bases.folder, half_gone)
    tidy(caches)
    assert {*caches.iterdir()} == {bases.folder, *not_ours}
    leave(gone)
    bases.open()  # every process begins with it
    assert {*caches.iterdir()} == {bases.folder, *not_ours}


def test_a_cache_whose_root_is_being_written_stays(bases: Bases, caches: Path) -> None:
    leave(bases)
    (bases.folder / "root").write_bytes(b"")
    tidy(caches)
    assert bases.open() is not None


def test_a_link_to_a_knowledge_base_shares_its_bases(
    bases: Bases, caches: Path, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(root)
    leave(bases)
    assert Bases(caches, tmp_path / "link").open() is not None


def test_a_layer_of_several_segments_is_refused(tmp_path: Path) -> None:
    index = Index(SCHEMA, path=str(tmp_path))
    for document in knowledge_of(ARTIFACTS).documents():
        writer = index.writer(heap_size=15_000_000, num_threads=1)
        writer.add_document(document)
        writer.commit()
        del writer
    with pytest.raises(ValueError, match="several segments"):
        Layer(Index.open(str(tmp_path)))


@pytest.mark.parametrize("name", ["records", "meta.json", "*.store", ".tantivy-*", "new"])
def test_a_base_in_which_something_is_no_file_is_none(bases: Bases, name: str) -> None:
    """To open a FIFO would wait for whoever writes to it."""
    folder = leave(bases)
    path = next(folder.glob(name), folder / name)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert bases.open() is None


def test_what_names_the_knowledge_base_may_be_no_file(bases: Bases) -> None:
    leave(bases)
    (bases.folder / ROOT).unlink()
    os.mkfifo(bases.folder / ROOT)
    assert bases.open() is not None
    assert bases.read_extra("x") is None
