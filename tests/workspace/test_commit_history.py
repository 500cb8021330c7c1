"""Who changed which files, as real repositories of git tell."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from vouch_sidecar.workspace import commit_history
from vouch_sidecar.workspace.commit_history import MAX_CHANGED, History, read_history

from tests.engine.bases import ask, base, only, write
from tests.kb.samples import claim, dump
from tests.workspace.places import commit_as, git, held, repository, settled


def history(root: Path, below: str = "") -> History:
    found, head = held(root)
    prefix = found.prefix(root / below)
    return read_history(found, head, prefix, root.parent / "caches", os.environ)


def authors(found: History, path: str) -> list[str]:
    return [commit.author for commit in found.by_path.get(path, ())]


def everybody(found: History) -> set[str]:
    return {name for path in found.by_path for name in authors(found, path)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", {})


def test_the_commits_of_each_file(root: Path) -> None:
    commit_as(root, "Ada Byron", {"a.py": "1", "b/c.py": "1"}, at="2024-01-01T00:00:00+0000")
    commit_as(root, "Bob Kahn", {"b/c.py": "2"}, at="2025-01-01T00:00:00+0000")
    found, below = history(root), history(root, "b")
    assert authors(found, "a.py") == ["Ada Byron"]
    assert authors(found, "b/c.py") == authors(below, "c.py") == ["Bob Kahn", "Ada Byron"]
    assert [commit.at for commit in found.by_path["b/c.py"]] == [1_735_689_600, 1_704_067_200]
    assert found.head == git(root, "rev-parse", "HEAD").strip()
    assert (list(below.by_path), below.known.paths) == (["c.py"], ("c.py",))


def test_the_mailmap_that_is_committed_counts(root: Path) -> None:
    commit_as(root, "ada", {"a.py": "1"}, email="ada@old.example")
    commit_as(root, "A. Byron", {"a.py": "2"}, email="ada@new.example")
    assert authors(history(root), "a.py") == ["A. Byron", "ada"]
    mailmap = "Ada Byron <ada@new.example>\nAda Byron <ada@new.example> <ada@old.example>\n"
    commit_as(root, "ada", {".mailmap": mailmap}, email="ada@old.example")
    assert authors(history(root), "a.py") == ["Ada Byron", "Ada Byron"]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (("ada", "ada@a.example"), ("Ada Byron", "ADA@a.example"), True),
        (("Ada Byron", "ada@a.example"), ("ada byron", "ada@b.example"), True),
        (("Ada Byron", "ada@a.example"), ("Ada Byron", "byron@a.example"), True),
        (("ada", "ada@a.example"), ("ada", "ada@b.example"), False),
        (("Ada Byron", "noreply@a.example"), ("Bob Kahn", "noreply@a.example"), False),
        (("Ada Byron", "root@localhost"), ("Ada Byron", "ada@a.example"), True),
    ],
)
def test_who_is_the_same_person(
    root: Path, first: tuple[str, str], second: tuple[str, str], same: bool
) -> None:
    commit_as(root, first[0], {"a.py": "1"}, email=first[1])
    commit_as(root, second[0], {"a.py": "2"}, email=second[1])
    one, other = history(root).by_path["a.py"]
    assert (one.person == other.person) is same
    if same:
        assert one.author == other.author == max(first[0], second[0], key=lambda name: " " in name)


def test_a_person_has_the_name_of_most_commits_and_none_is_from_the_future(root: Path) -> None:
    for name in ("Ada Lovelace", "Ada  Lovelace", "Ada Byron"):
        commit_as(root, name, {"a.py": name}, email="ada@a.example", at="2999-01-01T00:00:00+0000")
    found = history(root)
    assert authors(found, "a.py") == ["Ada Lovelace"] * 3
    assert all(commit.at <= time.time() for commit in found.by_path["a.py"])


def test_what_shows_no_knowledge_is_left_out(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits by programs, of many files, and older ones than are read."""
    programs = "dependabot[bot],Renovate Bot,pre-commit-ci,GitHub Actions,snyk-bot,a-release-bot"
    commit_as(root, "Cy", {"0.py": "0"})
    commit_as(root, "Ada", {f"{n}.py": "1" for n in range(MAX_CHANGED)})
    commit_as(root, "Bob", {f"{n}.py": "2" for n in range(MAX_CHANGED + 1)})
    for name in programs.split(","):
        commit_as(root, name, {"0.py": name})
    assert authors(history(root), "0.py") == ["Ada", "Cy"]
    monkeypatch.setattr(commit_history, "MAX_COMMITS", 8)
    assert authors(history(root), "0.py") == ["Ada"]


