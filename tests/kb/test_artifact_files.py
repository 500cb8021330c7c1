from __future__ import annotations

import os
from pathlib import Path

from vouch_sidecar.kb.artifact_files import survey
from vouch_sidecar.kb.store import Store

from tests.kb.samples import SHA, claim, make_kb, put

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


def test_artifacts_and_the_config_are_found_and_nothing_else(tmp_path: Path) -> None:
    kb_dir = make_kb(tmp_path)
    paths = ("config.yaml", *ARTIFACTS, *OTHERS, *(f"claims/{name}" for name in BESIDE))
    for path in paths:
        put(kb_dir, path, b"abc")
    wanted = {"config.yaml", *ARTIFACTS}
    assert survey(kb_dir).files.keys() == survey(kb_dir, only=paths).files.keys() == wanted


def test_links_are_followed_within_the_root_only(tmp_path: Path) -> None:
    """What leads out of it is in `tests/reliability/test_paths.py`, too."""
    root, kb_dir = tmp_path / "root", make_kb(tmp_path / "root")
    put(root, "shared/c.yaml", claim("in"))
    (kb_dir / "claims/in.yaml").symlink_to(root / "shared/c.yaml")
    (kb_dir / "claims/dangling.yaml").symlink_to(root / "nothing")
    (kb_dir / "sources" / SHA).symlink_to(tmp_path)
    seen = Store(kb_dir).reconcile()
    assert [key[1] for key in seen.records] == ["in"]
    assert seen.problems.keys() == {f"sources/{SHA}"}
    (tmp_path / ".vouch").symlink_to(kb_dir)  # of which nothing beside it is read
    seen = Store(tmp_path / ".vouch").reconcile()
    assert [*seen.records] == []
    assert seen.problems.keys() == {
        *(f"claims/{n}.yaml" for n in ("in", "dangling")),
        f"sources/{SHA}",
    }


def test_names_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    kb_dir = make_kb(tmp_path)
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


def test_the_number_of_files_is_capped_and_that_is_said(tmp_path: Path) -> None:
    kb_dir = make_kb(tmp_path)
    for number in range(5):
        put(kb_dir, f"claims/{number}.yaml", claim(str(number)))
    found = survey(kb_dir, max_files=3)
    assert len(found.files) == 3
    assert ["more than 3 files" in p.message for p in found.problems] == [True]
