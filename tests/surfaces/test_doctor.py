"""`vouch-sidecar doctor`: the real command, in environments that are well and others."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from vouch_sidecar.kb.discovery import RESIDENT

from tests.hook.conftest import KEEP, LIMIT, Place, project
from tests.kb.samples import make_kb
from tests.protocol import knowledge
from tests.protocol.client import COMMAND, run_command


@pytest.fixture
def place() -> Iterator[Place]:
    """A project with the command on the PATH, where hooks start a process."""
    with project() as made:
        path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
        yield replace(made, env={**made.env, **KEEP, LIMIT: "10000", "PATH": path})


def doctor(place: Place, root: Path | None = None, code: int = 0) -> dict[str, list[list[str]]]:
    """The states and messages of the findings, by what they are about."""
    done = run_command("doctor", cwd=root or place.root, env=place.env, code=code)
    found: dict[str, list[list[str]]] = {}
    for line in done.stdout.splitlines():
        about, *said = line.split("\t")
        found.setdefault(about, []).append(said)
    assert ("wrong" in done.stdout) is (code == 1)
    return found


def test_all_is_well_and_its_trials_are_no_sessions(place: Place) -> None:
    env, before = place.env, knowledge.digest(place.root)
    found = doctor(place)
    assert found["knowledge base"] == [["ok", f"{place.root}: 3 claims"]]
    ((state, said),) = found["prompt hook"]
    assert (state, "characters to “" in said) == ("ok", True)
    assert found["PATH"] == [["ok", str(COMMAND)]]
    ((state, said),) = found["agents"]
    assert (state, "`vouch-sidecar install HOST`" in said) == ("note", True)
    assert doctor(place)["prompt hook"][0][0] == "ok"
    status = run_command("status", "--json", cwd=place.root, env=env).stdout
    assert json.loads(status)["sessions"] == 0
    assert knowledge.digest(place.root) == before


def test_a_process_that_answers_nothing_is_wrong(place: Place) -> None:
    with place.listener(b"{}\n"):
        ((state, message),) = doctor(place, code=1)["prompt hook"]
    assert (state, "vouch-sidecar stop` ends one that began" in message) == ("wrong", True)


def test_a_pause_is_said_and_no_trial_sent(place: Place) -> None:
    root, env = knowledge.make(place.base / "a project"), place.env
    run_command("pause", cwd=root, env=env)
    assert run_command("status", cwd=root, env=env).stdout.split("\t")[-1].startswith("2100")
    found = doctor(place, root)
    ends = f"paused: `vouch-sidecar resume --root '{root}'` ends it"
    assert found["knowledge base"] == [["note", f"{root}: 3 claims; {ends}"]]
    assert [state for state, _ in found["prompt hook"]] == ["note"]
    assert "resumed" in run_command("resume", cwd=root, env=env).stdout
    assert "paused" not in str(doctor(place, root)), "nothing is left of it"
    assert "was not paused" in run_command("resume", cwd=root, env=env).stdout


def test_what_is_wrong_is_said_with_exit_code_1(place: Place) -> None:
    place, root = replace(place, env={**place.env, RESIDENT: "false"}), place.root
    (root / ".vouch" / "claims" / "bad.yaml").write_text("id: [", "utf-8")
    for host in (["claude-code"], ["zed"], ["zed", "--user"]):
        run_command("install", *host, cwd=root, env=place.env)
    settings = root / ".claude" / "settings.json"
    hook = {"type": "command", "command": "vouch context-hook || true"}
    settings.write_text(json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}}), "utf-8")
    (root / ".claude/skills/vouch-sidecar/.claude-plugin/plugin.json").write_text("{}", "utf-8")
    found = doctor(place, code=1)
    ((state, said),) = found["prompt hook"]
    assert (state, "hooks start no process" in said) == ("note", True)
    ((state, holds),) = found["knowledge base"]
    assert state == "wrong"
    assert "3 claims; 1 problem: `vouch-sidecar check` lists" in holds
    ours, doubled = found["claude-code"]
    assert (ours[0], doubled[0]) == ("note", "wrong")
    assert ".claude-plugin/plugin.json; `vouch-sidecar install claude-code`" in ours[1]
    assert "a second block; it is in .claude/settings.json" in doubled[1]
    assert "agents" not in found
    assert [state for state, _ in found["zed"] + found["zed --user"]] == ["ok", "ok"]


def test_without_a_knowledge_base_or_a_claim_no_trial_is_sent(place: Place) -> None:
    found = doctor(place, place.base, code=1)
    ((_, message),) = found["knowledge base"]
    assert message.startswith(f"no knowledge base found from {place.base}; to make one")
    assert "`vouch init`" in message
    assert "prompt hook" not in found
    ((state, message),) = doctor(place, make_kb(place.base / "empty").parent)["prompt hook"]
    assert (state, message[:9]) == ("note", "not tried")
