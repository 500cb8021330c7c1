"""`vouch-sidecar doctor`: the real command, in environments that are well and others."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from vouch_sidecar.kb.discovery import RESIDENT
from vouch_sidecar.surfaces.cli.doctor import examined
from vouch_sidecar.surfaces.local.user_socket import Ownership

from tests.kb.samples import make_kb
from tests.protocol import knowledge
from tests.protocol.client import COMMAND, run_command

pytestmark = pytest.mark.process  # its trial of a hook is one


@pytest.fixture
def env(tmp_path: Path) -> Iterator[dict[str, str]]:
    with TemporaryDirectory(prefix="v") as runtime:
        yield {
            "HOME": str(tmp_path / "home"),
            "XDG_RUNTIME_DIR": runtime,
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}",
            "VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000",
        }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return knowledge.make(tmp_path / "home" / "project")


def doctor(root: Path, env: dict[str, str], code: int = 0) -> dict[str, list[dict[str, Any]]]:
    """The findings, by what they are about."""
    done = run_command("doctor", "--json", cwd=root, env=env, code=code)
    said = json.loads(done.stdout)
    assert said["healthy"] is (code == 0)
    found: dict[str, list[dict[str, Any]]] = {}
    for one in said["findings"]:
        found.setdefault(one["about"], []).append(one)
    return found


@pytest.fixture
def starting(env: dict[str, str]) -> Iterator[dict[str, str]]:
    """An environment in which hooks start a process, which ends with the test."""
    yield {**env, RESIDENT: "true"}
    run_command("stop", "--all", env=env)


def test_all_is_well(root: Path, starting: dict[str, str]) -> None:
    env, before = starting, knowledge.digest(root)
    found = doctor(root, env)
    assert str(root) in found["knowledge base"][0]["message"]
    assert found["contents of project"][0]["message"] == "3 claims, 2 entities, 0 pages"
    assert "the next hook starts one" in found["running sidecar"][0]["message"]
    assert found["trial prompt"][0]["state"] == "ok"
    assert found["PATH"][0]["message"] == str(COMMAND)
    assert knowledge.digest(root) == before
    assert not [*Path(env["XDG_RUNTIME_DIR"]).rglob("*.sock")], "the trial leaves no process"
    done = run_command("doctor", cwd=root, env=env)
    assert done.stdout.startswith(f"knowledge base\tok\t{root}")


def test_its_trials_are_no_sessions_of_an_agent(root: Path, starting: dict[str, str]) -> None:
    run_command("hook", "session-start", env=starting, said=json.dumps({"cwd": str(root)}))
    for _ in range(2):
        assert doctor(root, starting)["trial prompt"][0]["state"] == "ok"
    assert (
        json.loads(run_command("status", "--json", cwd=root, env=starting).stdout)["sessions"] == 0
    )


def test_a_process_that_hangs_serves_nobody(
    root: Path, starting: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vouch_sidecar.surfaces.cli.doctor.ANSWER_SECONDS", 0.1)
    owned = Ownership.take(starting)
    assert owned is not None
    findings = {one.about: one for one in examined(root, starting)}
    owned.release()
    assert findings["running sidecar"].state == "wrong"
    assert "does not answer" in findings["running sidecar"].message
    assert "trial prompt" not in findings


def test_a_pause_is_said_and_no_trial_sent(tmp_path: Path, starting: dict[str, str]) -> None:
    root = knowledge.make(tmp_path / "home" / "a project")
    run_command("pause", cwd=root, env=starting)
    found = doctor(root, starting)
    assert f"`vouch-sidecar resume --root '{root}'`" in found["knowledge base"][1]["message"]
    assert found["trial prompt"][0]["state"] == "note"
    assert "resumed" in run_command("resume", cwd=root, env=starting).stdout
    assert "paused" not in str(doctor(root, starting)), "nothing is left of it"
    assert "was not paused" in run_command("resume", cwd=root, env=starting).stdout


def test_what_is_wrong_is_said_with_exit_code_1(root: Path, env: dict[str, str]) -> None:
    (root / ".vouch" / "claims" / "bad.yaml").write_text("id: [", "utf-8")
    for host in (["claude-code"], ["zed"], ["zed", "--user"]):
        run_command("install", *host, cwd=root, env=env)
    settings = root / ".claude" / "settings.json"
    hook = {"type": "command", "command": "vouch context-hook || true"}
    settings.write_text(json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}}), "utf-8")
    manifest = root / ".claude/skills/vouch-sidecar/.claude-plugin/plugin.json"
    manifest.write_text("{}", "utf-8")
    found = doctor(root, env, code=1)
    assert "hooks start none" in found["running sidecar"][0]["message"]
    assert found["trial prompt"][0]["state"] == "note"
    (contents,) = found["contents of project"]
    assert contents["state"] == "wrong"
    assert contents["message"].startswith("3 claims, 2 entities, 0 pages; 1 problem, 1 file can't")
    ours, doubled = found["claude-code"]
    assert (ours["state"], doubled["state"]) == ("note", "wrong")
    assert ".claude-plugin/plugin.json; `vouch-sidecar install claude-code`" in ours["message"]
    assert ".claude/settings.json, line 1" in doubled["message"]
    assert "not on the PATH that Zed starts with" in found["zed"][0]["message"]
    assert found["zed --user"][0]["state"] == "ok", "which names an absolute path"


def test_without_a_knowledge_base(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "home" / "empty").mkdir(parents=True)
    found = doctor(tmp_path / "home" / "empty", env, code=1)
    assert "none found from" in found["knowledge base"][0]["message"]
    assert "`vouch init`" in found["knowledge base"][0]["message"]
    assert "trial prompt" not in found


def test_without_a_claim_no_trial_is_sent(tmp_path: Path, starting: dict[str, str]) -> None:
    root = make_kb(tmp_path / "home" / "project").parent
    (trial,) = doctor(root, starting)["trial prompt"]
    assert (trial["state"], trial["message"][:9]) == ("note", "none sent")
