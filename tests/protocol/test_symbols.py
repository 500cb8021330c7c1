"""Symbols of the workspace."""

from __future__ import annotations

import pytest

from tests.protocol.editor import Editor

SYMBOLS = "workspace/symbol"


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


def test_the_page_about_vouch_itself_is_no_symbol(editor: Editor) -> None:
    assert editor.ask(SYMBOLS, {"query": "obsidian"}) == []


def test_a_symbol_that_nothing_is_called_like(editor: Editor) -> None:
    assert editor.ask(SYMBOLS, {"query": "nothing is called (like) [this"}) == []
