"""The commands that every editor can run."""

from __future__ import annotations

from pathlib import Path

from tests.protocol import knowledge
from tests.protocol.client import indexed_client
from tests.protocol.editor import Editor

EXECUTE = "workspace/executeCommand"


def test_a_command_that_is_none_is_refused(editor: Editor) -> None:
    assert editor.client.refused(EXECUTE, {"command": "vouch.nothing"})["code"] == -32602


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
