from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from vouch_sidecar.kb.access import is_shown_to_any
from vouch_sidecar.kb.reader import Reading, parse
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Key, Kind, Severity
from vouch_sidecar.kb.store import GRACE_SECONDS, TORN_SECONDS, Reconciled, Store

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
def store(kb_dir: Path, clock: Clock) -> Store:
    return Store(kb_dir, clock=clock)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files that stores parse from now on."""
    paths: list[str] = []

    def noted(path: str, data: bytes) -> Reading:
        paths.append(path)
        return parse(path, data)

    monkeypatch.setattr("vouch_sidecar.kb.store.parse", noted)
    return paths


def ids(step: Reconciled) -> set[str]:
    return {artifact.id for artifact in step.change.upserts}


def gone(step: Reconciled) -> set[str]:
    """The ids of what nobody is shown any more."""
    hidden = {a.id for a in step.change.upserts if not is_shown_to_any(a)}
    return {key[1] for key in step.change.removals} | hidden


def only(step: Reconciled) -> Artifact:
    (artifact,) = step.change.upserts
    return artifact


def test_everything_at_first_then_nothing_then_what_differs(kb_dir: Path, store: Store) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    put(kb_dir, "entities/e.yaml", entity("e"))
    put(kb_dir, "pages/auth.md", page())
    put(kb_dir, "config.yaml", b"kb: {id: x}")
    first = store.reconcile()
    assert ids(first) == {"a", "e", "auth"}
    assert first.config == b"kb: {id: x}"
    assert (first.problems, first.skipped, gone(first)) == ({}, 0, set())
    again = store.reconcile()
    assert not again.change
    assert again.config == first.config
    put(kb_dir, "claims/a.yaml", claim("a", text="new"), age=5)
    (kb_dir / "entities/e.yaml").unlink()
    second = store.reconcile()
    assert (ids(second), gone(second)) == ({"a"}, {"e"})
    assert second.change.removals == {(Kind.ENTITY, "e")}


def test_paths_limit_the_look(kb_dir: Path, store: Store) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    put(kb_dir, "claims/b.yaml", claim("b"))
    assert ids(store.reconcile(["claims/a.yaml", "proposed/x.yaml", "../outside.yaml"])) == {"a"}
    assert ids(store.reconcile(["claims"])) == {"b"}
    (kb_dir / "claims/a.yaml").unlink()
    (kb_dir / "claims/b.yaml").unlink()
    assert gone(store.reconcile(["claims/a.yaml"])) == {"a"}
    assert gone(store.reconcile(["."])) == {"b"}


def test_a_deleted_knowledge_base_is_empty_and_comes_back(kb_dir: Path, store: Store) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    put(kb_dir, "config.yaml", b"{}")
    store.reconcile()
    kb_dir.rename(kb_dir.with_name("moved"))
    step = store.reconcile()
    assert (gone(step), step.config) == ({"a"}, None)
    kb_dir.with_name("moved").rename(kb_dir)
    assert ids(store.reconcile()) == {"a"}


def test_a_touched_file_changes_nothing(kb_dir: Path, store: Store) -> None:
    file = put(kb_dir, "claims/a.yaml", claim("a"))
    store.reconcile()
    os.utime(file, (5000, 5000))
    assert not store.reconcile().change


def test_a_quick_rewrite_of_the_same_size_is_seen(kb_dir: Path, clock: Clock) -> None:
    file = put(kb_dir, "claims/a.yaml", claim("a", text="aaaa"))
    stamp = file.stat().st_mtime_ns
    store = Store(kb_dir, clock=clock, wall=lambda: stamp + 1_000_000)
    store.reconcile()
    assert clock.now < (store.deadline or 0) < clock.now + 1
    file.write_bytes(claim("a", text="bbbb"))
    os.utime(file, ns=(stamp, stamp))
    artifact = only(store.reconcile(()))
    assert isinstance(artifact, Claim)
    assert artifact.text == "bbbb"


def test_a_stat_is_trusted_once_the_file_was_still(kb_dir: Path, clock: Clock) -> None:
    now = 0
    file = put(kb_dir, "claims/a.yaml", claim("a"))
    stamp = file.stat().st_mtime_ns
    store = Store(kb_dir, clock=clock, wall=lambda: stamp + now)
    store.reconcile()
    assert not store.is_settled()
    now = 1_000_000_000
    assert not store.reconcile(()).change
    assert store.is_settled()


@pytest.mark.parametrize("seconds", [-1, 0, 13_600_000_000])
def test_a_file_of_any_age_is_read_once(
    kb_dir: Path, clock: Clock, parsed: list[str], seconds: int
) -> None:
    file = put(kb_dir, "claims/a.yaml", claim("a"))
    os.utime(file, ns=(seconds * 1_000_000_000,) * 2)
    store = Store(kb_dir, clock=clock)
    assert [a.id for a in store.reconcile().change.upserts] == ["a"]
    assert not store.reconcile().change
    assert parsed == ["claims/a.yaml"]


@pytest.mark.parametrize(
    ("fraction", "age", "seen"), [(0, 1.5, True), (1, 1.5, False), (0, 3, False)]
)
def test_file_systems_with_whole_seconds(
    kb_dir: Path, clock: Clock, fraction: int, age: float, seen: bool
) -> None:
    stamp = 1_700_000_000_000_000_000 + fraction
    store = Store(kb_dir, clock=clock, wall=lambda: stamp + int(age * 1e9))
    file = kb_dir / "claims/a.yaml"
    for text in ("aaaa", "bbbb"):
        file.write_bytes(claim("a", text=text))
        os.utime(file, ns=(stamp, stamp))
        step = store.reconcile()
    assert bool(step.change) is seen


def test_the_last_good_version_of_a_torn_file_serves_for_seconds(
    kb_dir: Path, store: Store, clock: Clock
) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    store.reconcile()
    put(kb_dir, "claims/a.yaml", b"id: [", age=9)
    broken = store.reconcile()
    assert not broken.change
    assert broken.problems["claims/a.yaml"][0].severity is Severity.ERROR
    assert broken.skipped == 1
    assert store.deadline == clock.now + TORN_SECONDS
    clock.now += TORN_SECONDS - 1
    put(kb_dir, "claims/a.yaml", b"id: {", age=8)
    assert not store.reconcile().change
    clock.now += 1
    assert gone(store.reconcile(())) == {"a"}
    assert not store.deadline
    put(kb_dir, "claims/a.yaml", claim("a"), age=7)
    healed = store.reconcile()
    assert (ids(healed), healed.problems) == ({"a"}, {})


def test_a_good_version_in_time_ends_the_grace(kb_dir: Path, store: Store, clock: Clock) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    store.reconcile()
    put(kb_dir, "claims/a.yaml", b"", age=9)
    store.reconcile()
    put(kb_dir, "claims/a.yaml", claim("a"), age=8)
    assert not store.reconcile().change
    clock.now += 2 * GRACE_SECONDS
    assert not store.reconcile().change
    assert store.deadline is None


def test_a_broken_file_never_served_has_nothing_to_serve(kb_dir: Path, store: Store) -> None:
    put(kb_dir, "claims/a.yaml", b"id: [")
    step = store.reconcile()
    assert not step.change
    assert step.skipped == 1
    assert store.deadline is None


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "redacted"},
        {"status": "redactd"},
        {"status": "archived", "evidence": []},
        {"scope": "private"},
        {"scope": "privat"},
    ],
)
def test_what_is_retired_or_closed_takes_effect_at_once(
    kb_dir: Path, store: Store, fields: dict[str, object]
) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    store.reconcile()
    put(kb_dir, "claims/a.yaml", claim("a", **fields), age=0)
    step = store.reconcile()
    assert ids(step) | gone(step) == {"a"}


def test_half_a_file_does_not_open_what_was_closed(kb_dir: Path, clock: Clock) -> None:
    file = put(kb_dir, "claims/a.yaml", claim("a", scope="private"))
    now = file.stat().st_mtime_ns
    store = Store(kb_dir, clock=clock, wall=lambda: now)
    store.reconcile()
    now += 10_000_000_000
    whole = claim("a", scope="private")
    half = whole[: whole.index(b"scope:")]
    assert parse("claims/a.yaml", half).artifact is not None
    file.write_bytes(half)
    os.utime(file, ns=(now, now))
    assert not store.reconcile().change
    assert store.deadline is not None
    now += 1_000_000_000
    assert ids(store.reconcile(())) == {"a"}


def test_two_files_with_one_id(kb_dir: Path, store: Store) -> None:
    put(kb_dir, "claims/z.yaml", claim("a", text="z"))
    put(kb_dir, "claims/b.yaml", claim("a", text="b"))
    first = store.reconcile()
    assert only(first).path == "claims/b.yaml"
    assert [p.severity for p in first.problems["claims/z.yaml"]][-1] is Severity.ERROR
    put(kb_dir, "claims/a.yaml", claim("a", text="a"))
    named = store.reconcile()
    assert only(named).path == "claims/a.yaml"
    (kb_dir / "claims/a.yaml").unlink()
    assert only(store.reconcile()).path == "claims/b.yaml"
    (kb_dir / "claims/b.yaml").unlink()
    last = store.reconcile()
    assert only(last).path == "claims/z.yaml"
    assert [p.severity for p in last.problems["claims/z.yaml"]] == [Severity.WARNING]
    (kb_dir / "claims/z.yaml").unlink()
    assert gone(store.reconcile()) == {"a"}


def test_a_file_that_changes_its_id(kb_dir: Path, store: Store) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    store.reconcile()
    put(kb_dir, "claims/a.yaml", claim("b"), age=5)
    step = store.reconcile()
    assert (ids(step), gone(step)) == ({"b"}, {"a"})


def test_the_same_id_of_two_kinds_is_two_things(kb_dir: Path, store: Store) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    put(kb_dir, "entities/a.yaml", entity("a"))
    step = store.reconcile()
    assert {type(artifact) for artifact in step.change.upserts} == {Claim, Entity}
    assert step.problems == {}


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
    kb_dir: Path, store: Store, clock: Clock, harm: Callable[[Path], None], said: str
) -> None:
    file = put(kb_dir, "claims/a.yaml", claim("a"))
    store.reconcile()
    harm(file)
    for paths in (None, ["claims/a.yaml"]):
        step = store.reconcile(paths)
        assert not step.change
        assert said in step.problems["claims/a.yaml"][0].message
    clock.now += GRACE_SECONDS - 1
    assert not store.reconcile().change
    clock.now += 1
    assert gone(store.reconcile()) == {"a"}
    file.unlink()
    put(kb_dir, "claims/a.yaml", claim("a"))
    assert ids(store.reconcile()) == {"a"}


@PIPES
def test_one_look_finds_what_is_the_same_new_changed_gone_and_unreadable(
    kb_dir: Path, store: Store
) -> None:
    files = {name: put(kb_dir, f"claims/{name}.yaml", claim(name)) for name in "abcd"}
    store.reconcile()
    files["b"].unlink()
    os.mkfifo(files["b"])
    assert not store.reconcile().change  # an earlier version serves
    put(kb_dir, "claims/a.yaml", claim("a", text="new"), age=5)
    files["c"].unlink()
    put(kb_dir, "claims/e.yaml", claim("e"))
    step = store.reconcile()
    assert (ids(step), gone(step)) == ({"a", "e"}, {"c"})
    assert step.problems.keys() == {"claims/b.yaml"}


def test_a_folder_that_cant_be_listed_is_held_then_withheld(
    kb_dir: Path, store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    put(kb_dir, "entities/e.yaml", entity("e"))
    store.reconcile()
    listed = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("claims"):
            raise PermissionError(13, "denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    step = store.reconcile()
    assert not step.change
    assert "claims" in step.problems
    clock.now += GRACE_SECONDS
    assert gone(store.reconcile()) == {"a"}
    monkeypatch.undo()
    back = store.reconcile()
    assert (ids(back), back.problems) == ({"a"}, {})


def test_a_file_that_vanishes_between_look_and_read(
    kb_dir: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(kb_dir, "claims/a.yaml", claim("a"))
    store.reconcile()
    put(kb_dir, "claims/a.yaml", claim("a", text="new"), age=5)

    def vanish(_kb_dir: Path, _path: str) -> None:
        raise FileNotFoundError

    monkeypatch.setattr("vouch_sidecar.kb.file_versions.read_bytes_of", vanish)
    assert gone(store.reconcile()) == {"a"}


def test_an_emptied_config_counts_once_it_is_still(kb_dir: Path, clock: Clock) -> None:
    file = put(kb_dir, "config.yaml", b"kb: {id: x}")
    now = file.stat().st_mtime_ns + 10_000_000_000
    store = Store(kb_dir, clock=clock, wall=lambda: now)
    store.reconcile()
    file.write_bytes(b"")
    os.utime(file, ns=(now, now))
    assert store.reconcile().config == b"kb: {id: x}"
    now += 1_000_000_000
    step = store.reconcile(())
    assert step.config == b""


@pytest.mark.parametrize("broken", [b"kb: {id: [", b"- id", b"\xff", b"#" * (2 << 20), None])
def test_the_last_good_config_counts_as_long_as_there_is_one_that_cant_be_read(
    kb_dir: Path, store: Store, clock: Clock, broken: bytes | None
) -> None:
    file = put(kb_dir, "config.yaml", b"kb: {id: x}")
    store.reconcile()
    file.unlink()
    if broken is None:
        file.mkdir()
    else:
        put(kb_dir, "config.yaml", broken, age=5)
    for _ in range(2):
        step = store.reconcile()
        (problem,) = step.problems["config.yaml"]
        assert problem.message.endswith("; until it can be read, the version before counts")
        assert (step.config, step.skipped) == (b"kb: {id: x}", 0)
        assert store.deadline is None
        clock.now += 2 * GRACE_SECONDS
    file.rmdir() if broken is None else file.unlink()
    step = store.reconcile()
    assert (step.config, step.problems) == (None, {})


def test_without_a_good_config_before_it_the_defaults_count(kb_dir: Path, store: Store) -> None:
    put(kb_dir, "config.yaml", b"kb: {id: [")
    step = store.reconcile()
    (problem,) = step.problems["config.yaml"]
    assert (step.config, problem.severity, problem.line) == (None, Severity.ERROR, 1)
    assert problem.message.endswith("; until it can be read, the defaults count")
    put(kb_dir, "config.yaml", b"kb: {id: x}", age=5)
    step = store.reconcile()
    assert (step.config, step.problems) == (b"kb: {id: x}", {})


def test_a_swarm_of_changes_is_one_step(kb_dir: Path, store: Store) -> None:
    for number in range(300):
        put(kb_dir, f"claims/c{number}.yaml", claim(f"c{number}"))
    assert len(store.reconcile().change.upserts) == 300
    shutil.rmtree(kb_dir / "claims")
    (kb_dir / "claims").mkdir()
    for number in range(200, 500):
        put(kb_dir, f"claims/c{number}.yaml", claim(f"c{number}", text="other branch"))
    step = store.reconcile()
    assert (len(step.change.upserts), len(step.change.removals)) == (300, 200)


def test_what_was_released_is_recalled_but_not_what_changed_since(
    kb_dir: Path, clock: Clock
) -> None:
    for name in ("still", "since"):
        put(kb_dir, f"claims/{name}.yaml", claim(name))
    put(kb_dir, "claims/odd.yaml", claim("unlike"))
    store = Store(kb_dir, clock=clock)
    said = {artifact.path: artifact for artifact in store.reconcile().change.upserts}
    assert not dict(store.manifest_stats())
    asked: list[str] = []

    def recall(path: str) -> Artifact:
        asked.append(path)
        return said[path]

    store.hold_only(recall, {keys("since")})

    assert [path for path, _ in store.manifest_stats()] == ["claims/still.yaml"]
    assert store.not_in_manifest() == {keys("since"), keys("odd"), keys("unlike")}
    assert not store.reconcile().change
    assert asked == []
    put(kb_dir, "claims/still.yaml", claim("still"), age=5)
    assert not store.reconcile().change
    assert set(asked) == {"claims/still.yaml"}
    put(kb_dir, "claims/still.yaml", claim("still", text="new"), age=4)
    assert ids(store.reconcile()) == {"still"}


def test_a_file_is_read_again_when_asked(kb_dir: Path, store: Store) -> None:
    put(kb_dir, "claims/a.yaml", claim("a", text="one"))
    put(kb_dir, "claims/broken.yaml", b"id: [")
    found = store.read_artifact("claims/a.yaml")
    assert isinstance(found, Claim)
    assert found.text == "one"
    for path in ("claims/broken.yaml", "claims/gone.yaml", "claims"):
        with pytest.raises(LookupError):
            store.read_artifact(path)


def keys(claim_id: str) -> Key:
    return Kind.CLAIM, claim_id


def test_what_is_read_at_once_comes_in_the_order_of_its_names(kb_dir: Path, store: Store) -> None:
    for number in range(20, 0, -1):
        put(kb_dir, f"claims/c{number:02}.yaml", claim(f"c{number:02}"))
    step = store.reconcile()
    assert [artifact.id for artifact in step.change.upserts] == [f"c{n:02}" for n in range(1, 21)]
