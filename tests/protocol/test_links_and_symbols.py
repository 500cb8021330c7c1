"""Document links, outlines, and symbols of the workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.protocol import knowledge
from tests.protocol.client import indexed_client
from tests.protocol.editor import ABLE, Editor

LINKS = "textDocument/documentLink"
OUTLINE = "textDocument/documentSymbol"
SYMBOLS = "workspace/symbol"


def test_links(editor: Editor, library: Path) -> None:
    uri = editor.open(library / ".vouch" / "pages" / "auth.md")
    found = editor.whole(uri, LINKS)
    said = [editor.said({"uri": uri, "range": one["range"]}) for one in found]
    targets = [one["target"].removeprefix(f"{library.as_uri()}/") for one in found]
    assert list(zip(said, targets, strict=True)) == [
        ("jwt-expires", ".vouch/claims/jwt-expires.yaml"),
        ("jwt-old", ".vouch/claims/jwt-old.yaml"),
        ("jwt", ".vouch/entities/jwt.yaml"),
        (knowledge.SOURCE, "docs/auth.md"),
        ("jwt-rotates", ".vouch/claims/jwt-rotates.yaml"),
        ("redis", ".vouch/entities/redis.yaml"),
    ]


def test_a_link_to_evidence_has_its_line(editor: Editor, library: Path) -> None:
    uri = editor.open(library / ".vouch" / "claims" / "jwt-cites.yaml")
    targets = [one["target"] for one in editor.whole(uri, LINKS)]
    assert f"{(library / 'docs/auth.md').as_uri()}#L3" in targets


def test_the_outline_of_a_page(editor: Editor, library: Path) -> None:
    uri = editor.open(library / ".vouch" / "pages" / "auth.md")
    (root,) = editor.whole(uri, OUTLINE)
    assert (root["name"], root["detail"]) == ("Auth guide", "page")
    assert [one["name"] for one in root["children"]][-2:] == ["sources", "Auth"]
    assert [one["name"] for one in root["children"][-1]["children"]] == ["Tokens"]
    assert _within(root)


@pytest.mark.parametrize("kind", ["claims", "entities", "pages", "relations", "evidence"])
@pytest.mark.parametrize(
    "text", ["", " ", "\n", "- a", "[]", "null", "5", "---", "id: [", "\ufeff"]
)
def test_the_outline_of_a_file_that_says_nothing_yet(
    editor: Editor, library: Path, kind: str, text: str
) -> None:
    path = library / ".vouch" / kind / ("new.md" if kind == "pages" else "new.yaml")
    uri = editor.open(path, text)
    (root,) = editor.whole(uri, OUTLINE)
    assert root["name"]
    assert not editor.whole(uri, LINKS)


def _within(symbol: Any) -> bool:
    def order(position: Any) -> tuple[int, int]:
        return position["line"], position["character"]

    outer, chosen = symbol["range"], symbol["selectionRange"]
    fits = order(outer["start"]) <= order(chosen["start"]) <= order(chosen["end"])
    inner = symbol.get("children", [])
    return fits and order(chosen["end"]) <= order(outer["end"]) and all(map(_within, inner))


@pytest.mark.parametrize("uri", ["untitled:a", "file:///a/b.yaml"])
@pytest.mark.parametrize("method", [LINKS, OUTLINE])
def test_other_documents_have_neither(editor: Editor, uri: str, method: str) -> None:
    editor.open(uri, "entities: [jwt]\n")
    assert editor.whole(uri, method) is None
    editor.client.close(uri)


def test_a_client_without_trees_gets_a_list(library: Path) -> None:
    able = {**ABLE, "textDocument": {**ABLE["textDocument"], "documentSymbol": {}}}
    with indexed_client(library, capabilities=able) as client:
        editor = Editor(client)
        uri = editor.open(library / ".vouch" / "pages" / "auth.md")
        found = editor.whole(uri, OUTLINE)
    assert [one["name"] for one in found][-2:] == ["Auth", "Tokens"]
    assert found[-1]["containerName"] == "Auth"


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
    best = next(one for one in found if (one["name"], one["containerName"]) == first)
    assert found.index(best) < 3
    assert best["location"]["uri"].endswith((f"{first[1]}.yaml", f"{first[1]}.md"))


def test_a_symbol_that_nothing_is_called_like(editor: Editor) -> None:
    assert editor.ask(SYMBOLS, {"query": "nothing is called (like) [this"}) == []
