"""Which files a workspace has where git is not asked, and what may be read of them."""

import os
import unicodedata
from pathlib import Path

import pytest
from vouch_sidecar.workspace.file_kinds import changes_with_all, is_for_names
from vouch_sidecar.workspace.file_list import MAX_BYTES, list_files, read_file, stat_of
from vouch_sidecar.workspace.files import Files, path_below

from tests.engine.bases import ask, only
from tests.workspace.places import cite, listed, repository, settled, write


def walked(root: Path) -> tuple[str, ...]:
    return list_files(root, None, None, {})


def test_what_git_would_take_in_is_listed(tmp_path: Path) -> None:
    """Of all repositories below the root; of one around it, what lies below."""
    files = {".gitignore": "*.log\n/made/\n", "a.py": "", "gone.py": ""}
    root = repository(tmp_path / "repo", files)
    (root / "gone.py").unlink()
    new = """
        new.py a.log made/x.py sub/made/y.py sub/b.log sub/local.py node_modules/m/index.js
        .hidden/x.py .vouch/claims/x.yaml submarine/x.py
    """
    write(root, dict.fromkeys(new.split(), ""))
    write(root, {"sub/.gitignore": "!b.log\nlocal.*\n"})
    repository(root / "nested", {"inner.py": ""})
    below = (".gitignore", "b.log", "made/y.py")
    own = (".gitignore", "a.py", "new.py", *(f"sub/{path}" for path in below), "submarine/x.py")
    assert listed(root).paths == own
    assert listed(root / "sub", caches=tmp_path).paths == below
    repository(tmp_path / "two", {"b.py": ""})
    of_both = {"two/b.py", *(f"repo/{path}" for path in own)}
    assert of_both <= {*listed(tmp_path, caches=tmp_path / "other").paths}


def test_a_walk_skips_packages_and_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "out", {"secret.py": "x"})
    root, paths = tmp_path / "root", "a.py in/b.py .github/x.yml node_modules/m/i.js .hidden/x.py"
    write(root, dict.fromkeys((*paths.split(), ".vouch/claims/x.yaml"), ""))
    write(root, {"large": b"x" * (MAX_BYTES + 1), "whole": b"x" * MAX_BYTES})
    (root / "link.py").symlink_to(tmp_path / "out" / "secret.py")
    (root / "folder").symlink_to(tmp_path / "out")
    (root / "inner").symlink_to(root / "in")
    os.mkfifo(root / "pipe")
    assert walked(root) == (".github/x.yml", "a.py", "in/b.py", "large", "whole")
    monkeypatch.setattr("vouch_sidecar.workspace.file_list.MAX_FILES", 3)
    assert len(walked(root)) == 3
    for path in ("in/b.py", "whole"):
        assert read_file(root, path) is not None
    others = "link.py folder/secret.py inner/b.py ../out/secret.py in gone large pipe"
    for path in (*others.split(), ""):
        assert read_file(root, path) is None
    assert stat_of(root, "link.py") is None


def test_paths_below_the_root(tmp_path: Path) -> None:
    outside = ("../b.py", "/etc/passwd", "", ".", "a\0b", "a" * 100_000, "../\ud800/x")
    inside = {"a/b.py": "a/b.py", "./a//b.py": "a/b.py", "a/../b.py": "b.py"}
    for path, expected in inside.items():
        assert path_below(tmp_path, path) == path_below(tmp_path, f"{tmp_path}/{path}") == expected
    for path in (*outside, ".vouch/claims/a.yaml", "sub/.vouch/x"):
        assert path_below(tmp_path, path) is None


def test_names_differ_in_case_and_form_on_some_disks() -> None:
    composed, decomposed = (unicodedata.normalize(form, "é.py") for form in ("NFC", "NFD"))
    files = Files(("Src/Main.py", f"lib/{decomposed}", "x/One.py", "x/one.py"))
    asked = ("src/main.PY", f"lib/{composed}", "x/one.py", "x/ONE.py")
    found = [files.find(path) for path in asked]
    assert found == ["Src/Main.py", f"lib/{decomposed}", "x/one.py", None]
    assert files.ending("main.py") == ["Src/Main.py"]


@pytest.mark.parametrize("path", ["src/till.py", "services/pay/src/till.py"])
def test_a_path_may_begin_at_the_top_of_the_repository(tmp_path: Path, path: str) -> None:
    root = repository(tmp_path / "mono", {"services/pay/src/till.py": "", "src/till.py": ""})
    cite(root / "services" / "pay", "one", "Coins are counted twice.", "src/till.py")
    engine = settled(root / "services" / "pay", tmp_path)
    (file,) = ask(engine, "files", paths=[path])["files"]
    assert [claim["id"] for claim in file["claims"]] == ["one"]
    assert [found for _, _, found in only(engine).world.files_in(f"in {path}:7")] == ["src/till.py"]


SILENT = """
pyproject.toml Cargo.toml go.mod Gemfile setup.py pom.xml requirements-dev.txt requirements/base.in
environment.yml vcpkg.json gradle/libs.versions.toml package-lock.json poetry.lock go.sum bun.lockb
pnpm-lock.yaml gradle.lockfile Package.resolved uv-lock.toml CHANGELOG CHANGES.rst NEWS HISTORY.md
release-notes.md CHANGELOG-1.2.md docs/changelog/2024.md docs/whatsnew/3.1.rst news/123.bugfix.rst
changes/1.txt changelog.d/new.md doc/release_notes/v2.md
"""
SPEAKING = """
src/lock.py src/locks.json docs/lock.md app/news/models.py src/changes.py docs/requirements.md
docs/requirements/login.md environments.yml config.yml docs/history/founding.md
docs/releases/process.md docs/newsletter.md src/versions.py docs/package.md packages.toml
"""


def test_what_nearly_every_commit_changes_and_what_is_changed_on_purpose() -> None:
    assert [path for path in SILENT.split() if not changes_with_all(path)] == []
    assert [path for path in SPEAKING.split() if changes_with_all(path)] == []


CARRIED = (
    "Pods/a.swift ios/Carthage/a.swift usr/dist-packages/a.py web/node_modules/a.js .yarn/a.cjs"
)
OWN = "app/deps/a.py src/venv/a.py pkg/pods/a.go .cargo/config.toml .m2/settings.xml"


def test_folders_of_packages_and_those_that_a_project_may_call_like_them() -> None:
    assert [path for path in CARRIED.split() if is_for_names(path)] == []
    assert [path for path in OWN.split() if not is_for_names(path)] == []
