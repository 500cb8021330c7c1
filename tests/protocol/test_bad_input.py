"""Whatever a client does, it is answered once and clearly, and the server goes on or ends well."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lsprotocol import types as lsp
from vouch_sidecar.operations.notifications import NOTIFICATIONS
from vouch_sidecar.operations.operation import operations

from tests.conftest import LONG
from tests.protocol import knowledge
from tests.protocol.client import ABLE, Client, Message, hover
from tests.protocol.conftest import Start
from tests.reliability.nonsense import changed, value

SECRET = "hunter2-do-not-echo"
NOWHERE = {"uri": "file:///never-opened", "version": 2}
BAD = {"recall": SECRET, "recall.max_results": SECRET}
PLACE = {"line": SECRET, "character": -1}
STANDARD = """
initialize initialized textDocument/didOpen textDocument/didChange textDocument/didClose
textDocument/didSave textDocument/hover textDocument/definition textDocument/completion
workspace/symbol workspace/didChangeConfiguration workspace/didChangeWorkspaceFolders
notebookDocument/didOpen notebookDocument/didChange
notebookDocument/didClose $/cancelRequest $/setTrace window/workDoneProgress/cancel unknown
""".split()
OPERATIONS = {operation.method: operation for operation in operations().values()}
TOLD = {name for name in STANDARD if lsp.METHOD_TO_TYPES.get(name, (None, 0))[1] is None}
"""Methods of LSP that are notifications."""
URIS = ["", "x", "::", "file://[bad", *(f"vouch-prompt:{x}/1" for x in ("//[x", "/A"))]
URIS += ["\ud800", "jwt\x00"]


@pytest.mark.parametrize(
    ("method", "params", "code", "said"),
    [
        ("vouch/experts", None, -32602, "topic"),
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
        ("initialize", {"bad": SECRET}, -32602, ""),
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
    assert shared.request("vouch/experts", {"topic": "jwt"})["experts"]
    assert not any("error" in m for m in shared.received[since:])
    assert SECRET not in shared.errors.decode()


def test_requests_after_shutdown(client: Client) -> None:
    client.request("shutdown")
    assert client.refused("vouch/experts", {"topic": "jwt"})["code"] == -32600
    client.open("file:///x.txt", "jwt")
    assert client.refused("shutdown")["code"] == -32600
    client.notify("exit")
    assert client.ended() == 0


@pytest.mark.parametrize("answer", [{"error": {"code": -32601, "message": "unknown"}}, None])
def test_one_that_refuses_or_is_silent(start: Start, root: Path, answer: Message | None) -> None:
    asking = {"dynamicRegistration": True, "refreshSupport": True}
    demanding = {
        "textDocument": {name: {**able, **asking} for name, able in ABLE["textDocument"].items()},
        "workspace": {"diagnostics": asking},
        "window": {"workDoneProgress": True},
        "general": {"staleRequestSupport": "of another version"},
    }
    client = start(answer=answer)
    client.initialize(root, capabilities=demanding, workspaceFolders=None)
    client.until("vouch/status", [], lambda status: status["complete"])  # Neovim's empty table
    assert "**JWT**" in hover(client, "About JWT.\n", 0, 7)["contents"]["value"]
    client.save(knowledge.claim(root, "since", "JWT is new.", "jwt").as_uri())
    client.until("vouch/experts", {"topic": "jwt"}, lambda r: r["experts"][0]["claim_count"] == 3)
    assert client.shut_down() == 0


def right(random: Random, root: Path) -> dict[str, Any]:
    """Params in which each method of LSP finds what it asks for."""
    claim = root / ".vouch" / "claims" / "jwt-expires.yaml"
    uri = random.choice([*URIS, claim.as_uri(), (root / "a.md").as_uri()])
    start, end = ({"line": random.randint(0, 3), "character": random.randint(0, 9)} for _ in "ab")
    text = random.choice(["JWT", "id: ["])
    document = {"uri": uri, "version": 1, "languageId": "x", "text": text}
    changes = [{"text": "a\r\nJWT"}, {"text": "z", "range": {"start": start, "end": end}}]
    return {
        "textDocument": document,
        "position": start,
        "contentChanges": changes,
        "notebookDocument": document,
        "event": {"added": [{"uri": uri, "name": "x"}], "removed": []},
        "settings": {"vouchSidecar": {"recall": {"max_results": 3}}},
        "query": "JWT",
        "id": 1,
    }


def given(random: Random, root: Path, method: str) -> Any:
    """Params of which some are in order."""
    if (operation := OPERATIONS.get(method)) is None:
        return changed(random, right(random, root))
    fields = [*operation.params.model_fields, "nobody_has_this"]
    odd = {field: value(random) for field in random.sample(fields, random.randrange(len(fields)))}
    return changed(random, {**operation.example, **odd})


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 400 if LONG else 3))
def test_anything(client: Client, root: Path, seed: int) -> None:
    random, asked = Random(seed), []
    since = len(client.received)
    for _ in range(600):
        method = random.choice([*STANDARD, *OPERATIONS, *NOTIFICATIONS])
        params = given(random, root, method)
        if method in TOLD or (method != "initialize" and random.random() < 0.5):
            client.notify(method, params)
        else:
            asked.append(client.start(method, params))
    asked.append(client.start("vouch/status"))
    assert client.answer(asked[-1])["result"]
    for request in asked:  # one that waits for a look at the disk may be answered after a later one
        client.answer(request)
    answers = [m for m in client.received[since:] if "method" not in m]
    assert Counter(m["id"] for m in answers) == Counter(asked)
    assert not [m for m in answers if m.get("error", {}).get("code") == -32603]
    assert "Traceback" not in client.errors.decode()
    assert client.shut_down() == 0


def test_what_is_asked_before_the_input_ends_is_answered(start: Start) -> None:
    client = start()
    asked = [client.start("initialize", {"capabilities": {}})]
    asked += [client.start("vouch/status"), client.start("vouch/context", {"task": "jwt"})]
    client.hang_up()
    assert all("result" in client.answer(request) for request in asked)
    assert client.ended() == 1


def test_what_is_no_header_ends_it_without_a_traceback(start: Start) -> None:
    client = start()
    client.send_bytes(b"Content-Length: " + b"9" * 14 + b"\r\n\r\n")
    assert client.ended() == 1
    client.dispose()
    assert not client.errors
