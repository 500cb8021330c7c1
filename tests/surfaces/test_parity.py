"""The same question gives the same object on every surface."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.operations import OPERATIONS

from tests.protocol.client import indexed_client
from tests.surfaces.test_cli import run
from tests.surfaces.test_jsonl import answers

COURIER = Path(__file__).parents[2] / "examples" / "courier"
TEXT = "Can we restart Relay while the rate limiter is busy?"
QUESTIONS: dict[str, tuple[dict[str, Any], list[str] | None]] = {
    "experts": ({"topic": "rate limiter"}, ["rate limiter"]),
    "salience": ({"session_id": "shell"}, [TEXT]),
    "probe": ({"text": TEXT}, [TEXT]),
    "context": ({"task": TEXT, "adjacent": True}, [TEXT, "--adjacent"]),
    "search": ({"query": "kafka brokers"}, ["kafka brokers"]),
    "mentions": ({"text": TEXT}, [TEXT]),
    "entity": ({"id": "relay"}, ["relay"]),
    "claim": ({"id": "relay-p99"}, ["relay-p99"]),
    "status": ({}, []),
    "session_end": ({"session_id": "other"}, None),
}
for name, operation in OPERATIONS.items():
    QUESTIONS.setdefault(name, (dict(operation.example), None))
# What the contract exempts, and who watches, which differs by nature.
EXEMPT = {"generation", "indexed_at", "probe_time_ms", "from_cache", "watcher", "sessions"} | {
    "arms",
    "operations",
    "probe_cache",
    "fresh",  # worked out meanwhile: one surface may ask sooner, and says so
}


def comparable(result: Any) -> Any:
    if isinstance(result, dict):
        if isinstance(
            result.get("files"), list
        ):  # ties are worked out meanwhile: one surface may ask sooner
            files = [file["path"] for file in result["files"]]
            result = {**result, "files": files}
        if isinstance(result.get("degraded"), list):
            lacking = [one for one in result["degraded"] if one != "workspace_pending"]
            result = {**result, "degraded": lacking}
        return {name: comparable(value) for name, value in result.items() if name not in EXEMPT}
    return [comparable(one) for one in result] if isinstance(result, list) else result


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """By surface, the answer to every question."""
    root = tmp_path_factory.mktemp("parity") / "courier"
    shutil.copytree(COURIER, root)
    prompt = {"session_id": "shell", "topic": TEXT}
    with indexed_client(root) as client:
        client.notify("vouch/prompt", {"session_id": "shell", "text": TEXT})
        lsp = {
            name: client.request(OPERATIONS[name].method, params)
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
    return {"lsp": lsp, "jsonl": jsonl, "shell": shell}


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_same_answer(given: dict[str, dict[str, Any]], name: str) -> None:
    expected = comparable(given["lsp"][name])
    assert comparable(given["jsonl"][name]) == expected
    if name in given["shell"]:
        assert comparable(given["shell"][name]) == expected
    if name in ("experts", "salience", "context", "search", "mentions"):
        keys = ("experts", "salience", "items", "hits", "mentions")
        assert any(given["lsp"][name].get(key) for key in keys)
