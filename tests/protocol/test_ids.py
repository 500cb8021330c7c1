"""Ids in files below `.vouch/`, whatever the URI of these, and artifacts as symbols."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.protocol import knowledge
from tests.protocol.conftest import Serve
from tests.protocol.editor import ABLE, Editor

HOVER = "textDocument/hover"
DEFINITION = "textDocument/definition"
SYMBOLS = "workspace/symbol"


@pytest.mark.parametrize(
    ("file", "words", "said"),
    [
        ("claims/jwt-cites.yaml", "|jwt']", "**JWT** · concept"),
        ("claims/jwt-cites.yaml", knowledge.EVIDENCE, "“Tokens expire.”"),
        ("claims/jwt-expires.yaml", knowledge.SOURCE, "**Auth notes** · source · file"),
        ("claims/jwt-expires.yaml", "jwt-expires", "fact · stable · confidence 0.90 · 2026-05-04"),
        ("pages/auth.md", "jwt-expires", "**JWT access tokens expire after 15 minutes.**"),
        (
            "pages/auth.md",
            "[claim: |jwt-rotates",
            "**Refresh tokens for JWT rotate on every use.**",
        ),
        ("pages/auth.md", "[[red|is", "**Redis** · concept"),
        ("pages/auth.md", "auth", "**Auth guide** · page · concept · active"),
        ("relations/jwt-uses-redis.yaml", "target: |redis", "**Redis** · concept"),
        (f"evidence/{knowledge.EVIDENCE}.yaml", knowledge.SOURCE, "**Auth notes** · source"),
    ],
)
def test_hover_says_what_an_id_names(
    editor: Editor, library: Path, file: str, words: str, said: str
) -> None:
    uri = editor.open(library / ".vouch" / file)
    found = editor.at(uri, words, HOVER)
    assert said in found["contents"]["value"]
    assert editor.said({"uri": uri, "range": found["range"]}) in words.replace("|", "")


@pytest.mark.parametrize(
    ("file", "words", "target", "line"),
    [
        ("claims/jwt-cites.yaml", "|jwt']", ".vouch/entities/jwt.yaml", 0),
        ("claims/jwt-cites.yaml", knowledge.EVIDENCE, "docs/auth.md", 2),
        ("claims/jwt-old.yaml", "superseded_by: |jwt", ".vouch/claims/jwt-expires.yaml", 0),
        ("pages/auth.md", knowledge.SOURCE, "docs/auth.md", 0),
        ("pages/auth.md", "[[red|is", ".vouch/entities/redis.yaml", 0),
        ("relations/jwt-uses-redis.yaml", "source: |jwt", ".vouch/entities/jwt.yaml", 0),
    ],
)
def test_definition_leads_to_what_an_id_names(
    editor: Editor, library: Path, file: str, words: str, target: str, line: int
) -> None:
    uri = editor.open(library / ".vouch" / file)
    (found,) = editor.at(uri, words, DEFINITION)
    assert found["uri"] == (library / target).as_uri()
    assert found["range"]["start"] == {"line": line, "character": 0}


@pytest.mark.parametrize("method", [HOVER, DEFINITION])
def test_an_id_that_names_nothing(editor: Editor, library: Path, method: str) -> None:
    text = knowledge.claim_text("x", "Nothing.", "no-such-thing", "../../../docs/auth")
    uri = editor.open(library / ".vouch" / "claims" / "x.yaml", text)
    assert editor.at(uri, "no-such", method) is None
    assert editor.at(uri, "|../../../docs", method) is None


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_ids_of_a_file_that_is_being_written(editor: Editor, library: Path, end: str) -> None:
    text = f"id: y\ntext: 'unfinished\nevidence: [{knowledge.EVIDENCE}\nentities:\n- redis\n- "
    uri = editor.open(library / ".vouch" / "claims" / "y.yaml", text.replace("\n", end))
    for named, said in (("redis", "**Redis**"), (knowledge.EVIDENCE, "“Tokens expire.”")):
        assert said in editor.at(uri, named, HOVER)["contents"]["value"]


def test_uris_are_answered_in_the_spelling_of_the_client(serve: Serve, tmp_path: Path) -> None:
    root = knowledge.library(tmp_path / "a b@c")
    odd = str(root.as_uri()).replace("@", "%40").replace("p", "%70", 1)
    client = serve(root, capabilities=ABLE)
    editor = Editor(client)
    claim = editor.open(
        f"{odd}/.vouch/claims/jwt%2Drotates.yaml",
        (root / ".vouch/claims/jwt-rotates.yaml").read_text("utf-8"),
    )
    page = editor.open(
        f"{odd}/%2Evouch/pages/auth.md", (root / ".vouch/pages/auth.md").read_text("utf-8")
    )
    (found,) = editor.at(page, "jwt-rotates", DEFINITION)
    assert found["uri"] == claim


@pytest.mark.parametrize(
    "uri",
    [
        "file:///c%3A/project/.vouch/claims/x.yaml",
        "file://server/share/.vouch/claims/x.yaml",
        "file:///.vouch/claims/%00.yaml",
        "untitled:.vouch/claims/x.yaml",
        "vscode-notebook-cell:/a/.vouch/claims/x.yaml#W0",
    ],
)
def test_uris_of_other_machines_and_systems(editor: Editor, uri: str) -> None:
    editor.open(uri, "id: x\nentities: [nothing, is, here]\n")
    assert editor.at(uri, "nothing", HOVER) is None
    assert editor.at(uri, "nothing", DEFINITION) is None
    editor.client.close(uri)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("redis", ("Redis", "redis")),
        ("json web", ("JWT", "jwt")),
        ("auth g", ("Auth guide", "auth")),
        ("jwt-exp", ("JWT access tokens expire after 15 minutes.", "jwt-expires")),
        ("jwt rot", ("Refresh tokens for JWT rotate on every use.", "jwt-rotates")),
        ("", ("Auth guide", "auth")),
    ],
)
def test_symbols_of_the_workspace(editor: Editor, query: str, first: tuple[str, str]) -> None:
    found = editor.ask(SYMBOLS, {"query": query})
    best = next(row for row in found if (row["name"], row["containerName"]) == first)
    assert found.index(best) < 3
    assert best["location"]["uri"].endswith((f"{first[1]}.yaml", f"{first[1]}.md"))


@pytest.mark.parametrize("query", ["obsidian", "nothing is called (like) [this"])
def test_what_is_no_symbol(editor: Editor, query: str) -> None:
    """The page about vouch itself, and what nothing is called."""
    assert editor.ask(SYMBOLS, {"query": query}) == []
