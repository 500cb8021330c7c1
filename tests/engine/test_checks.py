"""Checks across files: ids that name nothing, whatever is retired or not saved yet."""

from __future__ import annotations

from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.engine.checks import CheckContext, check_all
from vouch_sidecar.kb.reader import parse
from vouch_sidecar.kb.records import Severity

from tests.protocol import knowledge


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return knowledge.make(tmp_path / "project")


def around(root: Path) -> CheckContext:
    engine = Engine(env={"XDG_CACHE_HOME": str(root.parent / "cache")})
    collection = engine.registry.add_root(root)
    engine.load()
    return CheckContext(collection, collection.knowledge)


def found(root: Path) -> list[tuple[str, str, str | None, int, int]]:
    """Path, code, field and place of everything that is found, after a cold and a warm start."""
    first, second = (list(check_all(around(root))) for _ in range(2))
    assert first == second
    return [
        (problem.path, problem.code, problem.field, problem.line, problem.column)
        for problem in sorted(first, key=lambda problem: problem.path)
    ]


def test_every_kind_of_id_that_names_nothing(root: Path) -> None:
    more = "contradicts: [gone]\nsupersedes: [gone]\nsuperseded_by: gone\n"
    path = knowledge.claim(root, "claim", "JWT is gone.", "jwt", "gone", more=more)
    path.write_text(path.read_text().replace(knowledge.SOURCE, "b" * 64), "utf-8")
    kb = root / ".vouch"
    (kb / "relations" / "edge.yaml").write_text(
        "id: edge\nsource: jwt\nrelation: uses\ntarget: gone\nevidence: [gone]\n", "utf-8"
    )
    (kb / "evidence" / "ev.yaml").write_text("id: ev\nsource_id: gone\nlocator: x\n", "utf-8")
    (kb / "entities" / "e.yaml").write_text("id: e\nname: E\ntype: team\npage: gone\n", "utf-8")
    (kb / "pages" / "page.md").write_text(
        "---\nid: page\ntitle: Page\nclaims: [gone]\nentities:\n  - jwt\n  - gone\n"
        "sources: [gone]\n---\nText\n",
        "utf-8",
    )
    assert found(root) == [
        ("claims/claim.yaml", "dangling-evidence", "evidence.0", 6, 12),
        ("claims/claim.yaml", "dangling-entity", "entities.1", 7, 19),
        ("claims/claim.yaml", "dangling-claim", "supersedes.0", 10, 14),
        ("claims/claim.yaml", "dangling-claim", "superseded_by", 11, 1),
        ("claims/claim.yaml", "dangling-claim", "contradicts.0", 9, 15),
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
    knowledge.claim(root, "old", "JWT was old.", "jwt", status="archived")
    lines = (
        "---",
        "id: page",
        "title: Runbook",
        "---",
        "Known: [[jwt]], [[page]], [[runbook]], [claim: jwt-rotates], `[[ -f x ]]`.",
        "",
        "Not: [[gone]] and",
        "[claim: gone], [claim: old].",
    )
    (root / ".vouch" / "pages" / "page.md").write_bytes(end.join(lines).encode())
    assert found(root) == [
        ("pages/page.md", "dangling-link", "body", 7, 8),
        ("pages/page.md", "dangling-claim", "body", 8, 9),
        ("pages/page.md", "retired-claim", "body", 8, 24),
    ]


def test_what_is_retired_private_or_faulty_is_there(root: Path) -> None:
    knowledge.claim(root, "old", "JWT was old.", "jwt", status="archived")
    elsewhere = knowledge.claim(root, "renamed", "JWT was.", "jwt", status="superseded")
    elsewhere.rename(elsewhere.with_name("another.yaml"))
    knowledge.claim(root, "secret", "JWT.", "jwt", more="scope: {visibility: private}\n")
    (root / ".vouch" / "claims" / "broken.yaml").write_text("text: [\n", "utf-8")
    more = "supersedes: [old, renamed, secret, broken]\n"
    knowledge.claim(root, "new", "JWT is new.", "jwt", more=more)
    assert found(root) == []


def test_a_hostile_id_stays_on_its_line(root: Path) -> None:
    path = knowledge.claim(root, "hostile", "JWT.", "HERE" + "y" * 500)
    path.write_text(path.read_text().replace("'HERE", "'x\u202e"), "utf-8")
    (problem,) = check_all(around(root))
    assert problem.message == f"`entities.0` names no entity: x{'y' * 78}…"


def test_claims_that_count_no_more_and_contested_ones(root: Path) -> None:
    knowledge.claim(root, "old", "JWT was.", "jwt", status="superseded", more="superseded_by: new")
    knowledge.claim(root, "new", "JWT may be.", "jwt", status="contested", more="supersedes: [old]")
    knowledge.claim(
        root, "gone", "JWT is a secret.", "jwt", status="redacted", more="scope: private"
    )
    knowledge.write(
        root, "pages/page.md", "---\nid: page\ntitle: Guide\nclaims: [old, new, gone]\n---\n"
    )
    knowledge.write(
        root, "relations/a.yaml", "id: a\nsource: new\nrelation: supersedes\ntarget: old\n"
    )
    knowledge.write(
        root, "relations/b.yaml", "id: b\nsource: old\nrelation: supports\ntarget: jwt\n"
    )
    assert found(root) == [
        ("pages/page.md", "retired-claim", "claims.0", 4, 10),
        ("pages/page.md", "contested-claim", "claims.1", 4, 15),
        ("relations/b.yaml", "retired-claim", "source", 2, 1),
    ]
    messages = {problem.message for problem in check_all(around(root))}
    assert "`claims.0` is a claim that is superseded, by new" in messages


def test_the_content_of_a_source(root: Path) -> None:
    content = root / ".vouch" / "sources" / knowledge.SOURCE / "content"
    path = f"sources/{knowledge.SOURCE}/meta.yaml"
    content.write_text("other notes", "utf-8")
    assert [row[:3] for row in found(root)] == [(path, "content-changed", "id")]
    content.unlink()
    assert [row[:3] for row in found(root)] == [(path, "content-missing", "id")]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_of_a_merge(root: Path, end: str) -> None:
    marks = end.join(["<<<<<<< HEAD", "a", "=======", "b", ">>>>>>> main", ""])
    (problem,) = parse("claims/x.yaml", f"id: x{end}{marks}".encode()).problems
    assert (problem.code, problem.line) == ("git-conflict", 2)
    knowledge.write(root, "pages/p.md", f"---{end}id: p{end}title: P{end}---{end}{marks}")
    assert found(root) == [("pages/p.md", "git-conflict", "body", 5, 1)]


def test_a_claim_without_evidence_has_a_code_of_its_own() -> None:
    for text in ("id: x\ntext: X\n", "id: x\ntext: X\nevidence: []\n"):
        (problem,) = parse("claims/x.yaml", text.encode()).problems
        assert (problem.code, problem.severity) == ("no-evidence", Severity.ERROR)


def test_what_is_ignored_is_not_told(root: Path) -> None:
    knowledge.entity(root, "token", "Token", "JWT")
    knowledge.claim(root, "gone", "JWT is gone.", "jwt", "gone")
    knowledge.config(
        root,
        "sidecar:\n  diagnostics:\n    ignore: [shared-name]\n",
    )
    (one,) = check_all(around(root))
    assert (one.code, one.severity) == ("dangling-entity", Severity.WARNING)


CODES = """
contested-claim content-changed content-missing dangling-claim dangling-entity
dangling-evidence dangling-link dangling-page dangling-relation dangling-source file-gone
git-conflict invalid no-evidence quote-gone
retired-claim setting shared-name unconfirmed
""".split()


def test_codes_never_change_and_are_documented() -> None:
    page = Path(__file__).parents[2] / "docs" / "diagnostics.md"
    headings = [line[3:] for line in page.read_text("utf-8").splitlines() if line.startswith("## ")]
    assert sorted(headings) == sorted(CODES)
