"""The commands that every editor can run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.protocol import knowledge
from tests.protocol.client import indexed_client
from tests.protocol.editor import ABLE, Editor

EXECUTE = "workspace/executeCommand"


def test_experts_and_salience_are_commands(editor: Editor) -> None:
    found = editor.ask(EXECUTE, {"command": "vouch.experts", "arguments": ["jwt"]})
    assert found["experts"][0]["entity_id"] == "jwt"
    params = {"topic": "jwt", "limit": 1}
    same = editor.ask(EXECUTE, {"command": "vouch.experts", "arguments": [params]})
    assert [row["entity_id"] for row in same["experts"]] == ["jwt"]
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
