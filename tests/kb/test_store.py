"""What is found on disk is served as it stands there, or withheld and named."""

import os
import shutil
from collections.abc import Callable, Collection
from dataclasses import fields
from math import inf
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.kb.access import is_shown_to_any, stub_of
from vouch_sidecar.kb.artifact_files import survey
from vouch_sidecar.kb.records import Artifact, Claim, Kind, Page, Scope, Severity, Source
from vouch_sidecar.kb.settings import Config
from vouch_sidecar.kb.store import EVERYTHING as ALL
from vouch_sidecar.kb.store import GRACE_SECONDS, Store

from tests.engine.bases import Clock
from tests.kb.samples import SHA, claim, entity, make_kb, page, put

Harm = Callable[[Path, pytest.MonkeyPatch], None]
A = "claims/a.yaml"
CONFIG = b"kb: {id: x}"
ARTIFACTS = (
    *("claims/a.yaml", "entities/a.b.yaml", "pages/a.md", "relations/a.yaml"),
    *(f"sources/{SHA}/meta.yaml", "evidence/a.yaml", "sessions/a.yaml"),
)
OTHERS = (
    *("claims/a.yml", "claims/.yaml", "claims/sub/a.yaml", "pages/a.yaml", "sources/meta.yaml"),
    *(f"sources/{SHA}/content", "proposed/a.yaml", "decided/a.yaml", "captures/a.yaml"),
    *("state.db", "stray.yaml"),
)
BESIDE = (
    *(".#a.yaml", "._a.yaml", ".a.yaml", "#a.yaml", "~$a.yaml", "flycheck_a.yaml"),
    *("a.sync-conflict-20261120-101500-ABCDEFG.yaml", "a_conflict-20261120-101500.yaml"),
    *("a (Ada's conflicted copy 2026-11-20).yaml", "a_BACKUP_1234.yaml", "a (1).yaml"),
    *("a copy.yaml", "a - Copy (2).yaml", "a 2.yaml"),
)
"""What programs leave beside an artifact."""


@pytest.fixture
def kb_dir(tmp_path: Path) -> Path:
    return make_kb(tmp_path)


@pytest.fixture
def store(kb_dir: Path, clock: Clock) -> Store:
    return Store(kb_dir, clock=clock)


def shown(store: Store, *looks: Collection[str]) -> dict[str, str]:
    """By id, the file and the text of what somebody may see, after these looks."""
    for paths in looks:
        store.reconcile(paths)
    seen = filter(is_shown_to_any, store.records.values())
    return {one.id: f"{one.path} {getattr(one, 'text', '')}".rstrip() for one in seen}


def test_what_is_there_is_what_the_files_say(kb_dir: Path, store: Store) -> None:
    put(kb_dir, A, claim("a", text="old"))
    put(kb_dir, "entities/e.yaml", entity("e"))
    put(kb_dir, "pages/auth.md", page())
    put(kb_dir, "config.yaml", CONFIG)
    first = store.reconcile()
    rest = {"auth": "pages/auth.md"}
    assert shown(store) == {"a": f"{A} old", "e": "entities/e.yaml", **rest}
    assert (first.config, first.problems, first.skipped) == (Config(CONFIG), {}, 0)
    assert store.reconcile() == first
    put(kb_dir, A, claim("a", text="new"), age=5)
    (kb_dir / "entities/e.yaml").unlink()
    assert shown(store, ALL) == {"a": f"{A} new", **rest}
    kb_dir.rename(kb_dir.with_name("moved"))
    gone = store.reconcile()
    assert (store.records, gone.config) == ({}, None)
    kb_dir.with_name("moved").rename(kb_dir)
    assert shown(store, [""]) == {"a": f"{A} new", **rest}


def test_a_quick_rewrite_of_the_same_size_is_seen(kb_dir: Path, clock: Clock) -> None:
    """A stat is trusted once the file was still."""
    file = put(kb_dir, A, claim("a", text="aaaa"))
    stamp = file.stat().st_mtime_ns
    now = stamp + 1_000_000
    store = Store(kb_dir, clock=clock, wall=lambda: now)
    store.reconcile()
    assert clock.now < store.due_at < clock.now + 1
    file.write_bytes(claim("a", text="bbbb"))
    os.utime(file, ns=(stamp, stamp))
    assert shown(store, ()) == {"a": f"{A} bbbb"}
    assert not store.stats()
    now += 1_000_000_000
    store.reconcile(())
    assert store.stats().keys() == {A}
    assert store.due_at == inf


