"""Where a cited document lies: in the workspace, else as it was kept, with the line cited."""

from __future__ import annotations

from pathlib import Path

from tests.engine.bases import ask, write
from tests.kb.samples import claim, dump, make_kb
from tests.workspace.places import repository, settled, source_of

THERE: list[tuple[str, str | None, str]] = [
    ("docs/a b.md", None, "docs/a%20b.md"),
    ("docs/a b.md", "L12", "docs/a%20b.md#L12"),
    ("docs/a b.md", "L12-L20", "docs/a%20b.md#L12"),
    ("docs/a b.md", "page 3", "docs/a%20b.md"),
    ("docs/a b.md#L2", None, "docs/a%20b.md#L2"),
    ("docs/c#d.md", None, "docs/c%23d.md"),
    ("./docs/../docs/a b.md", None, "docs/a%20b.md"),
]
NOT_THERE = [
    *("docs/gone.md", "docs", "../secret.md", "docs/out.md", "/etc/passwd"),
    *("https://example.org/a", ".vouch/config.yaml", "\0", "a" * 5000),
]


def test_the_citations_of_a_claim_lead_to_their_documents(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", {"docs/a b.md": "one\ntwo\n", "docs/c#d.md": "one\n"})
    make_kb(root)
    (tmp_path / "secret.md").write_text("x", "utf-8")
    (root / "docs" / "out.md").symlink_to(tmp_path / "secret.md")
    cited: dict[str, str | None] = {"nothing": None}

    def cite(locator: str, place: str | None, document: str) -> None:
        source = source_of(locator.encode())
        write(root, f"sources/{source}/meta.yaml", dump({"id": source, "locator": locator}))
        write(root, f"sources/{source}/content", locator.encode())
        evidence = f"e{len(cited)}" if place else source
        if place:
            fields = {"id": evidence, "source_id": source, "locator": place}
            write(root, f"evidence/{evidence}.yaml", dump(fields))
        cited[evidence] = f"{root.as_uri()}/{document.format(source)}"

    for locator, place, document in THERE:
        cite(locator, place, document)
        cite(str(root / locator), place, document)
    for locator in NOT_THERE:
        cite(locator, "L4", ".vouch/sources/{}/content#L4")
    cite("docs/never kept.md", None, "")
    lost = source_of(b"docs/never kept.md")
    (root / ".vouch" / "sources" / lost / "content").unlink()
    cited[lost] = None
    write(root, "claims/all.yaml", claim("all", evidence=list(cited)))
    citations = ask(settled(root, tmp_path), "claim", id="all")["claim"]["citations"]
    assert {row["id"]: row["document"] for row in citations} == cited
