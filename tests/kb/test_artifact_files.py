from __future__ import annotations

import os
from pathlib import Path

import pytest
from vouch_sidecar.kb.artifact_files import classify, is_folder, survey
from vouch_sidecar.kb.reader import read_bytes_of
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.kb.safe_files import UnreadableError, mtime_ns, packed

from tests.kb.samples import SHA, claim, make_kb, put

KINDS = {
    "claims/a.yaml": Kind.CLAIM,
    "entities/a.b.yaml": Kind.ENTITY,
    "pages/a.md": Kind.PAGE,
    "relations/a.yaml": Kind.RELATION,
    f"sources/{SHA}/meta.yaml": Kind.SOURCE,
    "evidence/a.yaml": Kind.EVIDENCE,
    "sessions/a.yaml": Kind.SESSION,
}
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
    for path in ("config.yaml", *KINDS, *OTHERS, *(f"claims/{name}" for name in BESIDE)):
        put(kb_dir, path, b"abc")
    found = survey(kb_dir).files
    assert found.keys() == {"config.yaml", *KINDS}
    assert {path: classify(path) for path in found if path != "config.yaml"} == KINDS
    assert [classify(path) for path in ("", "config.yaml", *OTHERS)] == [None] * (2 + len(OTHERS))
    stat = (kb_dir / "claims/a.yaml").stat()
    content = f"sources/{SHA}/content"
    assert found["claims/a.yaml"] == packed(stat)
    assert mtime_ns(found["claims/a.yaml"]) == stat.st_mtime_ns
    source = found[f"sources/{SHA}/meta.yaml"]
    assert source.endswith(packed((kb_dir / content).stat()))


def test_folders_that_artifacts_stand_in() -> None:
    assert all(map(is_folder, ["", ".", "claims", "claims/", "sources", f"sources/{SHA}"]))
    assert not any(map(is_folder, ["claims/a.yaml", "proposed", "captures", "state.db"]))


def test_links_are_followed_within_the_root_only(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    kb_dir = make_kb(root)
    put(root, "shared/c.yaml", claim())
    put(outside, "secret.yaml", claim())
    put(outside, f"{SHA}/meta.yaml", claim())
    (kb_dir / "claims/in.yaml").symlink_to(root / "shared/c.yaml")
    (kb_dir / "claims/out.yaml").symlink_to(outside / "secret.yaml")
    (kb_dir / "claims/dangling.yaml").symlink_to(root / "nothing")
    (kb_dir / "sources" / SHA).symlink_to(outside / SHA)
    (kb_dir / "evidence").rmdir()
    (kb_dir / "evidence").symlink_to(outside)
    found = survey(kb_dir)
    assert found.files.keys() == {"claims/in.yaml", "claims/out.yaml"}
    assert found.files["claims/out.yaml"] == b""
    assert {p.path for p in found.problems} == {f"sources/{SHA}", "evidence"}
    only = survey(
        kb_dir, only=["claims/in.yaml", "evidence/secret.yaml", f"sources/{SHA}/meta.yaml"]
    )
    assert only.files.keys() == {"claims/in.yaml"}


def test_a_link_to_a_knowledge_base_is_followed_and_no_link_out_of_it(tmp_path: Path) -> None:
    root, there = tmp_path / "root", make_kb(tmp_path / "other")
    put(there, "claims/c.yaml", claim())
    put(tmp_path / "other", "beside.yaml", claim())
    put(root, "secret.yaml", claim())
    (there / "claims" / "again.yaml").symlink_to("c.yaml")
    (there / "claims" / "beside.yaml").symlink_to(tmp_path / "other" / "beside.yaml")
    (there / "claims" / "secret.yaml").symlink_to(root / "secret.yaml")
    (there / "evidence").rmdir()
    (there / "evidence").symlink_to(root)
    kb_dir = root / ".vouch"
    kb_dir.symlink_to(there)
    found = survey(kb_dir)
    assert {path for path, stat in found.files.items() if stat} == {
        "claims/c.yaml",
        "claims/again.yaml",
    }
    assert {p.path for p in found.problems} == {"evidence"}
    assert read_bytes_of(kb_dir, "claims/again.yaml")[0] == claim()
    for path in ("claims/secret.yaml", "claims/beside.yaml"):
        with pytest.raises(UnreadableError):
            read_bytes_of(kb_dir, path)


@pytest.mark.parametrize("target", ["nothing", ".vouch", "file"])
def test_a_link_to_no_folder_is_empty(tmp_path: Path, target: str) -> None:
    put(tmp_path, "file", b"x")
    (tmp_path / ".vouch").symlink_to(tmp_path / target)
    assert not any(survey(tmp_path / ".vouch").files.values())


def test_names_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    kb_dir = make_kb(tmp_path)
    (kb_dir / os.fsdecode(b"claims/caf\xe9.yaml")).write_bytes(claim())
    (kb_dir / os.fsdecode(b"sources/\xff")).mkdir()
    (kb_dir / os.fsdecode(b"sources/\xfe")).symlink_to(tmp_path.parent)
    put(kb_dir, "claims/a.yaml", claim())
    found = survey(kb_dir)
    assert found.files.keys() == {"claims/a.yaml"}
    refused = {p.path for p in found.problems if "UTF-8" in p.message}
    assert refused == {"claims/caf\\xe9.yaml", "sources/\\xff/meta.yaml"}
    assert {p.path for p in found.problems} - refused == {"sources/\\xfe"}
    paths = ["sources/a\0b/meta.yaml", "sources/\ud800/meta.yaml", "claims/a.yaml"]
    assert survey(kb_dir, only=paths).files.keys() == {"claims/a.yaml"}


def test_the_number_of_files_is_capped_and_that_is_said(tmp_path: Path) -> None:
    kb_dir = make_kb(tmp_path)
    for number in range(5):
        put(kb_dir, f"claims/{number}.yaml", claim(str(number)))
    found = survey(kb_dir, max_files=3)
    assert len(found.files) == 3
    assert ["more than 3 files" in p.message for p in found.problems] == [True]
