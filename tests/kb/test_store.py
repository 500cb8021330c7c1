from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from vouch_sidecar.kb.access import is_shown_to_any
from vouch_sidecar.kb.reader import Reading, parse
from vouch_sidecar.kb.records import Artifact, Claim, Key, Kind, Severity
from vouch_sidecar.kb.store import GRACE_SECONDS, Reconciled, Store

from tests.engine.bases import Clock
from tests.kb.samples import claim, entity, make_kb, page, put

PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
NOT_ROOT = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="root may read everything"
)


@pytest.fixture
def kb_dir(tmp_path: Path) -> Path:
    return make_kb(tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(kb_dir: Path, clock: Clock) -> Looking:
    return Looking(kb_dir, clock=clock)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files that stores parse from now on."""
    paths: list[str] = []

    def noted(path: str, data: bytes) -> Reading:
        paths.append(path)
        return parse(path, data)

    monkeypatch.setattr("vouch_sidecar.kb.store.parse", noted)
    return paths


class Looking:
    """A store, and what changed with each look at the files."""

    def __init__(self, kb_dir: Path, **clocks: Callable[[], Any]) -> None:
        self.store = Store(kb_dir, **clocks)
        self._before: Mapping[Key, Artifact] = {}

    def __call__(self, paths: Iterable[str] | None = None) -> Step:
        seen, before = self.store.reconcile(paths), self._before
        self._before = seen.records
        new = {k: v for k, v in seen.records.items() if before.get(k) != v}
        gone = before.keys() - seen.records.keys()
        return Step(seen, new, frozenset(gone))


class Step(NamedTuple):
    seen: Reconciled
    new: Mapping[Key, Artifact]
    removed: frozenset[Key]

    @property
    def is_change(self) -> bool:
        return bool(self.new or self.removed)

    @property
    def ids(self) -> set[str]:
        return {key[1] for key in self.new}

    @property
    def gone(self) -> set[str]:
        """The ids of what nobody is shown any more."""
        hidden = {key[1] for key, one in self.new.items() if not is_shown_to_any(one)}
        return {key[1] for key in self.removed} | hidden

    @property
    def only(self) -> Artifact:
        (artifact,) = self.new.values()
        return artifact


def test_everything_at_first_then_nothing_then_what_differs(kb_dir: Path, store: Looking) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    put(kb_dir, "entities/e.yaml", entity("e"))
    put(kb_dir, "pages/auth.md", page())
    put(kb_dir, "config.yaml", b"kb: {id: x}")
    first = store()
    assert first.ids == {"a", "e", "auth"}
    assert first.seen.config == b"kb: {id: x}"
    assert (first.seen.problems, first.seen.skipped, first.gone) == ({}, 0, set())
    again = store()
    assert not again.is_change
    assert again.seen.config == first.seen.config
    put(kb_dir, "claims/a.yaml", claim("a", text="new"), age=5)
    (kb_dir / "entities/e.yaml").unlink()
    second = store()
    assert (second.ids, second.gone) == ({"a"}, {"e"})
    assert second.removed == {(Kind.ENTITY, "e")}
    kb_dir.rename(kb_dir.with_name("moved"))
    assert (store().gone, store().seen.config) == ({"a", "auth"}, None)
    kb_dir.with_name("moved").rename(kb_dir)
    assert store().ids == {"a", "auth"}


def test_a_quick_rewrite_of_the_same_size_is_seen(kb_dir: Path, clock: Clock) -> None:
    """A stat is trusted once the file was still."""
    file = put(kb_dir, "claims/a.yaml", claim("a", text="aaaa"))
    stamp = file.stat().st_mtime_ns
    now = stamp + 1_000_000
    store = Looking(kb_dir, clock=clock, wall=lambda: now)
    store()
    assert clock.now < (store.store.deadline or 0) < clock.now + 1
    file.write_bytes(claim("a", text="bbbb"))
    os.utime(file, ns=(stamp, stamp))
    artifact = store(()).only
    assert isinstance(artifact, Claim)
    assert artifact.text == "bbbb"
    assert not store.store.stats()
    now += 1_000_000_000
    assert not store(()).is_change
    assert store.store.stats().keys() == {"claims/a.yaml"}


def test_a_file_that_is_replaced_while_it_is_read_is_read_again(
    kb_dir: Path, store: Looking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By another one of its size and time."""
    file = put(kb_dir, "claims/a.yaml", claim("a", text="aaaa"), age=5)
    other = put(kb_dir, "other", claim("a", text="bbbb"))
    os.utime(other, ns=(file.stat().st_mtime_ns,) * 2)
    stat_of_open = os.fstat

    def replaced(opened: int) -> os.stat_result:
        status = stat_of_open(opened)
        if other.exists():
            other.replace(file)
        return status

    monkeypatch.setattr("os.fstat", replaced)
    assert [getattr(store().only, "text", None) for _ in range(2)] == ["aaaa", "bbbb"]


def test_the_last_good_version_of_a_torn_file_serves_for_seconds(
    kb_dir: Path, store: Looking, clock: Clock
) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    store()
    put(kb_dir, "claims/a.yaml", b"id: [", age=9)
    broken = store()
    assert not broken.is_change
    assert broken.seen.problems["claims/a.yaml"][0].severity is Severity.ERROR
    assert broken.seen.skipped == 1
    assert store.store.deadline == clock.now + GRACE_SECONDS
    clock.now += GRACE_SECONDS - 1
    put(kb_dir, "claims/a.yaml", b"id: {", age=8)
    assert not store().is_change
    clock.now += 1
    assert store(()).gone == {"a"}
    assert not store.store.deadline
    put(kb_dir, "claims/a.yaml", claim("a"), age=7)
    healed = store()
    assert (healed.ids, healed.seen.problems) == ({"a"}, {})
    put(kb_dir, "claims/a.yaml", b"", age=6)
    store()
    put(kb_dir, "claims/a.yaml", claim("a"), age=5)  # in time
    assert not store().is_change
    clock.now += 2 * GRACE_SECONDS
    assert not store().is_change
    assert store.store.deadline is None


@pytest.mark.parametrize("fields", [{"status": "redacted"}, {"scope": "private"}])
def test_what_is_retired_or_closed_takes_effect_at_once(
    kb_dir: Path, store: Looking, fields: dict[str, object]
) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    store()
    put(kb_dir, "claims/a.yaml", claim("a", **fields), age=0)
    step = store()
    assert step.ids | step.gone == {"a"}


def test_two_files_with_one_id(kb_dir: Path, store: Looking) -> None:
    put(kb_dir, "claims/z.yaml", claim("a", text="z"))
    put(kb_dir, "claims/b.yaml", claim("a", text="b"))
    first = store()
    assert first.only.path == "claims/b.yaml"
    assert [p.severity for p in first.seen.problems["claims/z.yaml"]][-1] is Severity.ERROR
    put(kb_dir, "claims/a.yaml", claim("a", text="a"))
    named = store()
    assert named.only.path == "claims/a.yaml"
    (kb_dir / "claims/a.yaml").unlink()
    assert store().only.path == "claims/b.yaml"
    (kb_dir / "claims/b.yaml").unlink()
    last = store()
    assert last.only.path == "claims/z.yaml"
    assert [p.severity for p in last.seen.problems["claims/z.yaml"]] == [Severity.WARNING]
    put(kb_dir, "claims/z.yaml", claim("b"), age=5)
    changed = store()
    assert (changed.ids, changed.gone) == ({"b"}, {"a"})


def lock(file: Path) -> None:
    file.chmod(0)
    os.utime(file, (6000, 6000))


def pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def grow(file: Path) -> None:
    file.write_bytes(b"#" * ((1 << 20) + 1))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        pytest.param(lock, "", marks=NOT_ROOT),
        pytest.param(pipe, "not a regular file", marks=PIPES),
        (grow, "larger than 1024 KiB"),
    ],
)
def test_a_file_that_cant_be_read_is_held_then_withheld(
    kb_dir: Path, store: Looking, clock: Clock, harm: Callable[[Path], None], said: str
) -> None:
    file = put(kb_dir, "claims/a.yaml", claim("a"))
    store()
    harm(file)
    for paths in (None, ["claims/a.yaml"]):
        step = store(paths)
        assert not step.is_change
        assert said in step.seen.problems["claims/a.yaml"][0].message
    clock.now += GRACE_SECONDS - 1
    assert not store().is_change
    clock.now += 1
    assert store().gone == {"a"}
    file.unlink()
    put(kb_dir, "claims/a.yaml", claim("a"))
    assert store().ids == {"a"}


