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

MESSAGES = 600
STANDARD = """
initialize initialized textDocument/didOpen textDocument/didChange textDocument/didClose
textDocument/didSave textDocument/hover textDocument/definition textDocument/completion
workspace/symbol workspace/didChangeConfiguration workspace/didChangeWorkspaceFolders
workspace/didChangeWatchedFiles notebookDocument/didOpen notebookDocument/didChange
notebookDocument/didClose $/cancelRequest $/setTrace window/workDoneProgress/cancel
unknown
""".split()
METHODS = [*STANDARD, *(op.method for op in OPERATIONS.values()), *NOTIFICATIONS]
TOLD = {
    *(name for name in STANDARD if lsp.METHOD_TO_TYPES.get(name, (None, 0))[1] is None),
} - {"unknown"}
"""Methods of LSP that are notifications."""
KEYS = """
textDocument uri position line character contentChanges text range session_id topic limit viewer
root settings vouchSidecar event added removed changes cells notebookDocument cellTextDocuments
version languageId id query task start end name type
""".split()
ODD = [
    "",
    "x",
    "::",
    "file://[bad",
    "vouch-prompt://[x/1",
    "vouch-prompt:/A/1",
    "\ud800",
    "jwt\x00",
]


class Sender:
    """Makes params, of which most of those about documents have the right shape."""

    def __init__(self, seed: int, root: Path) -> None:
        self._random = Random(seed)
        claim = (root / ".vouch" / "claims" / "jwt-expires.yaml").as_uri()
        self._strings = [*ODD, claim, (root / "a.md").as_uri(), "JWT", "id: [", "a\r\nJWT"]

    def message(self) -> tuple[str, Any, bool]:
        """Method, params, and whether it is a request."""
        method = self._random.choice(METHODS)
        is_shaped = method.startswith("textDocument/") and self._random.random() < 0.7
        params = self._about_a_document() if is_shaped else self._value(3)
        is_request = method not in TOLD and (method == "initialize" or self._random.random() < 0.5)
        return method, params, is_request

    def _string(self) -> str:
        return self._random.choice(self._strings)

    def _place(self) -> dict[str, int]:
        return {"line": self._random.randint(0, 3), "character": self._random.randint(0, 9)}

    def _about_a_document(self) -> dict[str, Any]:
        """What any of these methods asks for, and more."""
        part = {"text": "z", "range": {"start": self._place(), "end": self._place()}}
        item = {"uri": self._string(), "version": 1, "languageId": "x", "text": self._string()}
        changes = [{"text": self._string()}, part]
        return {"textDocument": item, "position": self._place(), "contentChanges": changes}

    def _value(self, depth: int) -> Any:
        kind = self._random.random()
        if depth == 0 or kind < 0.5:
            return self._random.choice([None, True, 0, -1, 2**70, 1.5, [], {}, self._string()])
        if kind < 0.6:
            return [self._value(depth - 1) for _ in range(self._random.randint(0, 2))]
        names = self._random.choices(KEYS, k=self._random.randint(0, 5))
        return {name: self._value(depth - 1) for name in names}


@pytest.mark.parametrize("seed", [1, 2])
def test_anything(client: Client, root: Path, seed: int) -> None:
    sender, asked = Sender(seed, root), []
    since = len(client.received)
    for _ in range(MESSAGES):
        method, params, is_request = sender.message()
        if is_request:
            asked.append(client.start(method, params))
        else:
            client.notify(method, params)
    asked.append(client.start("vouch/status"))
    assert client.answer(asked[-1])["result"]
    for request in asked:  # one that waits for a look at the disk may be answered after a later one
        client.answer(request)
    answers = [m for m in client.received[since:] if "method" not in m]
    assert Counter(m["id"] for m in answers) == Counter(asked)
    assert not [m for m in answers if m.get("error", {}).get("code") == -32603]
    assert "Traceback" not in client.errors.decode()
    assert client.shut_down() == 0
