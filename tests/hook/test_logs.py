"""Logs: a line for whatever happens, and no prompt in any of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping

from tests.engine.processes import until
from tests.hook.conftest import Place
from tests.protocol import knowledge
from tests.protocol.client import run_command, running

SECRET = "purple-elephant"
PROMPT = f"Is Redis the place for {SECRET}?"


def hooked(
    place: Place, *options: str, env: Mapping[str, str] | None = None, **given: str
) -> subprocess.CompletedProcess[str]:
    """A hook that was given a prompt or an answer, and has time enough."""
    payload = {"session_id": "agent", "cwd": str(place.root), **given}
    whole = {**place.env, "VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000", **(env or {})}
    return run_command("hook", *options, env=whole, said=json.dumps(payload))


def test_every_kind_of_step_has_a_line(place: Place) -> None:
    env = {**place.env, "VOUCH_SIDECAR_LOG": "debug"}
    with running("lsp", cwd=place.root, env=env) as client:
        client.initialize(place.root)
        client.indexed()
        until(lambda: any((place.runtime / "vouch-sidecar").glob("*.sock")))
        client.open("vouch-prompt:///A/1", PROMPT, "vouch-prompt")
        client.wait(lambda message: message.get("method") == "vouch/didChangeSalience")
        client.request("vouch/experts", {"topic": SECRET})
        client.refused("vouch/experts", {"topic": SECRET, "limit": SECRET})
        assert hooked(place, "user-prompt-submit", prompt=PROMPT).stdout
        (place.base / "changed").touch()
        knowledge.claim(place.root, "redis-fast", "Redis answers within a millisecond.", "redis")
        wanted = (
            "experts for ",
            "push: 1 in play, 1 fresh",
            "reconciled all files of 'project'",
            "published generation",
            "hook user-prompt-submit:",
            "refused: limit",
        )
        for line in wanted:
            until(lambda line=line: line in client.errors.decode())  # type: ignore[misc]
        until(lambda: client.errors.count(b"published generation") > 1)
    assert SECRET not in client.errors.decode()
