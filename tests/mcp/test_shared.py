"""An agent over MCP and an editor over LSP: one table of sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from mcp import ClientSession

from tests.mcp.client import called, connected, content_of, text_of
from tests.protocol.client import Client, running

PROMPT = "Is Redis the right place for the sessions?"
GIVEN: dict[str, Any] = {"task": PROMPT, "session_id": "agent", "repeat": False}
SAID = "Redis holds the sessions."
PUSHED = "vouch/didChangeSalience"


async def given(session: ClientSession) -> bool:
    """Whether the claim is given to the agent."""
    return SAID in text_of(await called(session, "kb_context", **GIVEN))


async def pushed(editor: Client, session_id: str, since: int = 0) -> list[str]:
    """What the editor is told of a session."""

    def wanted(message: dict[str, Any]) -> bool:
        return message.get("method") == PUSHED and message["params"]["session_id"] == session_id

    push = await anyio.to_thread.run_sync(editor.wait, wanted, since)
    return [row["entity_id"] for row in push["params"]["salience"]]


def begin(editor: Client, root: Path) -> None:
    editor.initialize(root)
    editor.indexed()


def test_a_session_lives_in_the_editor_and_ends_with_it(root: Path, env: dict[str, str]) -> None:
    """What it was given may be said once more then, and not again."""

    async def talk(session: ClientSession) -> None:
        await called(session, "kb_status")
        await anyio.to_thread.run_sync(begin, editor, root)
        assert await given(session)
        assert await pushed(editor, "agent") == ["redis"]
        assert not await given(session)
        await called(session, "kb_search", query="Redis", session_id="searcher")
        assert await pushed(editor, "searcher") == ["redis"]
        since = len(editor.received)
        await called(session, "kb_session_end", session_id="searcher")
        assert await pushed(editor, "searcher", since) == []
        editor.process.kill()
        ranked = await called(session, "kb_salience", session_id="agent")
        assert content_of(ranked)["salience"] == []
        assert await given(session)
        assert not await given(session)

    with running(cwd=root, env=env) as editor:
        connected(root, env, talk)


def test_the_agent_is_asked_as_itself(root: Path, env: dict[str, str]) -> None:
    private = root / ".vouch" / "claims" / "redis-holds.yaml"
    open_to_all = private.read_text("utf-8")
    private.write_text(open_to_all + "scope: {visibility: private, agent: alice}\n", "utf-8")
    with running(cwd=root, env=env) as editor:
        begin(editor, root)
        assert not connected(root, {**env, "VOUCH_AGENT": "bob"}, given)
        assert connected(root, {**env, "VOUCH_AGENT": "alice"}, given)
    private.write_text(open_to_all, "utf-8")
