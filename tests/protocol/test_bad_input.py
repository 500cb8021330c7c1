"""Bad input gets its clear answer, once, and the connection goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.protocol.client import Client, at, hover
from tests.protocol.conftest import Start

SECRET = "hunter2-do-not-echo"


def goes_on(client: Client) -> None:
    """The connection still answers."""
    assert client.request("vouch/experts", {"topic": "jwt"})["experts"]


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("vouch/experts", None, "topic"),
        ("vouch/experts", {"topic": [SECRET]}, "topic"),
        ("vouch/experts", {"topic": "jwt", "limit": SECRET}, "limit"),
        ("vouch/experts", {"topic": "\ud800"}, "topic"),
        ("vouch/sessionEnd", {}, "session_id"),
        ("vouch/pause", {"second": 60}, "second"),
        ("textDocument/hover", {"textDocument": {"uri": "file:///x"}}, "params"),
        (
            "textDocument/hover",
            {"textDocument": {"uri": "file:///x"}, "position": {"line": SECRET, "character": -1}},
            "params",
        ),
    ],
)
def test_bad_params(shared: Client, method: str, params: Any, field: str) -> None:
    error = shared.refused(method, params)
    assert error["code"] == -32602
    assert field in error["message"]
    assert SECRET not in json.dumps(error)
    goes_on(shared)


@pytest.mark.parametrize(
    ("method", "codes"),
    [
        ("vouch/unknown", {-32601}),
        ("$/unknown", {-32601}),
        ("textDocument/completion", {-32602}),
        ("workspace/executeCommand", {-32601, -32602}),
        ("initialize", {-32600}),  # a second one
    ],
)
def test_methods_that_are_not_answered(shared: Client, method: str, codes: set[int]) -> None:
    error = shared.refused(method, {"bad": SECRET})
    assert error["code"] in codes
    assert SECRET not in json.dumps(error)
    shared.notify(method, {"bad": SECRET})
    goes_on(shared)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": "unknown", "result": {"x": SECRET}},
        {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": SECRET}},
        {"jsonrpc": "2.0", "method": "vouch/prompt", "params": {"session_id": 5, "text": SECRET}},
        {"jsonrpc": "2.0", "method": "textDocument/hover", "params": {}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "unknown"}},
        {
            "jsonrpc": "2.0",
            "method": "workspace/didChangeConfiguration",
            "params": {
                "settings": {"vouchSidecar": {"recall": SECRET, "recall.max_results": SECRET}}
            },
        },
        {
            "jsonrpc": "2.0",
            "method": "textDocument/didChange",
            "params": {
                "textDocument": {"uri": "file:///never-opened", "version": 2},
                "contentChanges": [{"text": SECRET}],
            },
        },
    ],
)
def test_bad_notifications_and_answers_get_none(shared: Client, message: Any) -> None:
    since = len(shared.received)
    shared.send(message)
    goes_on(shared)
    assert not any("error" in m for m in shared.received[since:])
    assert SECRET not in shared.errors.decode()


def test_requests_before_initialize(start: Start, root: Path) -> None:
    client = start()
    client.notify("textDocument/didOpen", {"textDocument": {}})
    assert client.refused("vouch/experts", {"topic": "jwt"})["code"] == -32002
    assert client.refused("vouch/unknown")["code"] == -32002
    client.initialize(root)
    client.indexed()
    goes_on(client)


def test_requests_after_shutdown(client: Client) -> None:
    client.request("shutdown")
    assert client.refused("vouch/experts", {"topic": "jwt"})["code"] == -32600
    client.open("file:///x.txt", "jwt")
    assert client.refused("shutdown")["code"] == -32600
    client.notify("exit")
    assert client.ended() == 0


def test_no_knowledge_base_anywhere(start: Start, tmp_path: Path) -> None:
    client = start()
    client.initialize(tmp_path)
    assert client.indexed()["roots"] == []
    for operation, params, field in (
        ("experts", {"topic": "jwt"}, "experts"),
        ("salience", None, "salience"),
        ("search", {"query": "jwt"}, "hits"),
        ("context", {"task": "jwt"}, "text"),
    ):
        assert not client.request(f"vouch/{operation}", params)[field]
    assert hover(client, "jwt", 0, 1) is None


@pytest.mark.parametrize("name", ["/x/a%00b", "/x/\ud800", "relative", "{loop}/x"])
def test_documents_that_no_file_can_be(shared: Client, tmp_path: Path, name: str) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    uri = f"file:{name.format(loop=loop)}"
    since = len(shared.received)
    shared.open(uri, "JWT")
    place = at(uri, 0, 1)
    assert "JWT" in shared.request("textDocument/hover", place)["contents"]["value"]
    assert shared.request("textDocument/definition", place)
    for event in ("didSave", "didClose"):
        shared.notify(f"textDocument/{event}", {"textDocument": {"uri": uri}})
    changes = [{"uri": uri, "type": 1}]
    shared.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    goes_on(shared)
    methods = {message.get("method") for message in shared.received[since:]}
    assert "textDocument/publishDiagnostics" not in methods
