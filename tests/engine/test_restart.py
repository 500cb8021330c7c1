"""Whatever lies in the cache, a process that starts answers as one without any."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine

from tests.engine.bases import ask, cached, counts, engine_on, finished
from tests.engine.world import Files, changed, files, lay, said_by, take


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


def test_in_whatever_order_files_were_written_answers_are_the_same(
    root: Path, tmp_path: Path, before: Files
) -> None:
    other = lay(tmp_path / "other" / "kb", dict(reversed(before.items())))
    assert said_by(engine_on(other)) == cold(root)


# What can't be trusted

Harm = Callable[[Path], None]
"""Does something to a base or to what is around it."""


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def in_short(engine: Engine) -> object:
    hits = ask(engine, "search", query="keys of the relay", limit=100)["hits"]
    return ask(engine, "status")["roots"][0]["counts"], counts(engine, "key vault"), hits


def test_a_base_with_a_damaged_file_is_none(root: Path, tmp_path: Path) -> None:
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
        flipped(base / name)
        engine = engine_on(env=cached(tmp_path))
        collection = engine.registry.add_root(root)
        assert collection.bases is not None
        assert collection.bases.open() is None, name
        engine.load()
        assert in_short(engine) == wanted, name
        assert base not in finished(tmp_path)
        assert len(finished(tmp_path)) == 1


def of_an_older_version(base: Path) -> None:
    base.rename(base.with_name(f"{'0' * 16}-{base.name.partition('-')[2]}"))


def a_file(base: Path) -> None:
    shutil.rmtree(base)
    base.write_bytes(b"no folder")


def readable_by_others(base: Path) -> None:
    base.chmod(0o755)


@pytest.mark.parametrize("harm", [of_an_older_version, a_file, readable_by_others])
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
