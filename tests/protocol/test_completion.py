"""Ids of artifacts where they stand in pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.protocol import knowledge
from tests.protocol.editor import Editor

METHOD = "textDocument/completion"


def complete(editor: Editor, path: Path, text: str) -> list[Any]:
    """What is offered at the `|` of a text."""
    uri = editor.open(path, text.replace("|", ""))
    offset = text.index("|")
    found = editor.ask(
        METHOD, {"textDocument": {"uri": uri}, "position": editor.position(uri, offset)}
    )
    editor.client.close(uri)
    items: list[Any] = [] if found is None else found["items"]
    return items


def labels(items: list[Any]) -> list[str]:
    return [item["label"] for item in items]


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("---\nid: n\nentities:\n- re|\n---\n", ["redis"]),
        ("---\nid: n\nentities: [jwt, re|]\n---\n", ["redis"]),
        ("---\r\nid: n\r\nentities: [jwt, re|\r\n", ["redis"]),
        ("---\nid: n\nentities:\n- json web|\n---\n", ["jwt"]),
        ("---\nid: n\nentities:\n- TOKEN|\n---\n", ["jwt"]),
        ("---\nid: n\nentities:\n- |\n---\n", ["jwt", "redis"]),
        ("---\nid: n\nsources:\n- auth no|\n---\n", [knowledge.SOURCE]),
        ("---\nid: n\nsources:\n- ev-|\n---\n", [knowledge.EVIDENCE]),
        ("---\nid: n\nclaims:\n- holds|\n---\n", ["redis-holds"]),
        ("---\nid: n\nclaims:\n- jwt rot|\n---\n", ["jwt-rotates"]),
        ("---\nid: n|\n---\n", []),
        ("---\nid: n\ntitle: red|\n---\n", []),
        ("---\nid: n\nstatus: |\n---\n", []),
        ("---\nid: n\n---\nSee [[red|\n", ["redis"]),
        ("---\nid: n\n---\nSee [[gui|\n", ["auth"]),
        ("---\nid: n\n---\nSee [claim: hold|]\n", ["redis-holds"]),
        ("---\nid: n\nclaims:\n- jwt old|\n---\n", []),  # it is retired
    ],
)
def test_ids_are_offered(editor: Editor, library: Path, text: str, offered: list[str]) -> None:
    assert labels(complete(editor, library / ".vouch" / "pages" / "n.md", text)) == offered


def test_an_item_replaces_the_word_and_tells_what_it_is(editor: Editor, library: Path) -> None:
    path = library / ".vouch" / "pages" / "n.md"
    (item,) = complete(editor, path, "entities: [😀, Re|dis]\n")
    assert item["detail"] == "Redis · concept"
    assert item["textEdit"]["range"] == {
        "start": {"line": 0, "character": 15},
        "end": {"line": 0, "character": 20},
    }


@pytest.mark.parametrize("file", ["notes.yaml", ".vouch/claims/n.yaml", ".vouch/proposed/p.yaml"])
def test_nothing_is_offered_outside_of_pages(editor: Editor, library: Path, file: str) -> None:
    assert complete(editor, library / file, "entities:\n- re|\n") == []
