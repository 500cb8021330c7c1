"""Ids and words where they stand in files below `.vouch/`."""

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
    return [one["label"] for one in items]


@pytest.mark.parametrize(
    ("file", "text", "offered"),
    [
        ("claims/n.yaml", "id: n\nentities:\n- re|\n", ["redis"]),
        ("claims/n.yaml", "id: n\nentities: [jwt, re|]\n", ["redis"]),
        ("claims/n.yaml", "id: n\r\nentities: [jwt, re|\r\n", ["redis"]),
        ("claims/n.yaml", "id: n\nentities:\n- json web|\n", ["jwt"]),
        ("claims/n.yaml", "id: n\nentities:\n- TOKEN|\n", ["jwt"]),
        ("claims/n.yaml", "id: n\ntext: About Redis.\nentities:\n- |\n", ["redis", "jwt"]),
        ("claims/n.yaml", "id: n\nevidence:\n- auth no|\n", [knowledge.SOURCE]),
        ("claims/n.yaml", "id: n\nevidence:\n- ev-|\n", [knowledge.EVIDENCE]),
        ("claims/n.yaml", "id: n\nsupersedes:\n- holds|\n", ["redis-holds"]),
        ("claims/n.yaml", "id: n\nsupersedes:\n- refresh tokens rot|\n", ["jwt-rotates"]),
        ("claims/n.yaml", "id: n\nsuperseded_by: |\n", None),
        ("claims/n.yaml", "id: n|\n", []),
        ("claims/n.yaml", "id: n\ntext: red|\n", []),
        ("relations/n.yaml", "id: n\nsource: redi|\n", ["redis", "redis-holds"]),
        ("relations/n.yaml", "id: n\nrelation: |\n", None),
        ("pages/n.md", "---\nid: n\n---\nSee [[red|\n", ["redis"]),
        ("pages/n.md", "---\nid: n\n---\nSee [claim: hold|]\n", ["redis-holds"]),
        ("pages/n.md", "---\nid: n\n---\nstatus: |\n", []),
        ("entities/n.yaml", "id: n\npage: gui|\n", ["auth"]),
        ("proposed/p.yaml", "kind: claim\npayload:\n  entities:\n  - red|\n", ["redis"]),
    ],
)
def test_ids_are_offered(
    editor: Editor, library: Path, file: str, text: str, offered: list[str] | None
) -> None:
    found = labels(complete(editor, library / ".vouch" / file, text))
    if offered is None:
        assert found
    else:
        assert found == offered


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("status: |\n", "actionable"),
        ("type: |\n", "decision"),
        ("scope:\n  visibility: p|\n", "private"),
    ],
)
def test_words_are_offered(editor: Editor, library: Path, text: str, first: str) -> None:
    assert labels(complete(editor, library / ".vouch" / "claims" / "n.yaml", text))[0] == first


def test_what_is_retired_is_not_offered(editor: Editor, library: Path) -> None:
    path = library / ".vouch" / "claims" / "n.yaml"
    assert "jwt-old" not in labels(complete(editor, path, "contradicts:\n- jwt|\n"))


def test_an_item_replaces_the_word_and_tells_what_it_is(editor: Editor, library: Path) -> None:
    path = library / ".vouch" / "claims" / "n.yaml"
    (item,) = complete(editor, path, "entities: [😀, Re|dis]\n")
    assert item["detail"] == "Redis · concept"
    assert item["textEdit"]["range"] == {
        "start": {"line": 0, "character": 15},
        "end": {"line": 0, "character": 20},
    }
    assert "documentation" not in item
    editor.open(path, "entities: [Re]\n")
    resolved = editor.ask("completionItem/resolve", item)
    assert "**Redis**" in resolved["documentation"]["value"]
    editor.client.close(path.as_uri())


def test_nothing_is_offered_in_other_documents(editor: Editor, library: Path) -> None:
    assert complete(editor, library / "notes.yaml", "entities:\n- re|\n") == []
