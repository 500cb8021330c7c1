"""While a knowledge base is paused, nothing of it is said unasked, and nothing is recorded."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.protocol.client import Client, hover, run_command

PROMPT = {"session_id": "agent", "text": "How long do JWT tokens live?"}


def paused(client: Client) -> Any:
    return client.request("vouch/status", {})["roots"][0]["paused_until"]


def test_pushes_and_hover_are_silent_and_nothing_is_recorded(client: Client) -> None:
    client.notify("vouch/prompt", PROMPT)
    client.pushed("agent", ["jwt"])
    since = len(client.received)
    answer = client.request("vouch/pause", {"seconds": 3600})
    ends = datetime.fromisoformat(answer["paused_until"])
    assert 3500 < (ends - datetime.now(UTC)).total_seconds() <= 3600
    assert paused(client) == answer["paused_until"]
    client.pushed("agent", [], since)
    client.notify("vouch/prompt", {"session_id": "agent", "text": "Where does Redis keep it?"})
    assert hover(client, "JWT\n", 0, 1) is None
    assert client.request("vouch/search", {"query": "tokens"})["hits"], "what is asked is answered"
    assert client.request("vouch/pause", {"seconds": 0}) == {"paused_until": None}
    assert hover(client, "JWT\n", 0, 1) is not None
    assert client.in_play("agent") == ["jwt"]


def test_the_shell_pauses_for_an_editor(client: Client, root: Path) -> None:
    client.notify("vouch/prompt", PROMPT)
    client.pushed("agent", ["jwt"])
    since = len(client.received)
    assert "paused until 2" in run_command("pause", "--root", root, "--for", "1h").stdout
    client.pushed("agent", [], since)
    assert run_command("pause", "--root", root).stdout.endswith("vouch-sidecar resume`\n")
    assert paused(client) == "2100-01-01T00:00:00+00:00"
    since = len(client.received)
    run_command("resume", "--root", root)
    client.pushed("agent", ["jwt"], since)