def test_a_folder_that_cant_be_listed_is_held_then_withheld(
    kb_dir: Path, store: Looking, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    put(kb_dir, "entities/e.yaml", entity("e"))
    store()
    listed = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("claims"):
            raise PermissionError(13, "denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    step = store()
    assert not step.is_change
    assert "claims" in step.seen.problems
    clock.now += GRACE_SECONDS
    assert store().gone == {"a"}
    monkeypatch.undo()
    back = store()
    assert (back.ids, back.seen.problems) == ({"a"}, {})


def test_an_emptied_config_counts_once_it_is_still(kb_dir: Path, clock: Clock) -> None:
    file = put(kb_dir, "config.yaml", b"kb: {id: x}")
    now = file.stat().st_mtime_ns + 10_000_000_000
    store = Looking(kb_dir, clock=clock, wall=lambda: now)
    store()
    file.write_bytes(b"")
    os.utime(file, ns=(now, now))
    assert store().seen.config == b"kb: {id: x}"
    now += 1_000_000_000
    step = store(())
    assert step.seen.config == b""


@pytest.mark.parametrize("broken", [b"kb: {id: [", b"- id", b"\xff", b"#" * (2 << 20), None])
def test_the_last_good_config_counts_as_long_as_there_is_one_that_cant_be_read(
    kb_dir: Path, store: Looking, clock: Clock, broken: bytes | None
) -> None:
    file = put(kb_dir, "config.yaml", b"kb: {id: x}")
    store()
    file.unlink()
    if broken is None:
        file.mkdir()
    else:
        put(kb_dir, "config.yaml", broken, age=5)
    for _ in range(2):
        step = store()
        (problem,) = step.seen.problems["config.yaml"]
        assert problem.message.endswith("; until it can be read, the version before counts")
        assert (step.seen.config, step.seen.skipped) == (b"kb: {id: x}", 0)
        assert store.store.deadline is None
        clock.now += 2 * GRACE_SECONDS
    file.rmdir() if broken is None else file.unlink()
    step = store()
    assert (step.seen.config, step.seen.problems) == (None, {})


def test_what_an_earlier_process_read_is_not_read_again(
    kb_dir: Path, clock: Clock, parsed: list[str]
) -> None:
    for name in ("still", "since", "gone", "torn"):
        put(kb_dir, f"claims/{name}.yaml", claim(name))
    put(kb_dir, "claims/broken.yaml", b"id: [")
    put(kb_dir, "config.yaml", b"kb: {id: x}")
    before = Store(kb_dir, clock=clock)
    records, kept = before.reconcile().records, before.stats()
    assert len(kept) == 5
    parsed.clear()
    put(kb_dir, "claims/since.yaml", claim("since", text="new"), age=5)
    (kb_dir / "claims/gone.yaml").unlink()
    put(kb_dir, "claims/torn.yaml", b"id: [", age=5)  # no version of before serves
    store = Store(kb_dir, clock=clock)
    store.resume(records, kept, before.config)
    seen = store.reconcile()
    assert {key[1] for key in seen.records} == {"still", "since"}
    assert (seen.config, seen.skipped) == (b"kb: {id: x}", 2)
    assert sorted(parsed) == [f"claims/{name}.yaml" for name in ("broken", "since", "torn")]


def test_a_config_that_an_earlier_process_read_is_gone_with_its_file(kb_dir: Path) -> None:
    """Also where that one had no stat of it, as it had just been written."""
    store = Store(kb_dir)
    store.resume({}, {}, b"kb: {id: x}")
    assert store.reconcile().config is None


def test_of_what_nobody_may_see_no_text_is_held(kb_dir: Path, store: Looking) -> None:
    retired = claim("a", text="hunter2", tags=["hunter2"], status="redacted", evidence=["ev"])
    put(kb_dir, "claims/a.yaml", retired)
    put(kb_dir, "pages/p.md", page("hunter2", id="p", title="hunter2", status="archived"))
    step = store()
    assert "hunter2" not in repr(step.new)
    one = step.new[Kind.CLAIM, "a"]
    assert isinstance(one, Claim)
    assert (one.status, one.evidence) == ("redacted", ("ev",))
