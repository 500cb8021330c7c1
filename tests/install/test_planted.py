"""What integrations start runs no `sitecustomize.py` of the workspace, whatever `PYTHONPATH` is."""

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.kb.discovery import RESIDENT
from vouch_sidecar.kb.recall_limit import MOST

from tests.install.conftest import FILES, PLUGIN, Install
from tests.protocol.client import COMMAND, INITIALIZE, ran

HOOKS = {"claude-code": f"{PLUGIN}/hooks/hooks.json", "codex": ".codex/config.toml"}
"""By host its file with hooks."""


@pytest.fixture
def mark(root: Path) -> Path:
    """A file that is there once what was planted ran."""
    mark = root.parent / "ran"
    (root / "sitecustomize.py").write_text(f"open({str(mark)!r}, 'a').close()\n", "utf-8")
    return mark


def run(root: Path, command: list[str], said: object = None, **env: str) -> str:
    """Run a command as hosts do, in the project, and say it something; what it prints."""
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    own = {"PATH": path, "PYTHONPATH": ":.", "VOUCH_SIDECAR_RECALL_TIMEOUT_MS": "10000"}
    done = ran(*command, cwd=root, said=json.dumps(said).encode() + b"\n", env=own | env)
    return (done.stdout + done.stderr).decode()


def read(path: Path) -> Any:
    text = path.read_text("utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def test_what_is_planted_runs_without_an_integration(root: Path, mark: Path) -> None:
    run(root, ["vouch-sidecar", "--version"])
    assert mark.exists()


@pytest.mark.parametrize("host", HOOKS)
def test_hooks(install: Install, root: Path, mark: Path, host: str) -> None:
    install(host)
    prompt = {"session_id": "agent", "cwd": str(root), "prompt": "How long do JWT tokens live?"}
    said = {}
    for event, (group,) in read(root / HOOKS[host])["hooks"].items():
        (hook,) = group["hooks"]
        name = re.sub("(?<!^)(?=[A-Z])", "-", event).lower()
        assert hook["command"].removesuffix(" || true").endswith(f" hook {name}")
        assert hook["timeout"] * 1000 > MOST
        said[event] = run(root, ["sh", "-c", hook["command"]], prompt, **{RESIDENT: "true"})
    run(root, ["vouch-sidecar", "stop"], PYTHONPATH="")
    assert not mark.exists()
    assert "15 minutes" in said["UserPromptSubmit"], said


def test_mcp_servers(install: Install, root: Path, mark: Path) -> None:
    """Hosts whose files say the same start the same."""
    starts = dict[str, tuple[list[str], dict[str, str]]]()
    for host, (name, _, key) in FILES.items():
        install(host)
        server = read(root / name)[key]["vouch-sidecar"]
        command = [server["command"], *server["args"]] if "args" in server else server["command"]
        command = [word.replace("${workspaceFolder}", str(root)) for word in command]
        env = server.get("environment" if host == "opencode" else "env") or {}
        starts[f"{command} {env}"] = command, env
    for command, env in starts.values():
        assert "serverInfo" in run(root, command, INITIALIZE, **env)
    assert not mark.exists()
