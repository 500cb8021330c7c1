"""git reads the index and the objects of a workspace, and nothing that could name a program."""

import os
from pathlib import Path

import pytest
from vouch_sidecar.workspace.git import Repository, run

from tests.workspace.places import git, held, listed, plant, repository, write


def test_nothing_that_is_planted_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path / "repo", {"a.py": "x = 1\n"}, commit=True)
    planted, (found, head) = tmp_path / "ran", held(root)
    assert head == git(root, "rev-parse", "HEAD").strip()
    plant(root, planted)
    script = str(root / "run.sh")
    named = ("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_CONFIG_VALUE_0")
    env = dict.fromkeys(named, script) | {"PATH": f".:{os.environ['PATH']}"}
    env |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor"}
    before = {path: path.read_bytes() for path in (root / ".git").rglob("*") if path.is_file()}
    monkeypatch.chdir(root)
    for path in (env["PATH"], ".", f"{os.pathsep}{os.environ['PATH']}"):
        assert "a.py" in listed(root, {**env, "PATH": path}).paths
    shown = run(found, ["log", "-1", "--format=%s", head, "--"], tmp_path / "caches", env)
    assert shown == b"all\n"
    assert run(found, ["log", "-1", "f" * 40, "--"], tmp_path / "caches", env) is None
    assert not planted.exists()
    assert {p: p.read_bytes() for p in (root / ".git").rglob("*") if p.is_file()} == before


def test_our_empty_repository_is_for_this_user_alone(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", {"a.py": "", ".gitignore": "walked.py\n"})
    write(root, {"walked.py": ""})
    assert "walked.py" not in listed(root)
    empty = tmp_path / "caches" / "empty.git"
    assert empty.stat().st_mode & 0o077 == 0
    (empty / "config").write_text("[core]\n\tfsmonitor = /bin/false\n", "utf-8")
    assert "walked.py" not in listed(root)
    assert "fsmonitor" not in (empty / "config").read_text("utf-8")
    empty.chmod(0o777)
    assert "walked.py" in listed(root)


def test_head_is_read_as_a_file(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", {"a.py": ""}, commit=True)
    found, commit = held(root)
    assert commit == git(root, "rev-parse", "HEAD").strip()
    git(root, "pack-refs", "--all")
    assert found.head() == commit
    git(root, "checkout", "-q", "--detach")
    assert found.head() == commit
    write(root, {"x": commit})
    for said in ("ref: refs/heads/gone", "ref: ../x", "ref: refs/../../x", "x"):
        (root / ".git" / "HEAD").write_text(f"{said}\n", "utf-8")
        assert found.head() is None


def test_a_linked_worktree_is_a_repository_only_both_ways(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", {"a.py": "", "b/c.py": ""}, commit=True)
    git(root, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert listed(tmp_path / "tree").paths == ("a.py", "b/c.py")
    assert held(tmp_path / "tree")[1] == git(root, "rev-parse", "HEAD").strip()
    thief = tmp_path / "thief"
    write(thief, {".git": (tmp_path / "tree" / ".git").read_bytes(), "own.py": ""})
    assert Repository.holding(thief) == (None, "its .git leads to a folder that does not lead back")
    assert listed(thief).paths == ("own.py",)


def test_sparse_and_shallow_checkouts_are_listed_whole(tmp_path: Path) -> None:
    every = ("a/x.py", "b/w.py", "b/y.py", "z.py")
    origin = repository(tmp_path / "origin", dict.fromkeys(every, ""), commit=True)
    git(origin, "commit", "-q", "--allow-empty", "-m", "more")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", origin.as_uri(), "shallow")
    assert listed(shallow).paths == every
    git(shallow, "sparse-checkout", "set", "--cone", "--sparse-index", "a")
    assert not (shallow / "b").exists()
    assert listed(shallow).paths == every


def test_files_are_found_where_git_can_not_read_the_index(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", {"a.py": "", "b.py": ""}, commit=True)
    git(root, "update-index", "--split-index")
    write(root, {"new.py": ""})
    git(root, "add", "new.py")
    assert listed(root).paths == ("a.py", "b.py", "new.py")
    (root / ".git" / "index").write_bytes(b"DIRC\0\0\0\x02\xff\xff\xff\xff")
    assert listed(root).paths == ("a.py", "b.py", "new.py")
    for data in (b"gitdir: \0\n", b"gitdir: /nowhere\n", b"\xff\xfe", b"x" * 10_000):
        write(tmp_path / "odd", {"b.py": ""})
        (tmp_path / "odd" / ".git").write_bytes(data)
        assert listed(tmp_path / "odd").paths == ("b.py",)


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="needs another owner's files")
def test_a_repository_of_another_user_counts_as_no_git(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", {"a.py": ""}, commit=True)
    usable = held(root)[0], ""
    assert Repository.holding(root) == usable
    os.chown(root / ".git", 12345, 12345)
    assert Repository.holding(root) == (None, "it is another user's")
    assert Repository.holding(root, [str(root)]) == usable
    os.chown(root / ".git", 0, 0)
    os.chown(root / ".git" / "objects", 12345, 12345)
    assert Repository.holding(root) == (None, "it is another user's")


def test_submodules_are_not_entered_and_the_stamp_changes_with_the_index(tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner", {"secret.py": ""}, commit=True)
    root = repository(tmp_path / "repo", {"a.py": ""}, commit=True)
    found, _ = held(root)
    before = found.stamp()
    git(root, "submodule", "add", "-q", str(inner), "sub")
    assert before != found.stamp()
    assert listed(root).paths == (".gitmodules", "a.py")
    assert listed(root / "sub", caches=tmp_path).paths == ("secret.py",)