def test_replaced_while_read(kb_dir: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """By another one of its size and time."""
    file = put(kb_dir, A, claim("a", text="aaaa"), age=5)
    other = put(kb_dir, "other", claim("a", text="bbbb"))
    os.utime(other, ns=(file.stat().st_mtime_ns,) * 2)
    stat_of_open = os.fstat

    def replaced(opened: int) -> os.stat_result:
        status = stat_of_open(opened)
        if other.exists():
            other.replace(file)
        return status

    monkeypatch.setattr("os.fstat", replaced)
    assert [shown(store, ALL)["a"] for _ in range(2)] == [f"{A} aaaa", f"{A} bbbb"]


def tear(kb_dir: Path, _: pytest.MonkeyPatch) -> None:
    put(kb_dir, A, b"id: [", age=9)


def pipe(kb_dir: Path, _: pytest.MonkeyPatch) -> None:
    (kb_dir / A).unlink()
    os.mkfifo(kb_dir / A)


def lock(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the folder one that can't be listed."""
    listed = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("claims"):
            raise PermissionError(13, "denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)


@pytest.mark.parametrize(
    ("harm", "path", "said"),
    [
        (tear, A, "no valid YAML"),
        (pipe, A, "not a regular file"),
        (lock, "claims", "can't be listed"),
    ],
)
def test_what_cant_be_read_serves_for_seconds_and_is_withheld_then(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch, harm: Harm, path: str, said: str
) -> None:
    kb_dir = store.kb_dir
    file = put(kb_dir, A, claim("a", text="good"))
    put(kb_dir, "entities/e.yaml", entity("e"))
    good = shown(store, ALL)
    harm(kb_dir, monkeypatch)
    broken = store.reconcile()
    assert shown(store) == good
    problem = broken.problems[path][0]
    assert (problem.severity, said in problem.message) == (Severity.ERROR, True)
    assert broken.skipped
    assert store.due_at == clock.now + GRACE_SECONDS
    clock.now += GRACE_SECONDS - 1
    assert shown(store, [path]) == shown(store, ALL) == good
    clock.now += 1
    assert shown(store, ()) == {"e": "entities/e.yaml"}
    assert store.due_at == inf
    monkeypatch.undo()
    file.unlink()
    put(kb_dir, A, claim("a", text="good"))
    healed = store.reconcile()
    assert (shown(store), healed.problems) == (good, {})


@pytest.mark.parametrize(
    ("path", "data"),
    [
        (A, claim("a", text="hunter2", tags=["hunter2"], status="redacted", evidence=["ev"])),
        (A, claim("a", text="hunter2", scope="private", evidence=["ev"])),
        ("pages/a.md", page("hunter2", id="a", title="hunter2", status="archived")),
    ],
)
def test_what_is_retired_goes_at_once(kb_dir: Path, store: Store, path: str, data: bytes) -> None:
    put(kb_dir, path, claim("a") if path == A else page(id="a"))
    assert shown(store, ALL)
    put(kb_dir, path, data, age=0)
    store.reconcile()
    assert shown(store) == {}
    assert "hunter2" not in repr(store.records)
    one = store.records.get((Kind.CLAIM, "a"))
    assert not isinstance(one, Claim) or one.evidence == ("ev",)


NO_TEXTS = """
    Id Sha256 References Citations ReferenceId|None Status PageStatus ScopeField Confidence
    Timestamp|None bool
"""
"""Types of fields that hold no text of an artifact's own."""


@pytest.mark.parametrize("record", [Claim, Page, Source])
def test_what_nobody_may_see_keeps_no_field_with_a_text(record: Callable[..., Artifact]) -> None:
    texts = {f"{f.name}": f"own {f.name}" for f in fields(record)}  # type: ignore[arg-type]
    kept = stub_of(record(**{**texts, "scope": Scope("private")}))
    for each in fields(kept):
        is_text = str(each.type).replace(" ", "") not in NO_TEXTS.split()
        assert each.name == "path" or not is_text or getattr(kept, each.name) != texts[each.name]


def test_what_nobody_may_see_keeps_what_others_are_judged_by() -> None:
    judging = "status confidence evidence supersedes superseded_by created_at auto_approved".split()
    given: Any = {each.name: each.name for each in fields(Claim)}
    kept = stub_of(Claim(**given | {"scope": Scope("private")}))
    assert [getattr(kept, name) for name in judging] == judging


def test_of_two_files_with_one_id_one_counts(kb_dir: Path, store: Store) -> None:
    z, b = "claims/z.yaml", "claims/b.yaml"
    for path in (z, b):
        put(kb_dir, path, claim("a", text="x"))
    first = store.reconcile()
    assert shown(store) == {"a": f"{b} x"}
    assert first.problems[z][-1].severity is Severity.ERROR
    put(kb_dir, A, claim("a", text="x"))
    assert shown(store, ALL) == {"a": f"{A} x"}
    for data, skipped in ((b"id: [a", 1), (claim("a", text="x"), 0)):
        put(kb_dir, z, data)
        assert store.reconcile().skipped == skipped, "it may have had its own id meanwhile"
    for gone, counts in ((A, b), (b, z)):
        (kb_dir / gone).unlink()
        last = store.reconcile()
        assert shown(store) == {"a": f"{counts} x"}
    assert [p.severity for p in last.problems[z]] == [Severity.WARNING]
    put(kb_dir, z, claim("b", text="x"), age=5)
    assert shown(store, ALL) == {"b": f"{z} x"}


def test_an_emptied_config_counts_once_it_is_still(kb_dir: Path, clock: Clock) -> None:
    file = put(kb_dir, "config.yaml", CONFIG)
    now = file.stat().st_mtime_ns + 10_000_000_000
    store = Store(kb_dir, clock=clock, wall=lambda: now)
    store.reconcile()
    file.write_bytes(b"")
    os.utime(file, ns=(now, now))
    assert store.reconcile().config == Config(CONFIG)
    now += 1_000_000_000
    assert store.reconcile(()).config == Config(b"")


@pytest.mark.parametrize("broken", [b"kb: {id: [", b"- id", b"\xff", b"#" * (2 << 20), None])
def test_the_last_good_config_counts_as_long_as_there_is_one_that_cant_be_read(
    kb_dir: Path, store: Store, clock: Clock, broken: bytes | None
) -> None:
    file = put(kb_dir, "config.yaml", CONFIG)
    store.reconcile()
    file.unlink()
    if broken is None:
        file.mkdir()
    else:
        put(kb_dir, "config.yaml", broken, age=5)
    for _ in range(2):
        seen = store.reconcile()
        (problem,) = seen.problems["config.yaml"]
        assert problem.message.endswith("; until it can be read, the version before counts")
        assert (seen.config, seen.skipped, store.due_at) == (Config(CONFIG), 0, inf)
        clock.now += 2 * GRACE_SECONDS
    shutil.rmtree(file) if broken is None else file.unlink()
    seen = store.reconcile()
    assert (seen.config, seen.problems) == (None, {})


def test_what_an_earlier_process_read(kb_dir: Path, store: Store, clock: Clock) -> None:
    for name in ("still", "since", "gone", "torn"):
        put(kb_dir, f"claims/{name}.yaml", claim(name))
    put(kb_dir, "claims/broken.yaml", b"id: [")
    put(kb_dir, "config.yaml", CONFIG)
    store.reconcile()
    records, kept = store.records, store.stats()
    assert len(kept) == 5
    put(kb_dir, "claims/since.yaml", claim("since", text="new"), age=5)
    (kb_dir / "claims/gone.yaml").unlink()
    put(kb_dir, "claims/torn.yaml", b"id: [", age=5)  # no version of before serves
    later = Store(kb_dir, clock=clock)
    later.resume(records, kept, CONFIG)
    seen = later.reconcile()
    assert shown(later).keys() == {"still", "since"}
    assert (seen.config, seen.skipped) == (Config(CONFIG), 2)
    (kb_dir / "config.yaml").unlink()
    later = Store(kb_dir, clock=clock)
    later.resume({}, {}, CONFIG)  # of one without a stat, as it had just been written
    assert later.reconcile().config is None


def test_artifacts_and_the_config_are_found_and_nothing_else(kb_dir: Path) -> None:
    paths = ("config.yaml", *ARTIFACTS, *OTHERS, *(f"claims/{name}" for name in BESIDE))
    for path in paths:
        put(kb_dir, path, b"abc")
    wanted = {"config.yaml", *ARTIFACTS}
    assert survey(kb_dir).files.keys() == survey(kb_dir, only=paths).files.keys() == wanted


def test_links_are_followed_within_the_root_only(tmp_path: Path) -> None:
    root, kb_dir = tmp_path / "root", make_kb(tmp_path / "root")
    put(root, "shared/c.yaml", claim("in"))
    (kb_dir / "claims/in.yaml").symlink_to(root / "shared/c.yaml")
    (kb_dir / "claims/dangling.yaml").symlink_to(root / "nothing")
    (kb_dir / "sources" / SHA).symlink_to(tmp_path)
    (tmp_path / ".vouch").symlink_to(kb_dir)  # of which nothing beside it is read
    for folder, found, faulty in (
        (kb_dir, ["in"], []),
        (tmp_path / ".vouch", [], ["claims/in.yaml", "claims/dangling.yaml"]),
    ):
        seen = (store := Store(folder)).reconcile()
        assert [key[1] for key in store.records] == found
        assert seen.problems.keys() == {f"sources/{SHA}", *faulty}


def test_names_that_are_not_utf8_are_refused(kb_dir: Path) -> None:
    (kb_dir / os.fsdecode(b"claims/caf\xe9.yaml")).write_bytes(claim())
    (kb_dir / os.fsdecode(b"sources/\xff")).mkdir()
    put(kb_dir, "claims/a.yaml", claim())
    found = survey(kb_dir)
    assert found.files.keys() == {"claims/a.yaml"}
    assert {(p.path, p.message) for p in found.problems} == {
        (path, "the name is not UTF-8")
        for path in ("claims/caf\\xe9.yaml", "sources/\\xff/meta.yaml")
    }
    paths = ["sources/a\0b/meta.yaml", "sources/\ud800/meta.yaml", "claims/a.yaml"]
    assert survey(kb_dir, only=paths).files.keys() == {"claims/a.yaml"}


def test_the_number_of_files_is_capped_and_that_is_said(kb_dir: Path) -> None:
    for number in range(5):
        put(kb_dir, f"claims/{number}.yaml", claim(str(number)))
    found = survey(kb_dir, max_files=3)
    assert len(found.files) == 3
    assert ["more than 3 files" in p.message for p in found.problems] == [True]
