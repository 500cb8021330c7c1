"""`files` lists the claims tied to files; a claim leads to the documents that it cites."""

from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.engine import Caller, Engine
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.operations.wire import as_json
from vouch_sidecar.surfaces.console.printing import show

from tests.engine.bases import ask, performed, told
from tests.kb.samples import claim, dump, make_kb, put, source, source_of
from tests.workspace.places import cite, repository, settled, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {"src/relay.py": "class RelayLoop:\n  def restart_all(self): ...\n", "src/idle.py": ""}
    root = repository(tmp_path / "repo", files)
    cite(root, "cites", "It restarts at night.", "/home/dev/src/relay.py")
    cite(root, "names", "`RelayLoop.restart_all` is slow.", "https://example.org/a")
    return root


@pytest.fixture
def engine(root: Path, tmp_path: Path) -> Engine:
    return settled(root, tmp_path)


def ids(engine: Engine, path: str = "src/relay.py", **params: Any) -> list[str]:
    (file,) = ask(engine, "files", paths=[path], **params)["files"]
    return [row["id"] for row in file["claims"]]


def test_each_claim_with_why(engine: Engine, root: Path) -> None:
    answered = ask(engine, "files", paths=["src/relay.py", "src/idle.py"])
    assert answered["degraded"] == []
    relay, idle = answered["files"]
    cites, names = relay["claims"]
    (cited,) = cites["citations"]
    assert cited["document"] == (root / "src" / "relay.py").as_uri()
    told = {"collection": "repo", "arm": "cites", "strength": 0.8, "weak": False, "line": None}
    told |= {"why": "cites it", "fresh": None}
    assert cites == ask(engine, "claim", id="cites")["claim"] | told
    assert (names["id"], names["arm"], names["line"]) == ("names", "identifier", 2)
    assert names["why"] == "names RelayLoop.restart_all, defined at L2"
    assert (relay["path"], idle) == ("src/relay.py", {"path": "src/idle.py", "claims": []})


def test_weak_ties_are_last(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(root, {"src/relay.py": "class RelayLoop:\n    def restart(self): ...\n"})
    cite(root, "plain", "It can `restart`.", "https://example.org/m")
    cite(root, "defined", "RelayLoop is restarted at night.", "https://example.org/c")
    engine, operation = settled(root, tmp_path), operations()["files"]
    result = performed(engine, operation, Caller(), paths=["src/relay.py"])
    weak = {row["id"]: row["weak"] for row in as_json(result)["files"][0]["claims"]}
    assert [*weak.values()] == sorted(weak.values())
    assert weak["plain"]
    show(operation.shown(result))
    assert "weak; names restart, defined at L2" in capsys.readouterr().out


def test_ways_to_name_a_file_and_a_range_of_it(engine: Engine, root: Path) -> None:
    for path in ("src/relay.py", "./src/../src/relay.py", str(root / "src" / "relay.py")):
        assert ids(engine, path) == ["cites", "names"]
    path = (root / "src" / "relay.py").as_posix()
    there = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 5}}
    for uri in (f"file://{path}", f"file:{path}", f"FILE://localhost{path}#L3"):
        for params, found in (({}, ["cites", "names"]), ({"range": there}, ["names", "cites"])):
            claims = ask(engine, "files", None, uri=uri, **params)["files"][0]["claims"]
            assert [row["id"] for row in claims] == found  # those in the range come first
    for uri in ("untitled:Untitled-1", "http://[x", "file://[x", "file://host"):
        assert ask(engine, "files", uri=uri)["files"] == []


def test_an_absolute_path_below_the_root_counts_in_a_prompt_as_the_relative_one(
    engine: Engine, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    as_written = told(engine, "refactor src/relay.py please now")
    assert as_written == ["cites", "names"]
    for top in (f"{root}/", f"file://{root}/", "~/repo/"):
        assert told(engine, f"refactor {top}src/relay.py please now") == as_written
    assert told(engine, f'  File "{root}/src/relay.py", line 3, in x\n    x()\nKeyError: 1\nwhy?')
    assert told(engine, "refactor /elsewhere/repo/src/relay.py please now") == []
    # Other dotted names are words that the prompt asks about and that the claims lack.
    assert told(engine, "rename `Zephyr.quartz` to `Zephyr.obsidian` in src/relay.py") == []


def test_the_citations_of_a_claim_lead_to_their_documents(tmp_path: Path) -> None:
    there: list[tuple[str, str | None, str]] = [
        ("docs/a b.md", None, "docs/a%20b.md"),
        ("docs/a b.md", "L12", "docs/a%20b.md#L12"),
        ("docs/a b.md", "L12-L20", "docs/a%20b.md#L12"),
        ("docs/a b.md", "page 3", "docs/a%20b.md"),
        ("docs/a b.md#L2", None, "docs/a%20b.md#L2"),
        ("docs/c#d.md", None, "docs/c%23d.md"),
        ("./docs/../docs/a b.md", None, "docs/a%20b.md"),
    ]
    not_there = [
        *("docs/gone.md", "docs", "../secret.md", "docs/out.md", "/etc/passwd"),
        *("https://example.org/a", ".vouch/config.yaml", "\0", "a" * 5000),
    ]
    root = repository(tmp_path / "repo", {"docs/a b.md": "one\ntwo\n", "docs/c#d.md": "one\n"})
    kb_dir = make_kb(root)
    (tmp_path / "secret.md").write_text("x", "utf-8")
    (root / "docs" / "out.md").symlink_to(tmp_path / "secret.md")
    cited: dict[str, str | None] = {"nothing": None}

    def citing(locator: str, place: str | None, document: str) -> None:
        files, cites = source(locator.encode(), locator=locator), source_of(locator.encode())
        evidence = f"e{len(cited)}" if place else cites
        if place:
            fields = {"id": evidence, "source_id": cites, "locator": place}
            files[f"evidence/{evidence}.yaml"] = dump(fields)
        for path, data in files.items():
            put(kb_dir, path, data)
        cited[evidence] = f"{root.as_uri()}/{document.format(cites)}"

    for locator, place, document in there:
        citing(locator, place, document)
        citing(str(root / locator), place, document)
    for locator in not_there:
        citing(locator, "L4", ".vouch/sources/{}/content#L4")
    for locator in ("docs/never kept.md", "docs/kept elsewhere.md"):
        citing(locator, None, "")
        lost = source_of(locator.encode())
        (kept := kb_dir / "sources" / lost / "content").unlink()
        cited[lost] = None
    kept.symlink_to(tmp_path / "secret.md")
    put(kb_dir, "claims/all.yaml", claim("all", evidence=list(cited)))
    citations = ask(settled(root, tmp_path), "claim", id="all")["claim"]["citations"]
    assert {row["id"]: row["document"] for row in citations} == cited
