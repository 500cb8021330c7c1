"""Which files a workspace has where git is not asked, and what may be read of them."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from vouch_sidecar.workspace.file_list import (
    MAX_BYTES,
    Files,
    list_files,
    path_below,
    read_file,
    stat_of,
)

from tests.engine.bases import ask, base
from tests.kb.samples import claim, put
from tests.workspace.places import cite, listed, repository, settled, write


def walked(root: Path) -> tuple[str, ...]:
    return list_files(root, None, {}).paths


def test_what_git_would_take_in_is_listed(tmp_path: Path) -> None:
    root = repository(
        tmp_path / "repo", {".gitignore": "*.log\n/made/\n", "a.py": "", "gone.py": ""}
    )
    (root / "gone.py").unlink()
    new = """
        new.py a.log made/x.py sub/made/y.py sub/b.log sub/local.py node_modules/m/index.js
        .hidden/x.py .vouch/claims/x.yaml
    """
    write(root, dict.fromkeys(new.split(), ""))
    write(root, {"sub/.gitignore": "!b.log\nlocal.*\n"})
    repository(root / "nested", {"inner.py": ""})
    expected = (".gitignore", "a.py", "new.py", "sub/.gitignore", "sub/b.log", "sub/made/y.py")
    assert listed(root, tmp_path).paths == expected
    assert listed(root / "sub", tmp_path).paths == (".gitignore", "b.log", "made/y.py")


def test_a_walk_leaves_out_packages_and_hidden_folders(tmp_path: Path) -> None:
    paths = ("a.py", "b/c.py", "node_modules/m/index.js", ".hidden/x.py", ".vouch/claims/x.yaml")
    write(tmp_path, dict.fromkeys((*paths, ".github/x.yml"), ""))
    assert walked(tmp_path) == (".github/x.yml", "a.py", "b/c.py")


def test_a_walk_that_is_cut_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vouch_sidecar.workspace.file_list.MAX_FILES", 12)
    root = base(tmp_path / "root", {"config.yaml": b"kb: {name: ops}\n"})
    put(root / ".vouch", "claims/tied.yaml", claim("tied", text="See a0.py."))
    write(root, {f"a{number}.py": "" for number in range(20)})
    engine = settled(root, tmp_path)
    (collection,) = engine.collections.values()
    assert "a0.py" in collection.world.ties.by_path
    assert len(collection.world.files.paths) == 12
    said = ask(engine, "status")["roots"][0]["problems"]
    assert any("too many files" in row["message"] for row in said)


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "out", {"secret.py": "x"})
    root = tmp_path / "root"
    write(root, {"a.py": "a", "in/b.py": "b"})
    (root / "link.py").symlink_to(tmp_path / "out" / "secret.py")
    (root / "folder").symlink_to(tmp_path / "out")
    (root / "inner").symlink_to(root / "in")
    assert walked(root) == ("a.py", "in/b.py")
    assert read_file(root, "in/b.py") is not None
    for path in ("link.py", "folder/secret.py", "inner/b.py", "../out/secret.py", "in", "", "gone"):
        assert read_file(root, path) is None
    assert stat_of(root, "link.py") is None


def test_what_is_large_or_no_file_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"large": b"x" * (MAX_BYTES + 1), "whole": b"x" * MAX_BYTES})
    os.mkfifo(tmp_path / "pipe")
    assert read_file(tmp_path, "large") is None
    assert read_file(tmp_path, "pipe") is None
    assert read_file(tmp_path, "whole") is not None
    assert walked(tmp_path) == ("large", "whole")


OUTSIDE = ("../b.py", "/etc/passwd", "", ".", "a\0b", "a" * 100_000, "../\ud800/x")
INSIDE = {"a/b.py": "a/b.py", "./a//b.py": "a/b.py", "a/../b.py": "b.py"}


def test_paths_below_the_root(tmp_path: Path) -> None:
    for path, expected in INSIDE.items():
        assert path_below(tmp_path, path) == path_below(tmp_path, f"{tmp_path}/{path}") == expected
    for path in (*OUTSIDE, ".vouch/claims/a.yaml", "sub/.vouch/x"):
        assert path_below(tmp_path, path) is None


def test_names_differ_in_case_and_form_on_some_disks() -> None:
    composed, decomposed = (unicodedata.normalize(form, "é.py") for form in ("NFC", "NFD"))
    files = Files(("Src/Main.py", f"lib/{decomposed}", "x/One.py", "x/one.py"))
    assert files.find("src/main.PY") == "Src/Main.py"
    assert files.find(f"lib/{composed}") == f"lib/{decomposed}"
    assert files.find("x/one.py") == "x/one.py"
    assert files.find("x/ONE.py") is None
    assert files.ending("main.py") == ["Src/Main.py"]


def test_a_root_below_the_top_of_its_repository_and_above_several(tmp_path: Path) -> None:
    repository(tmp_path / "mono", {"one/a.py": "", "two/b.py": "", "onelike/c.py": ""})
    assert listed(tmp_path / "mono" / "one", tmp_path).paths == ("a.py",)
    repository(tmp_path / "many" / "one", {"a.py": ""})
    repository(tmp_path / "many" / "two", {"b.py": ""})
    assert listed(tmp_path / "many", tmp_path).paths == ("one/a.py", "two/b.py")


@pytest.mark.parametrize("path", ["src/till.py", "services/pay/src/till.py"])
def test_a_path_may_begin_at_the_top_of_the_repository(tmp_path: Path, path: str) -> None:
    root = repository(tmp_path / "mono", {"services/pay/src/till.py": "", "src/till.py": ""})
    cite(root / "services" / "pay", "one", "Coins are counted twice.", "src/till.py")
    engine = settled(root / "services" / "pay", tmp_path)
    (file,) = ask(engine, "files", paths=[path])["files"]
    assert [claim["id"] for claim in file["claims"]] == ["one"]
    (collection,) = engine.collections.values()
    assert {"_by_name", "_by_words", "_by_module"} <= vars(collection.world.files).keys()
    assert [found for _, _, found in collection.world.files_in(f"in {path}:7")] == ["src/till.py"]
