"""Whatever is sent: one answer a request, no internal error, and the server goes on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lsprotocol import types as lsp
from vouch_sidecar.operations import NOTIFICATIONS, OPERATIONS

from tests.protocol.client import Client
from tests.reliability.nonsense import changed

MESSAGES = 600
STANDARD = """
initialize initialized textDocument/didOpen textDocument/didChange textDocument/didClose
textDocument/didSave textDocument/hover textDocument/definition textDocument/completion
workspace/symbol workspace/didChangeConfiguration workspace/didChangeWatchedFiles
workspace/didChangeWorkspaceFolders notebookDocument/didOpen notebookDocument/didChange
notebookDocument/didClose $/cancelRequest $/setTrace window/workDoneProgress/cancel unknown
""".split()
EXAMPLES = {operation.method: operation.example for operation in OPERATIONS.values()}
METHODS = [*STANDARD, *EXAMPLES, *NOTIFICATIONS]
TOLD = {name for name in STANDARD if lsp.METHOD_TO_TYPES.get(name, (None, 0))[1] is None}
"""Methods of LSP that are notifications."""
URIS = [
    "",
    "x",
    "::",
    "file://[bad",
    "vouch-prompt://[x/1",
    "vouch-prompt:/A/1",
    "\ud800",
    "jwt\x00",
]


def right(random: Random, root: Path) -> dict[str, Any]:
    """Params in which each method of LSP finds what it asks for."""
    claim = root / ".vouch" / "claims" / "jwt-expires.yaml"
    uri = random.choice([*URIS, claim.as_uri(), (root / "a.md").as_uri()])
    start, end = ({"line": random.randint(0, 3), "character": random.randint(0, 9)} for _ in "ab")
    document = {
        "uri": uri,
        "version": 1,
        "languageId": "x",
        "text": random.choice(["JWT", "id: ["]),
    }
    changes = [{"text": "a\r\nJWT"}, {"text": "z", "range": {"start": start, "end": end}}]
    notebook = {"uri": uri, "version": 1, "notebookType": "x", "cells": [{"document": uri}]}
    return {
        "textDocument": document,
        "position": start,
        "contentChanges": changes,
        "notebookDocument": notebook,
        "cellTextDocuments": [document],
        "changes": [{"uri": uri, "type": 1}],
        "event": {"added": [{"uri": uri, "name": "x"}], "removed": []},
        "settings": {"vouchSidecar": {"recall": {"max_results": 3}}},
        "query": "JWT",
        "id": 1,
    }


@pytest.mark.parametrize("seed", [1, 2])
def test_anything(client: Client, root: Path, seed: int) -> None:
    random, asked = Random(seed), []
    since = len(client.received)
    for _ in range(MESSAGES):
        method = random.choice(METHODS)
        params = changed(random, EXAMPLES.get(method) or right(random, root))
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
