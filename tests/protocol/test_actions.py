"""Ready command lines of vouch, and the commands that every editor can run."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.protocol import knowledge
from tests.protocol.client import indexed_client
from tests.protocol.editor import ABLE, Editor

ACTIONS = "textDocument/codeAction"
EXECUTE = "workspace/executeCommand"


def actions(editor: Editor, path: Path, words: str, **context: Any) -> list[Any]:
    uri = editor.open(path)
    place = editor.position(uri, editor.texts[uri].index(words))
    found = editor.ask(
        ACTIONS,
        {
            "textDocument": {"uri": uri},
            "range": {"start": place, "end": place},
            "context": {"diagnostics": [], **context},
        },
    )
    items: list[Any] = found or []
    return items


@pytest.mark.parametrize(
    ("file", "words", "lines"),
    [
        (
            "claims/jwt-expires.yaml",
            "jwt-expires",
            ["vouch confirm jwt-expires", "vouch supersede jwt-expires NEW_CLAIM_ID"],
        ),
        (
            "claims/jwt-expires.yaml",
            knowledge.SOURCE,
            [f"vouch propose-claim --source {knowledge.SOURCE} --text TEXT"],
        ),
        (
            "entities/jwt.yaml",
            "jwt",
            ["vouch propose-relation --from jwt --rel RELATION --to ID"],
        ),
        ("pages/auth.md", "jwt-old", []),
    ],
)
def test_command_lines(
    editor: Editor, library: Path, file: str, words: str, lines: list[str]
) -> None:
    found = actions(editor, library / ".vouch" / file, words)
    assert [one["command"]["arguments"][0] for one in found][: len(lines) or None] == lines
    assert not any("edit" in one for one in found)


def test_an_entity_that_is_not_there_can_be_proposed(editor: Editor, library: Path) -> None:
    path = library / ".vouch" / "claims" / "z.yaml"
    uri = editor.open(path, "id: z\nentities:\n- it's; rm -rf\n")
    place = {"line": 2, "character": 3}
    found = editor.ask(
        ACTIONS,
        {
            "textDocument": {"uri": uri},
            "range": {"start": place, "end": place},
            "context": {"diagnostics": []},
        },
    )
    assert found[0]["kind"] == "quickfix"
    line = found[0]["command"]["arguments"][0]
    assert line == """vouch propose-entity --name 'it'"'"'s; rm -rf' --type TYPE"""
    editor.client.close(uri)


def test_only_what_was_asked_for(editor: Editor, library: Path) -> None:
    path = library / ".vouch" / "claims" / "jwt-expires.yaml"
    assert actions(editor, path, "jwt-expires", only=["refactor"]) == []


def test_a_client_that_can_copy_does(library: Path) -> None:
    able = copy.deepcopy(ABLE)
    able["experimental"] = {"vouch": {"commands": ["vouchSidecar.copyText"]}}
    del able["textDocument"]["codeAction"]["codeActionLiteralSupport"]
    with indexed_client(library, capabilities=able) as client:
        path = library / ".vouch" / "claims" / "jwt-expires.yaml"
        first, *_ = actions(Editor(client), path, "jwt-expires")
    assert first == {
        "title": "Copy: vouch confirm jwt-expires",
        "command": "vouchSidecar.copyText",
        "arguments": ["vouch confirm jwt-expires"],
    }


def test_others_are_shown_the_line(editor: Editor, library: Path) -> None:
    path = library / ".vouch" / "claims" / "jwt-expires.yaml"
    first, *_ = actions(editor, path, "jwt-expires")
    since = len(editor.client.received)
    command = {name: first["command"][name] for name in ("command", "arguments")}
    assert editor.ask(EXECUTE, command) is None
    shown = editor.client.notified("window/showMessage", since)
    assert shown == {"type": 3, "message": "vouch confirm jwt-expires"}


def test_experts_and_salience_are_commands(editor: Editor) -> None:
    found = editor.ask(EXECUTE, {"command": "vouch.experts", "arguments": ["jwt"]})
    assert found["experts"][0]["entity_id"] == "jwt"
    params = {"topic": "jwt", "limit": 1}
    same = editor.ask(EXECUTE, {"command": "vouch.experts", "arguments": [params]})
    assert [one["entity_id"] for one in same["experts"]] == ["jwt"]
    assert editor.ask(EXECUTE, {"command": "vouch.salience"})["salience"] == []


def test_a_claim_is_opened(library: Path) -> None:
    with indexed_client(library, reply=lambda _: {"success": True}, capabilities=ABLE) as client:
        place = Editor(client).ask(
            EXECUTE, {"command": "vouch.openClaim", "arguments": ["jwt-expires"]}
        )
        shown = client.notified("window/showDocument")
    assert shown["uri"] == place["uri"]
    assert place["uri"].endswith("/claims/jwt-expires.yaml")


@pytest.mark.parametrize(
    "params",
    [
        {"command": "vouch.nothing"},
        {"command": "vouch.experts"},
        {"command": "vouch.experts", "arguments": [7]},
        {"command": "vouch.openClaim", "arguments": ["no such claim"]},
        {"command": "vouch.openClaim", "arguments": []},
    ],
)
def test_bad_commands_are_refused(editor: Editor, params: Any) -> None:
    assert editor.client.refused(EXECUTE, params)["code"] == -32602


def test_what_changed_lately(tmp_path: Path) -> None:
    root = knowledge.library(tmp_path / "project")
    private = "scope: {visibility: private, agent: ada}\n"
    knowledge.claim(root, "hers", "Redis is hers.", "redis", more=private)
    with indexed_client(root) as client:

        def changed(*arguments: object) -> list[str]:
            found = client.request(EXECUTE, {"command": "vouch.changed", "arguments": [*arguments]})
            return sorted(claim["id"] for claim in found)

        assert changed("2026-05-01") == ["jwt-cites", "jwt-expires", "jwt-rotates", "redis-holds"]
        assert changed("2026-05-05") == changed("1h") == []
        for bad in ("soon", "", "99999999y", 7):
            refused = client.refused(EXECUTE, {"command": "vouch.changed", "arguments": [bad]})
            assert refused["code"] == -32602
