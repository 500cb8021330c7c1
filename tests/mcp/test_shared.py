"""An agent over MCP and an editor over LSP: one table of sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.mcp.client import content_of, host, text_of
from tests.protocol.client import running

GIVEN: dict[str, Any] = {
    "task": "Is Redis the right place for the sessions?",
    "session_id": "agent",
    "repeat": False,
}
SAID = "Redis holds the sessions."


def test_a_session_lives_in_the_editor_and_ends_with_it(root: Path, env: dict[str, str]) -> None:
    """What it was given may be said once more then, and not again."""
    with host(root, env) as mcp, running(cwd=root, env=env) as editor:

        def is_given() -> bool:
            return SAID in text_of(mcp.call("context", **GIVEN))

        def pushed(session_id: str, since: int = 0) -> list[str]:
            """What the editor is told of a session."""

            def wanted(message: dict[str, Any]) -> bool:
                is_push = message.get("method") == "vouch/didChangeSalience"
                return is_push and message["params"]["session_id"] == session_id

            rows = editor.wait(wanted, since)["params"]["salience"]
            return [row["entity_id"] for row in rows]

        mcp.call("status")
        editor.initialize(root)
        editor.indexed()
        assert is_given()
        assert pushed("agent") == ["redis"]
        assert not is_given()
        mcp.call("search", query="Redis", session_id="searcher")
        assert pushed("searcher") == ["redis"]
        since = len(editor.received)
        mcp.call("session_end", session_id="searcher")
        assert pushed("searcher", since) == []
        editor.process.kill()
        assert content_of(mcp.call("salience", session_id="agent"))["salience"] == []
        assert is_given()
        assert not is_given()
