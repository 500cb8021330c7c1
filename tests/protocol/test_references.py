"""Who names an artifact."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from tests.protocol import knowledge
from tests.protocol.editor import Editor

REFERENCES = "textDocument/references"
ALONE = {"context": {"includeDeclaration": False}}
DECLARED = {"context": {"includeDeclaration": True}}


def files(found: list[Any]) -> Counter[str]:
    return Counter(row["uri"].rpartition("/")[2] for row in found)


def test_who_names_an_entity(editor: Editor, library: Path) -> None:
    uri = editor.open(library / ".vouch" / "entities" / "jwt.yaml")
    found = editor.at(uri, "jwt", REFERENCES, ALONE)
    assert files(found) == Counter(
        ["jwt-cites.yaml", "jwt-expires.yaml", "jwt-rotates.yaml", "auth.md", "jwt-uses-redis.yaml"]
    )
    assert {editor.said(one) for one in found} == {"jwt"}
    declared = editor.at(uri, "jwt", REFERENCES, DECLARED)
    assert files(declared) - files(found) == Counter(["jwt.yaml"])


def test_who_cites_a_source_evidence_of_it_included(editor: Editor, library: Path) -> None:
    uri = editor.open(library / ".vouch" / "claims" / "jwt-expires.yaml")
    found = editor.at(uri, knowledge.SOURCE, REFERENCES, ALONE)
    assert files(found) == Counter(
        [
            "auth.md",
            f"{knowledge.EVIDENCE}.yaml",
            "jwt-cites.yaml",
            "jwt-expires.yaml",
            "jwt-rotates.yaml",
            "redis-holds.yaml",
        ]
    )


def test_who_names_a_claim_in_lists_and_in_text(editor: Editor, library: Path) -> None:
    uri = editor.open(library / ".vouch" / "claims" / "jwt-rotates.yaml")
    (found,) = editor.at(uri, "jwt-rotates", REFERENCES, ALONE)
    assert editor.said(found) == "jwt-rotates"
    page = editor.open(library / ".vouch" / "pages" / "auth.md")
    retired = editor.at(page, "jwt-old", REFERENCES, ALONE)
    assert files(retired) == Counter(["auth.md", "jwt-cites.yaml"])


def test_an_entity_in_an_ordinary_document(editor: Editor) -> None:
    notes = editor.open("untitled:notes", "About JWT.\n\nMore of the JSON Web Token.\n", "markdown")
    code = editor.open("untitled:code", "jwt = 1  # a JWT\n", "python")
    found = editor.at(notes, "JWT", REFERENCES, ALONE)
    claims = [row for row in found if "/claims/" in row["uri"]]
    assert {editor.said(claim) for claim in claims} == {
        "JWT access tokens expire after 15 minutes.",
        "Refresh tokens for JWT rotate on every use.",
        "JWT is cited by evidence.",
    }
    others = [(row["uri"], editor.said(row)) for row in found if row not in claims]
    assert sorted(others) == [(code, "JWT"), (notes, "JSON Web Token"), (notes, "JWT")]
    assert editor.at(code, "jwt", REFERENCES, ALONE) is None
    for uri in (notes, code):
        editor.client.close(uri)


def test_a_large_document_is_not_looked_through(editor: Editor) -> None:
    large = editor.open("untitled:large", "JWT\n" * 100_000, "markdown")
    found = editor.at(large, "JWT", REFERENCES, ALONE)
    assert {row["uri"].rpartition("/")[2] for row in found} == {
        "jwt-cites.yaml",
        "jwt-expires.yaml",
        "jwt-rotates.yaml",
    }
    editor.client.close(large)
