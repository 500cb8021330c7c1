"""An agent over MCP and an editor over LSP: one table of sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from mcp import ClientSession

from tests.mcp.client import called, connected, content_of, text_of
from tests.protocol.client import Client, running

PROMPT = "Is Redis the right place for the sessions?"
GIVEN: dict[str, Any] = {"task": PROMPT, "session_id": "agent", "repeat": False}
PUSHED = "vouch/didChangeSalience"


def _pushed(editor: Client, session_id: str, since: int = 0) -> dict[str, Any]:
    """What the editor is told of a session."""

    def wanted(message: dict[str, Any]) -> bool:
        return message.get("method") == PUSHED and message["params"]["session_id"] == session_id

    params: dict[str, Any] = editor.wait(wanted, since)["params"]
    return params


def _edits(root: Path, env: dict[str, str], program: Path | None = None) -> Any:
    return running(cwd=root, env=env, program=program)


@pytest.mark.parametrize("first", ["editor", "agent"])
def test_a_prompt_to_the_agent_shows_up_in_the_editor(
    root: Path, env: dict[str, str], first: str
) -> None:
    with _edits(root, env) as editor:

        async def talk(session: ClientSession) -> str:
            if first == "agent":
                await called(session, "kb_status")
                await anyio.to_thread.run_sync(_begin, editor, root)
            said = text_of(await called(session, "kb_context", **GIVEN))
            push = await anyio.to_thread.run_sync(_pushed, editor, "agent")
            assert [row["entity_id"] for row in push["salience"]] == ["redis"]
            return said

        if first == "editor":
            _begin(editor, root)
        assert "Redis holds the sessions." in connected(root, env, talk)


def _begin(editor: Client, root: Path) -> None:
    editor.initialize(root)
    editor.indexed()


def test_every_tool_that_names_a_session_is_told(root: Path, env: dict[str, str]) -> None:
    with _edits(root, env) as editor:
        _begin(editor, root)

        async def talk(session: ClientSession) -> None:
            await called(session, "kb_search", query="Redis", session_id="searcher")
            push = await anyio.to_thread.run_sync(_pushed, editor, "searcher")
            assert [row["entity_id"] for row in push["salience"]] == ["redis"]
            since = len(editor.received)
            await called(session, "kb_session_end", session_id="searcher")
            push = await anyio.to_thread.run_sync(_pushed, editor, "searcher", since)
            assert push["salience"] == []

        connected(root, env, talk)


def test_what_was_given_to_a_session_is_known_whoever_gave_it(
    root: Path, env: dict[str, str]
) -> None:
    async def given(session: ClientSession) -> str:
        return text_of(await called(session, "kb_context", **GIVEN))

    with _edits(root, env) as editor:
        _begin(editor, root)
        assert "Redis holds the sessions." in connected(root, env, given)
        assert "Redis holds the sessions." not in connected(root, env, given)


def test_the_agent_is_asked_as_itself(root: Path, env: dict[str, str]) -> None:
    private = root / ".vouch" / "claims" / "redis-holds.yaml"
    open_to_all = private.read_text("utf-8")
    private.write_text(open_to_all + "scope: {visibility: private, agent: alice}\n", "utf-8")

    async def talk(session: ClientSession) -> str:
        asked = {"task": PROMPT, "session_id": "agent"}
        return text_of(await called(session, "kb_context", **asked))

    with _edits(root, env) as editor:
        _begin(editor, root)
        assert "holds the sessions" in connected(root, {**env, "VOUCH_AGENT": "alice"}, talk)
        assert "holds the sessions" not in connected(root, {**env, "VOUCH_AGENT": "bob"}, talk)
    private.write_text(open_to_all, "utf-8")


def test_a_session_ends_with_the_process_that_held_the_socket(
    root: Path, env: dict[str, str]
) -> None:
    """What it was given may be said once more, and then not again."""
    with _edits(root, env) as editor:
        _begin(editor, root)

        async def given(session: ClientSession) -> str:
            asked = {"task": PROMPT, "session_id": "agent", "repeat": False}
            return text_of(await called(session, "kb_context", **asked))

        async def talk(session: ClientSession) -> None:
            assert "Redis holds the sessions." in await given(session)
            await anyio.to_thread.run_sync(_pushed, editor, "agent")
            assert "Redis holds the sessions." not in await given(session)
            editor.process.kill()
            ranked = await called(session, "kb_salience", session_id="agent")
            assert content_of(ranked)["salience"] == []
            assert "Redis holds the sessions." in await given(session)
            assert "Redis holds the sessions." not in await given(session)

        connected(root, env, talk)
