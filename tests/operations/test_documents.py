"""Where a cited document lies."""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.kb.records import Evidence, Source
from vouch_sidecar.operations.artifacts import citation
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.file_list import Files
from vouch_sidecar.workspace.locator import Locator
from vouch_sidecar.workspace.world import World

from tests.engine.bases import ask, base
from tests.index.worlds import knowledge_of
from tests.kb.samples import SHA, claim, dump
from tests.workspace.places import settled

FILES = Files(("docs/a b.md", "docs/c#d.md"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with two documents, beside one that is not in it."""
    root = tmp_path / "repo"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "a b.md").write_text("one\ntwo\n", "utf-8")
    (root / "docs" / "c#d.md").write_text("one\n", "utf-8")
    (tmp_path / "secret.md").write_text("x", "utf-8")
    (root / "docs" / "out.md").symlink_to(tmp_path / "secret.md")
    kept = root / ".vouch" / "sources" / SHA
    kept.mkdir(parents=True)
    (kept / "content").write_text("one\n", "utf-8")
    (root / ".vouch" / "config.yaml").write_text("version: 1\n", "utf-8")
    return root


def found(root: Path, locator: str, place: str | None = None) -> str | None:
    """The document's URI, from the root on."""
    source = Source(SHA, f"sources/{SHA}/meta.yaml", locator)
    evidence = Evidence("ev", "evidence/ev.yaml", SHA, place) if place else None
    known = knowledge_of([source, *([evidence] if evidence else [])])
    path = Locator(root, FILES).of_source(locator)
    world = World(root, files=FILES, sources={} if path is None else {SHA: path})
    view = View("kb", known, frozenset({"open"}), root, workspace=world)
    uri = citation(view, "ev" if evidence else SHA).document
    return uri and uri.removeprefix(root.as_uri())


@pytest.mark.parametrize(
    ("locator", "place", "expected"),
    [
        ("docs/a b.md", None, "/docs/a%20b.md"),
        ("docs/a b.md", "L12", "/docs/a%20b.md#L12"),
        ("docs/a b.md", "L12-L20", "/docs/a%20b.md#L12"),
        ("docs/a b.md", "page 3", "/docs/a%20b.md"),
        ("docs/a b.md#L2", None, "/docs/a%20b.md#L2"),
        ("docs/c#d.md", None, "/docs/c%23d.md"),
        ("./docs/../docs/a b.md", None, "/docs/a%20b.md"),
    ],
)
def test_a_file_of_the_workspace(
    root: Path, locator: str, place: str | None, expected: str
) -> None:
    assert found(root, locator, place) == expected
    assert found(root, str(root / locator), place) == expected


@pytest.mark.parametrize(
    "locator",
    [
        "docs/gone.md",
        "docs",
        "",
        "../secret.md",
        "docs/out.md",
        "/etc/passwd",
        "https://example.org/a",
        ".vouch/config.yaml",
        "\0",
        "a" * 5000,
    ],
)
def test_else_what_was_kept(root: Path, locator: str) -> None:
    assert found(root, locator, "L4") == f"/.vouch/sources/{SHA}/content#L4"


def test_neither(root: Path) -> None:
    (root / ".vouch" / "sources" / SHA / "content").unlink()
    assert found(root, "docs/gone.md") is None


def test_the_citations_of_a_claim_lead_there(tmp_path: Path) -> None:
    evidence = {"id": "ev", "source_id": SHA, "locator": "L7"}
    root = base(
        tmp_path / "kb",
        {
            "claims/cites.yaml": claim("cites", evidence=["ev", SHA, "nothing"]),
            "evidence/ev.yaml": dump(evidence),
            f"sources/{SHA}/meta.yaml": dump({"id": SHA, "locator": "notes.md"}),
        },
    )
    (root / "notes.md").write_text("notes", "utf-8")
    citations = ask(settled(root, tmp_path), "claim", id="cites")["claim"]["citations"]
    notes = (root / "notes.md").as_uri()
    assert [citation["document"] for citation in citations] == [f"{notes}#L7", notes, None]
