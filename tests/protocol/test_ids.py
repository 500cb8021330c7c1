"""Ids in files below `.vouch/`, whatever the URI of these, and artifacts as symbols."""

from pathlib import Path
from typing import Any

import pytest

from tests.protocol import knowledge
from tests.protocol.client import Editor
from tests.protocol.conftest import Serve
from tests.workspace.places import git, repository

HOVER = "textDocument/hover"
DEFINITION = "textDocument/definition"


@pytest.mark.parametrize(
    ("file", "words", "said"),
    [
        ("claims/jwt-cites.yaml", "entities:\n- |jwt", "**JWT** · concept"),
        ("claims/jwt-cites.yaml", knowledge.EVIDENCE, "“Tokens expire.”"),
        ("claims/jwt-expires.yaml", knowledge.SOURCE, "**Auth notes** · source · file"),
        ("claims/jwt-expires.yaml", "jwt-expires", "fact · stable · confidence 0.90 · 2026-05-04"),
        ("claims/jwt-cites.yaml", "jwt-cites", "/docs/auth.md#L3)"),  # which it cites twice
        ("pages/auth.md", "jwt-expires", "**JWT access tokens expire after 15 minutes.**"),
        ("pages/auth.md", "[claim: |jwt-rotates", "**Refresh tokens for JWT rotate on every"),
        ("pages/auth.md", "[[red|is", "**Redis** · concept"),
        ("pages/auth.md", "auth", "**Auth guide** · page · concept · active"),
    ],
)
def test_what_hover_says(editor: Editor, library: Path, file: str, words: str, said: str) -> None:
    uri = editor.open(library / ".vouch" / file)
    found = editor.at(uri, words, HOVER)
    assert said in found["contents"]["value"]
    assert ", [Auth notes](" not in found["contents"]["value"]
    assert words.replace("|", "").endswith(editor.said(uri, found["range"]))


@pytest.mark.parametrize(
    ("file", "words", "target", "line"),
    [
        ("claims/jwt-cites.yaml", "entities:\n- |jwt", ".vouch/entities/jwt.yaml", 0),
        ("claims/jwt-cites.yaml", knowledge.EVIDENCE, "docs/auth.md", 2),
        ("claims/jwt-old.yaml", "superseded_by: |jwt", ".vouch/claims/jwt-expires.yaml", 0),
        ("pages/auth.md", knowledge.SOURCE, "docs/auth.md", 0),
        ("pages/auth.md", "[[red|is", ".vouch/entities/redis.yaml", 0),
    ],
)
def test_definition_leads_to_what_an_id_names(
    editor: Editor, library: Path, file: str, words: str, target: str, line: int
) -> None:
    uri = editor.open(library / ".vouch" / file)
    (found,) = editor.at(uri, words, DEFINITION)
    assert found["uri"] == (library / target).as_uri()
    assert found["range"]["start"] == {"line": line, "character": 0}


def test_a_file_below_a_link_is_of_the_tree_that_has_the_link(serve: Serve, tmp_path: Path) -> None:
    kept = knowledge.library(tmp_path / "kept") / ".vouch"
    files = {"docs/auth.md": "Tokens expire.", ".gitignore": ".vouch"}
    root = repository(tmp_path / "project", files, commit=True)
    (root / ".vouch").symlink_to(kept)
    git(root, "worktree", "add", "-q", "../another")
    trees = [{"uri": each.as_uri(), "name": "a"} for each in (tmp_path / "another", root)]
    client = serve(workspaceFolders=trees)
    for tree in trees:
        asked = {"uri": f"{tree['uri']}/docs/auth.md"}
        client.until("vouch/files", asked, lambda found: not found["degraded"])
    editor = Editor(client)
    uri = editor.open(root / ".vouch/claims/jwt-cites.yaml")
    (found,) = editor.at(uri, knowledge.EVIDENCE, DEFINITION)
    assert found["uri"] == (root / "docs/auth.md").as_uri()
    rows = client.request("vouch/mentions", {"uri": uri})["mentions"]
    assert [row for row in rows if "collection" in row] == [], "of another knowledge base"
    assert rows


