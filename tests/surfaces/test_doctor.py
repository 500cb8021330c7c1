"""`vouch-sidecar doctor`: the real command, in environments that are well and others."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from vouch_sidecar.kb.discovery import RESIDENT
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


def doctor(root: Path, env: dict[str, str], code: int = 0) -> dict[str, list[tuple[str, str]]]:
    """The states and messages of the findings, by what they are about."""
    done = run_command("doctor", cwd=root, env=env, code=code)
    found: dict[str, list[tuple[str, str]]] = {}
    for line in done.stdout.splitlines():
        about, state, message = line.split("\t")
        found.setdefault(about, []).append((state, message))
    assert ("wrong" in done.stdout) is (code == 1)
    return found


@pytest.fixture
def starting(env: dict[str, str]) -> Iterator[dict[str, str]]:
    """An environment in which hooks start a process, which ends with the test."""
    yield {**env, RESIDENT: "true"}
    run_command("stop", "--all", env=env)


def test_all_is_well_and_its_trials_are_no_sessions(root: Path, starting: dict[str, str]) -> None:
    env, before = starting, knowledge.digest(root)
    found = doctor(root, env)
    holds = f"{root}: 3 claims, 2 entities, 0 pages"
    assert found["knowledge base"] == [("ok", holds)]
    ((state, said),) = found["prompt hook"]
    assert (state, f"by the process at {env['XDG_RUNTIME_DIR']}" in said) == ("ok", True)
    assert found["PATH"] == [("ok", str(COMMAND))]
    assert doctor(root, env)["prompt hook"][0][0] == "ok"
    assert json.loads(run_command("status", "--json", cwd=root, env=env).stdout)["sessions"] == 0
    assert knowledge.digest(root) == before


def test_a_process_that_hangs_answers_no_trial(
    root: Path, starting: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vouch_sidecar.surfaces.cli.doctor.TRIAL_SECONDS", 0.3)
    owned = Ownership.take(starting)
    assert owned is not None
    ((state, message),) = doctor(root, starting, code=1)["prompt hook"]
    owned.release()
    assert (state, message[:10]) == ("wrong", "nothing to")


def test_a_pause_is_said_and_no_trial_sent(tmp_path: Path, starting: dict[str, str]) -> None:
    root = knowledge.make(tmp_path / "home" / "a project")
    run_command("pause", cwd=root, env=starting)
    assert run_command("status", cwd=root, env=starting).stdout.split("\t")[-1].startswith("2100")
    found = doctor(root, starting)
    assert f"`vouch-sidecar resume --root '{root}'`" in found["knowledge base"][1][1]
    assert found["prompt hook"] == [("note", "not tried: hooks are silent")]
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
    ((state, said),) = found["prompt hook"]
    assert (state, "hooks start no process" in said) == ("note", True)
    ((state, holds),) = found["knowledge base"]
    assert state == "wrong"
    assert "3 claims, 2 entities, 0 pages; 1 problem: `vouch-sidecar check` lists" in holds
    ours, doubled = found["claude-code"]
    assert (ours[0], doubled[0]) == ("note", "wrong")
    assert ".claude-plugin/plugin.json; `vouch-sidecar install claude-code`" in ours[1]
    assert "a second block; it is in .claude/settings.json" in doubled[1]
    assert "not on the PATH that Zed starts with" in found["zed"][1][1]
    assert [state for state, _ in found["zed --user"]] == ["ok"], "it names an absolute path"


def test_without_a_knowledge_base(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "home" / "empty").mkdir(parents=True)
    found = doctor(tmp_path / "home" / "empty", env, code=1)
    ((_, message),) = found["knowledge base"]
    assert "none found from" in message
    assert "`vouch init`" in message
    assert "prompt hook" not in found


def test_without_a_claim_no_trial_is_sent(tmp_path: Path, starting: dict[str, str]) -> None:
    root = make_kb(tmp_path / "home" / "project").parent
    ((state, message),) = doctor(root, starting)["prompt hook"]
    assert (state, message[:9]) == ("note", "not tried")
