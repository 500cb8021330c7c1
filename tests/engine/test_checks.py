"""Checks across files: ids that name nothing, whatever is retired or not saved yet."""

from pathlib import Path

import pytest
from vouch_sidecar.engine.checks import CheckContext, check_all
from vouch_sidecar.kb.reader import parse
from vouch_sidecar.kb.records import Problem, Severity

from tests.engine.bases import cached, engine_on, only
from tests.protocol import knowledge
from tests.protocol.knowledge import claim, write

PAGE = (Path(__file__).parents[2] / "docs" / "diagnostics.md").read_text("utf-8")
"""Where every code has a heading."""


def problems(root: Path) -> list[Problem]:
    collection = only(engine_on(root, env=cached(root.parent)))
    every = check_all(CheckContext(collection, collection.knowledge))
    return sorted(every, key=lambda problem: problem.path)


def found(root: Path) -> list[tuple[str, str, str | None, int, int]]:
    """Path, code, field and place of everything that is found, after a cold and a warm start."""
    first = problems(root)
    assert {*first} == {*problems(root)}, "in whichever order the records are kept"
    assert all(f"\n## {problem.code}\n" in PAGE for problem in first)
    return [(one.path, one.code, one.field, one.line, one.column) for one in first]


def test_every_kind_of_id_that_names_nothing(root: Path) -> None:
    others = {"contradicts": ["gone"], "supersedes": ["gone"], "superseded_by": "gone"}
    claim(root, "claim", "JWT is gone.", "jwt", "gone", evidence=["b" * 64], **others)
    ends = "id: edge\nsource: jwt\nrelation: uses\ntarget: gone\nevidence: [gone]\n"
    write(root, "relations/edge.yaml", ends)
    write(root, "evidence/ev.yaml", "id: ev\nsource_id: gone\nlocator: x\n")
    write(root, "entities/e.yaml", "id: e\nname: E\ntype: team\npage: gone\n")
    head = "id: page\ntitle: Page\nclaims: [gone]\nentities:\n  - jwt\n  - gone\nsources: [gone]"
    write(root, "pages/page.md", f"---\n{head}\n---\nText\n")
    assert found(root) == [
        ("claims/claim.yaml", "dangling-evidence", "evidence.0", 7, 3),
        ("claims/claim.yaml", "dangling-entity", "entities.1", 10, 3),
        ("claims/claim.yaml", "dangling-claim", "supersedes.0", 19, 3),
        ("claims/claim.yaml", "dangling-claim", "superseded_by", 20, 1),
        ("claims/claim.yaml", "dangling-claim", "contradicts.0", 17, 3),
        ("entities/e.yaml", "dangling-page", "page", 4, 1),
        ("evidence/ev.yaml", "dangling-source", "source_id", 2, 1),
        ("pages/page.md", "dangling-claim", "claims.0", 4, 10),
        ("pages/page.md", "dangling-entity", "entities.1", 7, 5),
        ("pages/page.md", "dangling-evidence", "sources.0", 8, 11),
        ("relations/edge.yaml", "dangling-relation", "target", 4, 1),
        ("relations/edge.yaml", "dangling-evidence", "evidence.0", 5, 12),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_marks_in_the_text_of_a_page(root: Path, end: str) -> None:
    claim(root, "old", "JWT was old.", "jwt", status="archived")
    lines = (
        *("---", "id: page", "title: Runbook", "---"),
        "Known: [[jwt]], [[page]], [[runbook]], [claim: jwt-rotates], [[ -f x ]].",
        *("", "Not: [[gone]] and", "[claim: gone], [claim: old]."),
        *("<<<<<<< HEAD", "=======", ">>>>>>> main", ""),
    )
    write(root, "pages/page.md", end.join(lines))
    assert found(root) == [
        ("pages/page.md", "dangling-link", "body", 7, 8),
        ("pages/page.md", "dangling-claim", "body", 8, 9),
        ("pages/page.md", "retired-claim", "body", 8, 24),
        ("pages/page.md", "git-conflict", "body", 9, 1),
    ]
    (problem,) = parse("claims/x.yaml", end.join(("id: x", *lines[-4:])).encode()).problems
    assert (problem.code, problem.line) == ("git-conflict", 2)


def test_what_is_retired_private_or_faulty_is_there(root: Path) -> None:
    claim(root, "old", "JWT was old.", "jwt", status="archived")
    elsewhere = claim(root, "renamed", "JWT was.", "jwt", status="superseded")
    elsewhere.rename(elsewhere.with_name("another.yaml"))
    claim(root, "secret", "JWT.", "jwt", scope={"visibility": "private"})
    write(root, "claims/broken.yaml", "text: [\n")
    claim(root, "new", "JWT is.", "jwt", supersedes=["old", "renamed", "secret", "broken"])
    assert found(root) == []


def test_a_hostile_id_stays_on_its_line(root: Path) -> None:
    path = claim(root, "hostile", "JWT.", "HERE" + "y" * 500)
    path.write_text(path.read_text().replace("HERE", "x\u202e"), "utf-8")
    (problem,) = problems(root)
    assert problem.message == f"`entities.0` names no entity: x{'y' * 78}…"


def test_claims_that_count_no_more_and_contested_ones(root: Path) -> None:
    claim(root, "old", "JWT was.", "jwt", status="superseded", superseded_by="new")
    claim(root, "new", "JWT may be.", "jwt", status="contested", supersedes=["old"])
    claim(root, "gone", "JWT is a secret.", "jwt", status="redacted", scope="private")
    write(root, "pages/page.md", "---\nid: page\ntitle: Guide\nclaims: [old, new, gone]\n---\n")
    write(root, "relations/a.yaml", "id: a\nsource: new\nrelation: supersedes\ntarget: old\n")
    write(root, "relations/b.yaml", "id: b\nsource: old\nrelation: supports\ntarget: jwt\n")
    assert found(root) == [
        ("pages/page.md", "retired-claim", "claims.0", 4, 10),
        ("pages/page.md", "contested-claim", "claims.1", 4, 15),
        ("relations/b.yaml", "retired-claim", "source", 2, 1),
    ]
    claim(root, "oldest", "JWT had been.", "jwt", status="superseded", superseded_by="old")
    claim(root, "odd", "JWT is odd.", "jwt", status="superseded")
    claim(root, "even", "JWT is even.", "jwt", supersedes=["odd"])
    claim(root, "kept", "JWT is kept.", "jwt", status="superseded", superseded_by="gone")
    text = "---\nid: page\ntitle: G\nclaims: [old, oldest, odd, gone, kept]\n---\n"
    write(root, "pages/page.md", text)
    newest = {0: "by new", 1: "by new", 2: "by even", 4: "by gone"}
    said = [f"`claims.{at}` is a claim that is superseded, {by}" for at, by in newest.items()]
    assert [one.message for one in problems(root) if one.path == "pages/page.md"] == said


def test_the_content_of_a_source(root: Path) -> None:
    path = f"sources/{knowledge.SOURCE}/meta.yaml"
    content = write(root, f"sources/{knowledge.SOURCE}/content", "other notes")
    assert [row[:3] for row in found(root)] == [(path, "content-changed", "id")]
    content.unlink()
    assert [row[:3] for row in found(root)] == [(path, "content-missing", "id")]


def test_what_is_ignored_is_not_told(root: Path) -> None:
    knowledge.entity(root, "token", "Token", "JWT")
    claim(root, "gone", "JWT is gone.", "jwt", "gone")
    assert sorted(row[1] for row in found(root)) == ["dangling-entity", *["shared-name"] * 2]
    knowledge.config(root, "sidecar: {diagnostics: {ignore: [shared-name]}}\n")
    (one,) = problems(root)
    assert (one.code, one.severity) == ("dangling-entity", Severity.WARNING)