def test_files_have_uris_of_the_opened_folder(serve: Serve, library: Path, tmp_path: Path) -> None:
    (link := tmp_path / "link").symlink_to(library)
    client, uri = serve(link), f"{link.as_uri()}/docs/auth.md"
    tied = client.until("vouch/files", {"uri": uri}, lambda found: not found["degraded"])
    entity = client.request("vouch/entity", {"id": "jwt"})
    claims = [*tied["files"][0]["claims"], *entity["claims"]]
    cited = [citation for claim in claims for citation in claim["citations"]]
    assert {citation["document"].partition("#")[0] for citation in cited} == {uri}
    for row in (*claims, *cited, entity["entity"], *entity["pages"]):
        assert row["uri"].startswith(f"{link.as_uri()}/.vouch/")
    editor = Editor(client)
    cites = editor.open(link / ".vouch/claims/jwt-cites.yaml")
    (found,) = editor.at(cites, knowledge.EVIDENCE, DEFINITION)
    assert found["uri"] == uri
    assert f"({uri}#L3)" in editor.at(cites, "jwt-cites", HOVER)["contents"]["value"]
    both = [{"uri": folder.as_uri(), "name": ""} for folder in (link, library)]
    entity = serve(link, workspaceFolders=both).request("vouch/entity", {"id": "jwt"})["entity"]
    assert entity["uri"].startswith(f"{library.as_uri()}/.vouch/")


@pytest.mark.parametrize(
    "uri",
    [
        "{}/.vouch/claims/x.yaml",
        "file:///c%3A/project/.vouch/claims/x.yaml",
        "file:///.vouch/claims/%00.yaml",
        "untitled:.vouch/claims/x.yaml",
        "vscode-notebook-cell:/a/.vouch/claims/x.yaml#W0",
    ],
)
def test_ids_that_name_nothing(editor: Editor, library: Path, uri: str) -> None:
    text = knowledge.claim_text("x", "Nothing.", "no-such-thing", "../../../docs/auth")
    uri = editor.open(uri.format(library.as_uri()), text)
    for words in ("no-such", "|../../../docs"):
        assert editor.at(uri, words, HOVER) is None
        assert editor.at(uri, words, DEFINITION) is None
    editor.client.close(uri)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("redis", ("Redis", "redis")),
        ("json web", ("JWT", "jwt")),
        ("auth g", ("Auth guide", "auth")),
        ("jwt-exp", ("JWT access tokens expire after 15 minutes.", "jwt-expires")),
        ("", ("Auth guide", "auth")),  # and not the page about vouch itself
    ],
)
def test_symbols_of_the_workspace(editor: Editor, query: str, first: tuple[str, str]) -> None:
    found = editor.client.request("workspace/symbol", {"query": query})
    best = next(row for row in found if (row["name"], row["containerName"]) == first)
    assert found.index(best) < 3
    assert best["location"]["uri"].endswith((f"{first[1]}.yaml", f"{first[1]}.md"))
    assert "edit-in-obsidian" not in {row["containerName"] for row in found}


def complete(editor: Editor, path: Path, text: str) -> list[Any]:
    """What is offered at the `|` of a text."""
    uri = editor.open(path, text.replace("|", ""))
    found = editor.at(uri, text, "textDocument/completion")
    editor.client.close(uri)
    return [*found["items"]] if found else []


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("---\nid: n\nentities: [jwt, re|]\n---\n", ["redis"]),
        ("---\r\nid: n\r\nentities: [jwt, re|\r\n", ["redis"]),
        ("---\nid: n\nentities:\n- json web|\n---\n", ["jwt"]),
        ("---\nid: n\nentities:\n- |\n---\n", ["jwt", "redis"]),
        ("---\nid: n\nsources:\n- auth no|\n---\n", [knowledge.SOURCE]),
        ("---\nid: n\nclaims:\n- holds|\n---\n", ["redis-holds"]),
        ("---\nid: n|\n---\n", []),
        ("---\nid: n\n---\nSee [[red|\n", ["redis"]),
        ("---\nid: n\n---\nSee [claim: hold|]\n", ["redis-holds"]),
        ("---\nid: n\nclaims:\n- jwt old|\n---\n", []),  # it is retired
    ],
)
def test_ids_are_offered(editor: Editor, library: Path, text: str, offered: list[str]) -> None:
    items = complete(editor, library / ".vouch" / "pages" / "n.md", text)
    assert [item["label"] for item in items] == offered


def test_an_item_replaces_the_word_and_tells_what_it_is(editor: Editor, library: Path) -> None:
    """In pages, and nothing is offered outside of them."""
    text = "entities: [😀, Re|dis]\n"
    (item,) = complete(editor, library / ".vouch" / "pages" / "n.md", text)
    assert item["detail"] == "Redis · concept"
    start, end = ({"line": 0, "character": column} for column in (15, 20))
    assert item["textEdit"]["range"] == {"start": start, "end": end}
    for file in ("notes.yaml", ".vouch/claims/n.yaml", ".vouch/proposed/p.yaml"):
        assert complete(editor, library / file, text) == []
