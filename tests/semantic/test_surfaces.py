"""Every way to ask has the text heard: the language server, MCP, hooks and the shell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.engine.processes import until
from tests.mcp.client import content_of, host
from tests.protocol.client import Client, indexed_client, run_command
from tests.semantic.conftest import ASKED, MEANT, arms, with_model

Env = dict[str, str]


@pytest.fixture
def env(folder: Path, tmp_path: Path) -> Iterator[Env]:
    """A socket's path has little room."""
    with TemporaryDirectory(prefix="vs") as runtime:
        yield {"XDG_RUNTIME_DIR": runtime, **with_model(folder, tmp_path / "cache")}


@pytest.fixture
def server(root: Path, env: Env) -> Iterator[Client]:
    with indexed_client(root, env=env) as client:
        client.until("vouch/search", {"query": ASKED}, lambda answer: not answer["degraded"])
        yield client


def test_the_language_server_and_who_asks_it(server: Client, root: Path, env: Env) -> None:
    for method, field in (("search", "query"), ("probe", "text"), ("context", "task")):
        assert arms(server.request(f"vouch/{method}", {field: ASKED})) == MEANT
    event = {"session_id": "agent", "cwd": str(root), "prompt": ASKED}
    said = run_command("hook", "user-prompt-submit", env=env, said=json.dumps(event)).stdout
    assert "photos: Photos are deleted after 60 days." in said
    own = {k: v for k, v in env.items() if not k.startswith("VOUCH_")} | {"PYTHONUTF8": "1"}
    found = json.loads(run_command("search", ASKED, "--json", cwd=root, env=own).stdout)
    assert arms(found) == MEANT


def test_settings_of_the_client_count_at_once(env: Env, root: Path) -> None:
    model = env.pop("VOUCH_SIDECAR_SEMANTIC_MODEL")
    with indexed_client(root, env=env) as client:
        assert arms(client.request("vouch/search", {"query": ASKED})) == []
        for given, wanted in ((model, MEANT), (None, []), (model, MEANT)):
            settings = {"vouchSidecar": {"semantic": {"model": given}}}
            client.notify("workspace/didChangeConfiguration", {"settings": settings})
            client.until("vouch/search", {"query": ASKED}, lambda f, w=wanted: arms(f) == w)  # type: ignore[misc]


def test_mcp(root: Path, env: Env) -> None:
    with host(root, env) as mcp:
        until(lambda: arms(content_of(mcp.call("search", query=ASKED))) == MEANT)
        assert arms(content_of(mcp.call("context", task=ASKED))) == MEANT
