"""Logs: a line for whatever happens, and no prompt in any of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

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
    file = place.base / "sidecar.log"
    with running("lsp", "--log-file", str(file), cwd=place.root, env=place.env) as client:
        client.initialize(place.root)
        client.indexed()
        until(lambda: any((place.runtime / "vouch-sidecar").glob("*.sock")))
        client.open("vouch-prompt:///A/1", PROMPT, "vouch-prompt")
        client.wait(lambda message: message.get("method") == "vouch/didChangeSalience")
        client.request("vouch/experts", {"topic": SECRET})
        client.refused("vouch/experts", {"topic": SECRET, "limit": SECRET})
        assert hooked(place, "user-prompt-submit", prompt=PROMPT).stdout
        answer = f"Redis holds {SECRET}."
        assert not hooked(place, "stop", last_assistant_message=answer).stdout
        (place.base / "changed").touch()
        knowledge.claim(place.root, "redis-fast", "Redis answers within a millisecond.", "redis")
        wanted = (
            "vouch/experts",
            "experts for ",
            "push: 1 in play, 1 fresh",
            "reconciled all files of 'project'",
            "published generation",
            "hook user-prompt-submit:",
            "hook stop:",
            "refused: limit",
        )
        for line in wanted:
            until(lambda line=line: line in file.read_text("utf-8"))  # type: ignore[misc]
        until(lambda: file.read_text("utf-8").count("published generation") > 1)
    text = file.read_text("utf-8")
    assert SECRET not in text
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("where", ["stderr", "file"])
def test_a_hook_says_what_it_did(place: Place, where: str) -> None:
    file = place.base / "hook.log"
    options = ["--log-file", str(file)] if where == "file" else []
    env = {} if where == "file" else {"VOUCH_SIDECAR_LOG": "debug"}
    done = hooked(place, "user-prompt-submit", *options, prompt=PROMPT, env=env)
    assert "additionalContext" in done.stdout
    said = file.read_text("utf-8") if where == "file" else done.stderr
    assert "hook user-prompt-submit:" in said
    assert SECRET not in said
    assert (done.stderr == "") is (where == "file")


@pytest.mark.usefixtures("server")
def test_no_log_without_asking_and_none_in_a_knowledge_base(place: Place) -> None:
    assert hooked(place, "user-prompt-submit", prompt=PROMPT).stderr == ""
    inside = place.root / ".vouch" / "x.log"
    hooked(place, "user-prompt-submit", "--log-file", str(inside), prompt=PROMPT)
    refused = run_command("jsonl", "--log-file", inside, code=2)
    assert "knowledge base" in refused.stderr
    assert not inside.exists()


def test_a_log_file_is_appended_to(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    file.write_text("before\n", "utf-8")
    asked = '{"id": 1, "method": "kb.status"}\n{"id": 2, "method": "kb.nothing"}\n'
    run_command("jsonl", "--log-file", file, cwd=place.root, env=place.env, said=asked)
    before, *lines = file.read_text("utf-8").splitlines()
    assert before == "before"
    assert any("status for jsonl" in line for line in lines)
    assert any("refused: method_not_found" in line for line in lines)
