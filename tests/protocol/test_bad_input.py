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


NOWHERE = {"uri": "file:///never-opened", "version": 2}
BAD = {"recall": SECRET, "recall.max_results": SECRET}
PLACE = {"line": SECRET, "character": -1}


@pytest.mark.parametrize(
    ("method", "params", "code", "said"),
    [
        ("vouch/experts", None, -32602, "topic"),
        ("vouch/experts", {"topic": [SECRET]}, -32602, "topic"),
        ("vouch/experts", {"topic": "jwt", "limit": SECRET}, -32602, "limit"),
        ("vouch/experts", {"topic": "\ud800"}, -32602, "topic"),
        ("vouch/sessionEnd", {}, -32602, "session_id"),
        ("vouch/pause", {"second": 60}, -32602, "second"),
        ("vouch/prompt", {"session_id": 5, "text": SECRET}, -32602, "session_id"),
        ("textDocument/hover", {"textDocument": NOWHERE}, -32602, "params"),
        ("textDocument/hover", {"textDocument": NOWHERE, "position": PLACE}, -32602, "params"),
        ("textDocument/completion", {"bad": SECRET}, -32602, "params"),
        ("vouch/unknown", {"bad": SECRET}, -32601, ""),
        ("$/unknown", {"bad": SECRET}, -32601, ""),
        ("workspace/executeCommand", {"command": SECRET}, -32601, ""),
        ("initialize", {"bad": SECRET}, -32600, ""),  # a second one
        ("textDocument/didOpen", {"textDocument": SECRET}, None, ""),
        ("textDocument/didChange", {"textDocument": NOWHERE, "contentChanges": []}, None, ""),
        ("workspace/didChangeConfiguration", {"settings": {"vouchSidecar": BAD}}, None, ""),
        ("$/cancelRequest", {"id": "unknown"}, None, ""),
    ],
)
def test_bad_params(shared: Client, method: str, params: Any, code: int | None, said: str) -> None:
    """A request has an error of this code. A notification, and an answer to nothing, have none."""
    if code is not None:
        error = shared.refused(method, params)
        assert error["code"] == code
        assert said in error["message"]
        assert SECRET not in json.dumps(error)
    since = len(shared.received)
    shared.notify(method, params)
    shared.send({"jsonrpc": "2.0", "id": "unknown", "result": {"x": SECRET}})
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
