"""Document links, and symbols of the workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.protocol import knowledge
from tests.protocol.editor import Editor

LINKS = "textDocument/documentLink"
SYMBOLS = "workspace/symbol"


def test_links(editor: Editor, library: Path) -> None:
    uri = editor.open(library / ".vouch" / "pages" / "auth.md")
    found = editor.whole(uri, LINKS)
    said = [editor.said({"uri": uri, "range": row["range"]}) for row in found]
    targets = [row["target"].removeprefix(f"{library.as_uri()}/") for row in found]
    assert list(zip(said, targets, strict=True)) == [
        ("jwt-expires", ".vouch/claims/jwt-expires.yaml"),
        ("jwt", ".vouch/entities/jwt.yaml"),
        (knowledge.SOURCE, "docs/auth.md"),
        ("jwt-rotates", ".vouch/claims/jwt-rotates.yaml"),
        ("redis", ".vouch/entities/redis.yaml"),
    ]


def test_a_link_to_evidence_has_its_line(editor: Editor, library: Path) -> None:
    uri = editor.open(library / ".vouch" / "claims" / "jwt-cites.yaml")
    targets = [row["target"] for row in editor.whole(uri, LINKS)]
    assert f"{(library / 'docs/auth.md').as_uri()}#L3" in targets


@pytest.mark.parametrize("uri", ["untitled:a", "file:///a/b.yaml"])
def test_other_documents_have_none(editor: Editor, uri: str) -> None:
    editor.open(uri, "entities: [jwt]\n")
    assert editor.whole(uri, LINKS) is None
    editor.client.close(uri)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("redis", ("Redis", "redis")),
        ("json web", ("JWT", "jwt")),
        ("auth g", ("Auth guide", "auth")),
        ("jwt-exp", ("JWT access tokens expire after 15 minutes.", "jwt-expires")),
        ("rotate us", ("Refresh tokens for JWT rotate on every use.", "jwt-rotates")),
        ("", ("Auth guide", "auth")),
    ],
)
def test_symbols_of_the_workspace(editor: Editor, query: str, first: tuple[str, str]) -> None:
    found = editor.ask(SYMBOLS, {"query": query})
    best = next(row for row in found if (row["name"], row["containerName"]) == first)
    assert found.index(best) < 3
    assert best["location"]["uri"].endswith((f"{first[1]}.yaml", f"{first[1]}.md"))


def test_the_page_about_vouch_itself_is_no_symbol(editor: Editor) -> None:
    assert editor.ask(SYMBOLS, {"query": "obsidian"}) == []


def test_a_symbol_that_nothing_is_called_like(editor: Editor) -> None:
    assert editor.ask(SYMBOLS, {"query": "nothing is called (like) [this"}) == []