def test_where_a_shallow_clone_ends_nobody_made_all_files(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {"a.py": "1"})
    commit_as(root, "Bob", {"b.py": "1"})
    commit_as(root, "Cy", {"b.py": "2"})
    for depth, of_a_file in (("1", []), ("2", ["Cy"])):
        git(tmp_path, "clone", "-q", "--depth", depth, root.as_uri(), depth)
        found = history(tmp_path / depth)
        assert (authors(found, "a.py"), authors(found, "b.py")) == ([], of_a_file)
        assert bool(found.unread) is not bool(of_a_file)


def test_names_and_paths_pass_for_nothing_else(root: Path) -> None:
    """Names are made harmless, addresses are not kept, and no path is a commit."""
    files = {"a.py", " /b.py", f"\n/{'0' * 40}/1/Eve"}
    commit_as(root, "A\u202eda \x1b[31mBy\x07ron\u200b\t", dict.fromkeys(files, "1"))
    for name in ("ada@example.org", "x" * 101, "a @ b"):
        commit_as(root, name, {"a.py": name})
    found = history(root)
    assert everybody(found) == {"Ada By ron"}
    assert set(found.by_path) == files
    assert "example" not in repr(found)


def test_commits_that_can_not_be_read_are_said_not_to_be(root: Path, tmp_path: Path) -> None:
    """For want of git, or of the commit, or of names that are as long as ours."""
    git(tmp_path, "init", "-q", "--object-format=sha256", "long")
    for folder in (root, tmp_path / "long"):
        commit_as(folder, "Ada", {"a.py": "1"})
    (found, head), without = held(root), {"PATH": str(tmp_path)}
    assert history(tmp_path / "long").unread
    for name, env in ((head, without), ("f" * 40, os.environ)):
        assert read_history(found, name, "", tmp_path / "caches", env).unread


def test_a_partial_clone_fetches_nothing(root: Path, tmp_path: Path) -> None:
    commit_as(root, "Ada", {"a.py": "1"})
    git(root, "config", "uploadpack.allowFilter", "true")
    try:
        git(tmp_path, "clone", "-q", "--no-checkout", "--filter=tree:0", root.as_uri(), "part")
    except subprocess.CalledProcessError:
        pytest.skip("this git makes no partial clones")
    objects = tmp_path / "part" / ".git" / "objects"
    before = {path for path in objects.rglob("*") if path.is_file()}
    assert not history(tmp_path / "part").by_path
    assert {path for path in objects.rglob("*") if path.is_file()} == before


def _borrow(root: Path, other: Path) -> None:
    """Have a repository name the newest commit of another one."""
    (root / ".git" / "refs" / "heads" / "main").write_text(git(other, "rev-parse", "HEAD"), "ascii")


def _alternates(root: Path, other: Path) -> None:
    _borrow(root, other)
    named = root / ".git" / "objects" / "info" / "alternates"
    named.write_text(f"{other / '.git' / 'objects'}\n", "utf-8")


def _gitdir(root: Path, other: Path) -> None:
    """A `.git` file, the folder that it names leads back, but the other repository does not."""
    folder = root / "folder"
    (root / ".git").rename(folder)
    (root / ".git").write_text("gitdir: folder\n", "utf-8")
    (folder / "gitdir").write_text(f"{root / '.git'}\n", "utf-8")
    (folder / "commondir").write_text(f"{other / '.git'}\n", "utf-8")


def _linked(root: Path, other: Path) -> None:
    _borrow(root, other)
    shutil.rmtree(root / ".git" / "objects")
    (root / ".git" / "objects").symlink_to(other / ".git" / "objects")


