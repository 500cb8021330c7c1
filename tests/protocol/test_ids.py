"""Hover and definition on the ids that stand in files below `.vouch/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.protocol import knowledge
from tests.protocol.editor import Editor

HOVER = "textDocument/hover"
DEFINITION = "textDocument/definition"


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
