"""Whatever lies in the cache, a process that starts answers as one without any."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.kb.artifact_files import KB_DIRNAME
from vouch_sidecar.kb.reader import read_bytes_of

from tests.engine.bases import ask, cached, counts, engine_on, finished
from tests.engine.world import ODD, VIEWERS, Files, changed, files, lay, said_by, take

SEEDS = (1, 2)


@pytest.fixture
def before() -> Files:
    return files()


@pytest.fixture
def root(tmp_path: Path, before: Files) -> Path:
    return lay(tmp_path / "kb", before)


def cold(root: Path) -> dict[str, str]:
    """What is said without any cache."""
    return said_by(engine_on(root))


def started(root: Path, tmp_path: Path) -> Engine:
    return engine_on(root, env=cached(tmp_path))


def test_a_start_from_a_base_reads_only_files_that_are_not_in_order(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = said_by(started(root, tmp_path))
    assert wanted == cold(root)
    (base,) = finished(tmp_path)
    read: set[str] = set()

    def note(kb_dir: Path, path: str) -> object:
        read.add(path)
        return read_bytes_of(kb_dir, path)

    monkeypatch.setattr("vouch_sidecar.kb.store.read_bytes_of", note)
    again = started(root, tmp_path)
    assert read == ODD
    assert said_by(again) == wanted
    assert finished(tmp_path) == [base]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_changed_meanwhile_counts_as_it_is(
    root: Path, tmp_path: Path, before: Files, seed: int
) -> None:
    started(root, tmp_path)
    change = changed(before, seed)
    lay(root, change)
    plain = lay(tmp_path / "plain" / "kb", take(before, change))
    wanted = cold(root)
    assert cold(plain) == wanted
    assert said_by(started(root, tmp_path)) == wanted
    assert said_by(started(root, tmp_path)) == wanted


def test_changes_while_running_and_while_not_are_alike(
    root: Path, tmp_path: Path, before: Files
) -> None:
    """In any order, a base written now and then."""
    engine = started(root, tmp_path)
    for seed in range(10, 14):
        change = changed(before, seed)
        before = take(before, change)
        lay(root, change)
        if seed % 3 == 0:
            engine = started(root, tmp_path)
        elif seed % 3 == 1:
            engine.load()
        else:
            engine.read()
        assert said_by(engine) == cold(root), seed


def test_the_viewers_are_told_different_things(root: Path) -> None:
    """Else nothing here would show that gates outlast a restart."""
    engine = engine_on(root)
    found = [tuple(counts(engine, "key vault", viewer=viewer).values()) for viewer in VIEWERS]
    assert len(set(found)) == 3


# What can't be trusted

Harm = Callable[[Path], None]
"""Does something to a base or to what is around it."""


def halved(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def missing(file: Path) -> None:
    file.unlink()


def in_short(engine: Engine) -> object:
    hits = ask(engine, "search", query="keys of the relay", limit=100)["hits"]
    return ask(engine, "status")["roots"][0]["counts"], counts(engine, "key vault"), hits


@pytest.mark.parametrize("harm", [halved, flipped, missing])
def test_a_base_with_a_damaged_file_is_none(root: Path, tmp_path: Path, harm: Harm) -> None:
    """Each of its files in turn."""
    wanted = in_short(started(root, tmp_path))
    (base,) = finished(tmp_path)
    shutil.copytree(base, tmp_path / "whole")
    names = [file.name for file in base.iterdir() if file.stat().st_size]
    assert len(names) >= 9
    for name in names:
        for old in finished(tmp_path):
            shutil.rmtree(old)
        shutil.copytree(tmp_path / "whole", base)
        harm(base / name)
        engine = engine_on(env=cached(tmp_path))
        collection = engine.registry.add_root(root)
        assert collection.bases is not None
        assert collection.bases.open() is None, name
        engine.load()
        assert in_short(engine) == wanted, name
        assert base not in finished(tmp_path)
        assert len(finished(tmp_path)) == 1


def unfinished(base: Path) -> None:
    (base / "records").unlink()


def of_an_older_version(base: Path) -> None:
    base.rename(base.with_name(f"{'0' * 16}-{base.name.partition('-')[2]}"))


def under_another_version(base: Path) -> None:
    """What it lists is not what is there: as if its version had lied."""
    manifest = base / "records"
    manifest.write_bytes(b"0" * 32 + b"\n" + manifest.read_bytes().partition(b"\n")[2])


def a_file(base: Path) -> None:
    shutil.rmtree(base)
    base.write_bytes(b"no folder")


def empty(base: Path) -> None:
    shutil.rmtree(base)
    base.mkdir(mode=0o700)


def nonsense(base: Path) -> None:
    (base / "records").write_bytes(json.dumps([1]).encode())


def readable_by_others(base: Path) -> None:
    base.chmod(0o755)


def in_a_folder_for_others(base: Path) -> None:
    base.parent.chmod(0o755)


@pytest.mark.parametrize(
    "harm",
    [
        unfinished,
        of_an_older_version,
        under_another_version,
        a_file,
        empty,
        nonsense,
        readable_by_others,
        in_a_folder_for_others,
    ],
)
def test_a_base_that_is_not_one_of_ours_is_none(root: Path, tmp_path: Path, harm: Harm) -> None:
    wanted = said_by(started(root, tmp_path))
    (base,) = finished(tmp_path)
    before = {path.name for path in base.parent.iterdir()}
    harm(base)
    harmed = {path for path in base.parent.iterdir() if path.name != "root"}
    assert harmed
    engine = started(root, tmp_path)
    assert said_by(engine) == wanted
    assert not any(path.exists() for path in harmed), before
    (base,) = finished(tmp_path)
    assert said_by(started(root, tmp_path)) == wanted
    assert finished(tmp_path) == [base]


def test_the_base_of_another_knowledge_base_says_nothing(
    root: Path, tmp_path: Path, before: Files
) -> None:
    """Not even where files of both have one name."""
    other = lay(tmp_path / "other" / "kb", take(before, changed(before, 5)))
    started(root, tmp_path)
    (mine,) = finished(tmp_path)
    started(other, tmp_path)
    (theirs,) = set(finished(tmp_path)) - {mine}
    shutil.rmtree(theirs)
    shutil.copytree(mine, theirs)
    assert said_by(started(other, tmp_path)) == cold(other)
    assert said_by(started(other, tmp_path)) == cold(other)


def test_a_knowledge_base_that_was_copied_is_read_anew(
    root: Path, tmp_path: Path, before: Files
) -> None:
    started(root, tmp_path)
    shutil.copytree(root, tmp_path / "copy" / "kb")
    for path, data in changed(before, 6).items():
        file = tmp_path / "copy" / "kb" / KB_DIRNAME / path
        file.unlink(missing_ok=True)
        if data is not None:
            file.write_bytes(data)
    copy = tmp_path / "copy" / "kb"
    wanted = cold(copy)
    shutil.rmtree(root)
    shutil.move(copy, root)
    assert said_by(started(root, tmp_path)) == wanted


def test_without_room_for_a_cache_all_is_said(root: Path, tmp_path: Path) -> None:
    env = cached(tmp_path)
    Path(env["XDG_CACHE_HOME"]).write_bytes(b"a file")
    engine = engine_on(root, env=env)
    assert said_by(engine) == cold(root)
    assert ask(engine, "status")["roots"][0]["problems"][0]["message"].startswith("The cache")