def _bomb(root: Path, _: Path) -> None:
    """A commit of a billion files: nine folders in one another, ten times each."""
    made = git(root, "rev-parse", "HEAD:a.py").strip()
    kind, mode = "blob", "100644"
    for _depth in range(9):
        entries = "".join(f"{mode} {kind} {made}\t{n}\n" for n in range(10))
        made, kind, mode = git(root, "mktree", given=entries).strip(), "tree", "040000"
    git(root, "update-ref", "HEAD", git(root, "commit-tree", made, "-m", "bomb").strip())


def _mailmap(root: Path, _: Path) -> None:
    lines = b"".join(b"Somebody %d <a%d@b.example>\n" % (n, n) for n in range(50_000))
    commit_as(root, "Ada Byron", {".mailmap": lines})


@pytest.mark.parametrize("trick", [_alternates, _gitdir, _linked, _bomb, _mailmap])
def test_a_repository_that_can_not_be_read_says_so(
    root: Path, tmp_path: Path, trick: Callable[[Path, Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No author is named, of another repository least of all; ties go on, and `status` says why."""
    monkeypatch.setattr("vouch_sidecar.workspace.git.MAX_MEMORY", 64 << 20)
    other = repository(tmp_path / "other", {})
    commit_as(other, "Eve Other", {"secret.py": "1", "a.py": "2"})
    base(root, {"config.yaml": b"kb: {name: ops}\n"})
    write(root, "claims/tied.yaml", claim("tied", text="See a.py for the key vault."))
    commit_as(root, "Ada Byron", {"a.py": "1"})
    trick(root, other)
    engine = settled(root)
    world = only(engine).world
    assert not world.history.by_path
    assert "a.py" in world.ties.by_path
    said = ask(engine, "status")["roots"][0]["problems"]
    assert any("authors not named" in row["message"] for row in said)
    assert "Eve" not in str(ask(engine, "experts", topic="key vault"))


def test_odd_paths_of_old_trees_end_nothing(root: Path, tmp_path: Path) -> None:
    """git refuses to make such a tree, and prints it all the same."""
    commit_as(root, "Ada Byron", {"a.py": "1"})
    blob = bytes.fromhex(git(root, "rev-parse", "HEAD:a.py").strip())
    names = (b"//", b"/%b/1/Eve" % (b"0" * 39), b"/x", b"a.py", b"b.py")
    file = tmp_path / "object"
    file.write_bytes(b"".join(b"100644 %s\0" % name + blob for name in names))
    tree = git(root, "hash-object", "-t", "tree", "-w", "--literally", str(file)).strip()
    parent, who = git(root, "rev-parse", "HEAD").strip(), "Bob Kahn <b@b.example> 1 +0000"
    file.write_text(f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\nodd", "utf-8")
    commit = git(root, "hash-object", "-t", "commit", "-w", str(file))
    git(root, "update-ref", "HEAD", commit.strip())
    found = history(root)
    assert (authors(found, "a.py"), authors(found, "b.py")) == (["Ada Byron"], ["Bob Kahn"])
    assert everybody(found) == {"Ada Byron", "Bob Kahn"}
    assert not found.unread


@pytest.mark.parametrize("never", ["Robert Kahn", "bob  kahn"])
def test_who_is_never_named_is_not_under_another_name(root: Path, never: str) -> None:
    """Neither as he wrote it, nor with what stands in brackets behind it, nor by `.mailmap`."""
    never_named = {"people": {"never": [never, "Cy Twombly"]}}
    base(root, {"config.yaml": dump({"kb": {"name": "ops"}, "sidecar": never_named})})
    write(root, "claims/tied.yaml", claim("tied", text="See a.py for the key vault."))
    commit_as(root, "Bob Kahn", {"a.py": "1"}, email="bob@b.example")
    commit_as(root, "Ada Byron", {"a.py": "2"})
    commit_as(root, "Robert Kahn", {"a.py": "3"}, email="bob@b.example")
    commit_as(root, "Cy Twombly (ACME)", {"a.py": "4"})
    commit_as(root, "Ada Byron", {".mailmap": "Robert Kahn <bob@b.example>\n"})
    named = ask(settled(root), "experts", topic="key vault")["by_commits"]
    assert [row["name"] for row in named] == ["Ada Byron"]
