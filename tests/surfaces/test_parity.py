"""The same question gives the same object on every surface."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from vouch_sidecar.api import open_kb
from vouch_sidecar.operations.operation import operations
from vouch_sidecar.operations.schema import standalone
from vouch_sidecar.operations.wire import as_json
from vouch_sidecar.surfaces.agent_requests import harmless

from tests.mcp.client import content_of, host
from tests.protocol.client import environment, indexed_client
from tests.surfaces.courier import COURIER, QUESTIONS, TEXT, comparable
from tests.surfaces.json_lines import answers
from tests.surfaces.terminal import run


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """By surface, the answer to every question."""
    root = tmp_path_factory.mktemp("parity") / "courier"
    shutil.copytree(COURIER, root)
    prompt = {"session_id": "shell", "topic": TEXT}
    with indexed_client(root) as client:
        client.until("vouch/status", {}, lambda status: not status["degraded"])
        client.notify("vouch/prompt", {"session_id": "shell", "text": TEXT})
        lsp = {
            name: client.request(operations()[name].method, params)
            for name, (params, _) in QUESTIONS.items()
        }
    lines = [
        {"id": name, "method": f"kb.{name}", "params": p} for name, (p, _) in QUESTIONS.items()
    ]
    first = {"id": "first", "method": "kb.experts", "params": prompt}
    jsonl = {answer["id"]: answer["result"] for answer in answers(root, first, *lines)}
    shell = {
        name: json.loads(run(root, name, *args, "--json").stdout)
        for name, (_, args) in QUESTIONS.items()
        if args is not None
    }
    with open_kb(root) as kb:
        kb.experts(TEXT, session_id="shell")
        python = {
            name: as_json(kb.ask(operations()[name], params))
            for name, (params, _) in QUESTIONS.items()
        }
    with host(root, environment({})) as agent:
        agent.call("experts", session_id="shell", topic=TEXT)
        mcp = {
            name: content_of(agent.call(name, **params)) for name, (params, _) in QUESTIONS.items()
        }
    return {"lsp": lsp, "jsonl": jsonl, "shell": shell, "python": python, "mcp": mcp}


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_same_answer(given: dict[str, dict[str, Any]], name: str) -> None:
    expected = comparable(given["lsp"][name])
    assert comparable(given["jsonl"][name]) == expected
    assert comparable(given["python"][name]) == expected
    block = {"text": expected["text"]} if name == "context" else {}
    assert comparable(given["mcp"][name]) == {**harmless(expected), **block}
    Draft202012Validator(standalone(operations()[name].result)).validate(given["mcp"][name])
    if name in given["shell"]:
        assert comparable(given["shell"][name]) == expected
    if name in ("experts", "salience", "context", "search", "mentions"):
        keys = ("experts", "salience", "items", "hits", "mentions")
        assert any(given["lsp"][name].get(key) for key in keys)
