"""Every way to ask has the text heard: the language server, MCP, hooks and the shell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import pytest
from mcp import ClientSession

from tests.mcp.client import called, connected, content_of
from tests.protocol.client import (
    Client,
    indexed_client,
    run_command,
    running,
)
from tests.semantic.conftest import ASKED

Env = dict[str, str]


@pytest.fixture
def env(folder: Path, tmp_path: Path) -> Iterator[Env]:
    """A socket's path has little room."""
    with TemporaryDirectory(prefix="vs") as runtime:
        yield {
            "XDG_RUNTIME_DIR": runtime,
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "VOUCH_SIDECAR_SEMANTIC_MODEL": str(folder),
        }


@pytest.fixture
def server(root: Path, env: Env) -> Iterator[Client]:
    with running(cwd=root, env=env, reply=lambda _: None) as client:
        client.initialize(root)
        ready(client)
        yield client


def ready(client: Client) -> None:
    client.until("vouch/search", {"query": ASKED}, lambda answer: not answer["degraded"])


def arms(found: dict[str, list[dict[str, str]]]) -> list[tuple[str, str | None]]:
    return [(hit["id"], hit.get("arm")) for hit in found.get("hits", found.get("items", []))]


MEANT = [("photos", "semantic")]


def test_the_language_server(server: Client) -> None:
    assert arms(server.request("vouch/search", {"query": ASKED})) == MEANT
    assert arms(server.request("vouch/probe", {"text": ASKED})) == MEANT
    assert arms(server.request("vouch/context", {"task": ASKED})) == MEANT
    assert server.refused("vouch/search", {"query": 5})["code"] == -32602
    assert server.refused("vouch/search", {"query": " "})["code"] == -32602


def test_settings_of_the_client_count_at_once(env: Env, root: Path) -> None:
    own = {k: v for k, v in env.items() if not k.endswith("MODEL")}
    with indexed_client(root, env=own) as client:
        assert arms(client.request("vouch/search", {"query": ASKED})) == []
        model = env["VOUCH_SIDECAR_SEMANTIC_MODEL"]
        for given, wanted in ((model, MEANT), (None, []), (model, MEANT)):
            settings = {"vouchSidecar": {"semantic": {"model": given}}}
            client.notify("workspace/didChangeConfiguration", {"settings": settings})
            client.until("vouch/search", {"query": ASKED}, lambda f, w=wanted: arms(f) == w)  # type: ignore[misc]


@pytest.mark.usefixtures("server")
def test_a_hook_is_answered_by_the_resident(root: Path, env: Env) -> None:
    payload = {"session_id": "agent", "cwd": str(root), "prompt": ASKED}
    said = hook(payload, env)
    assert "photos: Photos are deleted after 60 days." in said


def hook(payload: dict[str, str], env: Env) -> str:
    return run_command("hook", "user-prompt-submit", env=env, said=json.dumps(payload)).stdout


@pytest.mark.usefixtures("server")
def test_the_shell_asks_the_resident(root: Path, env: Env) -> None:
    own = {k: v for k, v in env.items() if not k.startswith("VOUCH_")}
    whole = {**own, "PYTHONUTF8": "1"}
    done = run_command("search", ASKED, "--json", cwd=root, env=whole)
    assert arms(json.loads(done.stdout)) == MEANT


def test_mcp(root: Path, env: Env) -> None:
    async def asked(session: ClientSession) -> None:
        with anyio.fail_after(30):
            while (found := await said(session, "kb_search", query=ASKED))["degraded"]:
                await anyio.sleep(0.02)
        assert arms(found) == MEANT
        assert arms(await said(session, "kb_context", task=ASKED)) == MEANT

    connected(root, env, asked)


async def said(session: ClientSession, tool: str, **arguments: object) -> dict[str, Any]:
    content = content_of(await called(session, tool, **arguments))
    assert isinstance(content, dict)
    return content
