"""Several working trees of one repository, with one knowledge base: whose files it speaks of."""

from pathlib import Path

import pytest
from vouch_sidecar.engine import Caller
from vouch_sidecar.kb.discovery import find

from tests.engine.bases import ask, cached, engine_on, settle, unread_engine
from tests.workspace.places import cite, commit_as, git, repository, write

FILE = "src/till.py"
EXPECTED = {"path": FILE, "claims": ["defined", "named"], "people": ["Ada"]}


def tied(start: Path, tmp_path: Path, path: Path | str = FILE, **env: str) -> dict[str, object]:
    """What the knowledge bases found from a folder say of a file, and whom to ask."""
    engine = engine_on(start, env=cached(tmp_path) | env)
    settle(engine)
    (file,) = ask(engine, "files", paths=[str(path)])["files"]
    rows = ask(engine, "experts", topic="ledger").get("by_commits", ())
    claims = sorted(claim["id"] for claim in file["claims"])
    return {"path": file["path"], "claims": claims, "people": [row["name"] for row in rows]}


def fill(root: Path) -> None:
    cite(root, "named", f"`{FILE}` takes the ledger lock.", "elsewhere")
    cite(root, "defined", "`pull_ledger` is called at night.", "elsewhere")


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    root = repository(tmp_path / "plain", {".gitignore": ".vouch\n.claude/worktrees\n"})
    commit_as(root, "Ada", {FILE: "def pull_ledger():\n    return 1\n"})
    return root


@pytest.fixture
def bare(plain: Path, tmp_path: Path) -> Path:
    """A folder with a bare repository, two working trees, and the knowledge base beside them."""
    top = tmp_path / "project"
    top.mkdir()
    git(tmp_path, "clone", "-q", "--bare", str(plain), str(top / ".bare"))
    (top / ".git").write_text("gitdir: ./.bare\n", "utf-8")
    git(top, "worktree", "add", "-q", "main", "main")
    git(top, "worktree", "add", "-q", "-b", "feature", "feature")
    fill(top)
    return top


def test_trees_beside_a_base(bare: Path, tmp_path: Path) -> None:
    assert tied(bare / "main", tmp_path) == EXPECTED
    assert tied(bare, tmp_path, bare / "feature" / FILE) == EXPECTED
    (bare / "feature" / FILE).write_text("", "utf-8")
    assert tied(bare, tmp_path, bare / "feature" / FILE)["claims"] == ["named"]
    assert tied(bare, tmp_path, bare / "main" / FILE) == EXPECTED


def test_two_trees_in_one_window_are_one_knowledge_base(bare: Path, tmp_path: Path) -> None:
    engine = engine_on(bare / "main", bare / "feature", env=cached(tmp_path))
    assert len(engine.registry.collections) == 2
    (base,) = ask(engine, "status", root=str(bare))["roots"]
    assert [base] == ask(engine, "status")["roots"]
    assert base["root"] == str(bare)
    hits = ask(engine, "search", query="ledger lock")["hits"]
    assert [hit["id"] for hit in hits if hit["kind"] == "claim"][:1] == ["named"]
    (chosen,) = engine.registry.chosen(Caller(at=bare / "main" / FILE), None)
    assert chosen.tree == bare / "main"


@pytest.mark.parametrize("place", [".claude/worktrees/one", "../sibling", "../pull_ledger"])
def test_a_tree_has_the_base_of_its_repository(plain: Path, tmp_path: Path, place: str) -> None:
    """Nor does its name change what is tied. Who only claims to be such a tree gets nothing."""
    fill(plain)
    git(plain, "worktree", "add", "-q", "-b", "one", place)
    tree, hostile = (plain / place).resolve(), tmp_path / "hostile"
    assert tied(tree, tmp_path) == EXPECTED
    assert tied(tree / "src", tmp_path, tree / FILE) == EXPECTED
    write(hostile, {".git": (tree / ".git").read_bytes()})
    env = {"HOME": str(tmp_path / "home")}
    assert [place.root for place in find(tree, env).places] == [str(plain)]
    assert find(hostile, env).places == []


def test_a_base_that_the_environment_names_speaks_of_this_tree(plain: Path, tmp_path: Path) -> None:
    base = tmp_path / "base"
    fill(base)
    assert tied(plain, tmp_path, VOUCH_KB_PATH=str(base / ".vouch")) == EXPECTED


def test_a_base_below_the_top_is_that_of_the_same_folder(plain: Path, tmp_path: Path) -> None:
    commit_as(plain, "Ada", {f"sub/{FILE}": "def pull_ledger():\n    return 1\n"})
    git(plain, "checkout", "-q", "-f", "main")
    fill(plain / "sub")
    git(plain, "worktree", "add", "-q", "-b", "one", "../sibling")
    assert tied(tmp_path / "sibling" / "sub", tmp_path) == EXPECTED


def test_of_several_bases_of_a_tree_all_serve_the_same(plain: Path) -> None:
    """The shell and a host of MCP add what they found, others search. Who stands elsewhere in that
    tree may find another one.
    """
    for name in ("a", "b"):
        git(plain, "worktree", "add", "-q", "-b", name, str(plain / f"of-{name}" / name))
        cite(plain / f"of-{name}" / name, "named", f"`{FILE}` has the ledger lock.", "elsewhere")
    engines = [unread_engine(plain), unread_engine()]
    for engine, folder, name in (*((each, "", "a") for each in engines), (engines[1], "of-b", "b")):
        places = find(plain / folder, {}).places
        if engine is engines[1]:
            engine.registry.add(places)
        (asked,) = engine.registry.asked(Caller(places=frozenset(places)))
        assert (asked.root, asked.tree) == (plain / f"of-{name}" / name, plain)
    for root, asked in engines[1].registry.collections.items():
        assert engines[1].registry.chosen(Caller(), root.root) == [asked]
