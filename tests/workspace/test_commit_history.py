"""Who changed which files, as real repositories of git tell."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from vouch_sidecar.workspace.commit_history import MAX_CHANGED, History, read_history
from vouch_sidecar.workspace.git import Repository

from tests.workspace.places import commit_as, git, repository
from tests.workspace.test_git import plant


def history(root: Path, tmp_path: Path, below: str = "") -> History:
    found = Repository.around(root)
    assert found is not None
    head = found.head()
    assert head is not None
    return read_history(found, head, root / below, tmp_path / "caches", os.environ)


def authors(found: History, path: str) -> list[str]:
    """Newest first."""
    return [found.commits[number].author for number in found.by_path.get(path, ())]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", {})


def test_the_commits_of_each_file(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada Byron", {"a.py": "1", "b/c.py": "1"}, at="2024-01-01T00:00:00+0000")
    commit_as(root, "Bob Kahn", {"b/c.py": "2"}, at="2025-01-01T00:00:00+0000")
    found = history(root, tmp_path)
    assert authors(found, "a.py") == ["Ada Byron"]
    assert authors(found, "b/c.py") == ["Bob Kahn", "Ada Byron"]
    assert [one.at for one in found.commits] == [1_735_689_600, 1_704_067_200]
    assert found.below("b/") == ["b/c.py"]
    assert found.head == git(root, "rev-parse", "HEAD").strip()


def test_paths_begin_at_the_knowledge_base(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {"part/a.py": "1", "other/b.py": "1", "party.py": "1"})
    (root / "part").mkdir(exist_ok=True)
    assert set(history(root, tmp_path, "part").by_path) == {"a.py"}


def test_a_folder_that_a_link_leads_elsewhere_has_no_history(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {"part/a.py": "1"})
    (tmp_path / "elsewhere").mkdir()
    (root / "linked").symlink_to(tmp_path / "elsewhere")
    (root / "again").symlink_to(root / "part")
    assert not history(root, tmp_path, "linked")
    assert set(history(root, tmp_path, "again").by_path) == {"a.py"}


def test_the_mailmap_that_is_committed_counts(root: Path, tmp_path: Path) -> None:
    commit_as(root, "ada", {"a.py": "1"}, email="ada@old.example")
    commit_as(root, "A. Byron", {"a.py": "2"}, email="ada@new.example")
    assert authors(history(root, tmp_path), "a.py") == ["A. Byron", "ada"]
    mailmap = "Ada Byron <ada@new.example>\nAda Byron <ada@new.example> <ada@old.example>\n"
    commit_as(root, "ada", {".mailmap": mailmap}, email="ada@old.example")
    assert authors(history(root, tmp_path), "a.py") == ["Ada Byron", "Ada Byron"]


def test_what_stands_in_brackets_behind_a_name_tells_nobody_apart(
    root: Path, tmp_path: Path
) -> None:
    commit_as(root, "Ada Byron (ACME)", {"a.py": "1"})
    commit_as(root, "Bob (nobody else)", {"a.py": "2"})
    commit_as(root, "Ada Byron", {"a.py": "3"})
    assert authors(history(root, tmp_path), "a.py") == [
        "Ada Byron",
        "Bob (nobody else)",
        "Ada Byron",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "dependabot[bot]",
        "renovate[bot]",
        "dependabot",
        "Renovate Bot",
        "pre-commit-ci[bot]",
        "pre-commit-ci",
        "github-actions",
        "GitHub Actions",
        "github-actions[bot]",
        "snyk-bot",
        "my-release-bot",
        "GitHub",
    ],
)
def test_programs_are_nobody(root: Path, tmp_path: Path, name: str) -> None:
    commit_as(root, name, {"a.py": "1"})
    assert not history(root, tmp_path)


@pytest.mark.parametrize("name", ["Abbot", "Elena Botha", "Robot Chen", "Jenkins Okafor", "Bo Ci"])
def test_people_with_such_names_are_somebody(root: Path, tmp_path: Path, name: str) -> None:
    commit_as(root, name, {"a.py": "1"})
    assert authors(history(root, tmp_path), "a.py") == [name]


def test_commits_of_many_files_are_left_out(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {f"{n}.py": "1" for n in range(MAX_CHANGED)})
    commit_as(root, "Bob", {f"{n}.py": "2" for n in range(MAX_CHANGED + 1)})
    assert authors(history(root, tmp_path), "0.py") == ["Ada"]


def test_merges_are_nobodys(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {"a.py": "1"})
    git(root, "checkout", "-q", "-b", "side")
    commit_as(root, "Bob", {"b.py": "1"})
    git(root, "checkout", "-q", "main")
    commit_as(root, "Ada", {"c.py": "1"})
    git(root, "merge", "-q", "--no-ff", "-m", "merge", "side")
    assert authors(history(root, tmp_path), "b.py") == ["Bob"]


def test_where_a_shallow_clone_ends_nobody_made_all_files(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {"a.py": "1"})
    commit_as(root, "Bob", {"b.py": "1"})
    commit_as(root, "Cy", {"b.py": "2"})
    git(tmp_path, "clone", "-q", "--depth", "2", root.as_uri(), "shallow")
    found = history(tmp_path / "shallow", tmp_path)
    assert (authors(found, "a.py"), authors(found, "b.py")) == ([], ["Cy"])


@pytest.mark.parametrize("name", ["ada@example.org", "Ada <", "x" * 101, "a @ b", " "])
def test_addresses_and_what_is_no_name_are_not_kept(root: Path, tmp_path: Path, name: str) -> None:
    commit_as(root, "Bob", {"a.py": "1"})
    if name == "Ada <":  # git takes the sign out
        assert authors(_after(root, tmp_path, name), "a.py") == ["Ada", "Bob"]
    elif name.strip():
        assert authors(_after(root, tmp_path, name), "a.py") == ["Bob"]
    assert "example" not in repr(history(root, tmp_path))


def _after(root: Path, tmp_path: Path, name: str) -> History:
    commit_as(root, name, {"a.py": "2"})
    return history(root, tmp_path)


def test_names_are_made_harmless(root: Path, tmp_path: Path) -> None:
    commit_as(root, "A\u202eda \x1b[31mBy\x07ron\u200b\t", {"a.py": "1"})
    assert authors(history(root, tmp_path), "a.py") == ["Ada By ron"]


def test_a_path_can_not_pass_for_a_commit(root: Path, tmp_path: Path) -> None:
    forged = f"\n/{'0' * 40}/1/Eve"
    commit_as(root, "Ada", {forged: "1", "a.py": "1", " /b.py": "1"})
    found = history(root, tmp_path)
    assert {one.author for one in found.commits} == {"Ada"}
    assert set(found.by_path) == {forged, "a.py", " /b.py"}


def test_times_that_nobody_lived_in(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {"a.py": "1"}, at="4102444800 +0000")  # the year 2100
    commit_as(root, "Bob", {"a.py": "2"}, at="0 +0000")
    found = history(root, tmp_path)
    assert [one.at < 4_102_444_800 for one in found.commits] == [True, True]
    assert found.commits[0].at == 0


def test_nothing_that_a_workspace_plants_runs(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {"a.py": "1"})
    plant(root, tmp_path / "ran")
    for name, value in {
        "log.showSignature": "true",
        "log.mailmap": "false",
        "mailmap.file": str(root / "run.sh"),
        "core.attributesFile": str(root / ".gitattributes"),
    }.items():
        git(root, "config", name, value)
    assert authors(history(root, tmp_path), "a.py") == ["Ada"]
    assert not (tmp_path / "ran").exists()


def test_no_git_and_no_such_commit(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {"a.py": "1"})
    found = Repository.around(root)
    assert found is not None
    head = found.head()
    assert head is not None
    assert not read_history(found, head, root, tmp_path / "caches", {"PATH": str(tmp_path)})
    gone = read_history(found, "f" * 40, root, tmp_path / "caches", os.environ)
    assert (bool(gone), gone.head) == (False, "f" * 40)


def test_objects_that_are_damaged(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {"a.py": "1"})
    for file in (root / ".git" / "objects").rglob("*"):
        if file.is_file():
            file.chmod(0o600)
            file.write_bytes(b"damaged")
    assert not history(root, tmp_path)


def test_a_linked_worktree_has_the_commits_of_its_own_branch(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {"a.py": "1"})
    git(root, "worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    commit_as(tmp_path / "tree", "Bob", {"a.py": "2"})
    assert authors(history(tmp_path / "tree", tmp_path), "a.py") == ["Bob", "Ada"]
    assert authors(history(root, tmp_path), "a.py") == ["Ada"]


def test_only_the_newest_commits_are_read(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vouch_sidecar.workspace import commit_history as module

    for number in range(4):
        commit_as(root, f"Person {number}", {"a.py": str(number)})
    monkeypatch.setattr(module, "MAX_COMMITS", 2)
    assert authors(history(root, tmp_path), "a.py") == ["Person 3", "Person 2"]


def test_a_partial_clone_fetches_nothing(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {"a.py": "1"})
    git(root, "config", "uploadpack.allowFilter", "true")
    try:
        git(tmp_path, "clone", "-q", "--no-checkout", "--filter=tree:0", root.as_uri(), "part")
    except subprocess.CalledProcessError:
        pytest.skip("this git makes no partial clones")
    objects = tmp_path / "part" / ".git" / "objects"
    before = {path for path in objects.rglob("*") if path.is_file()}
    assert not history(tmp_path / "part", tmp_path)
    assert {path for path in objects.rglob("*") if path.is_file()} == before
