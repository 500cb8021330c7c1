"""Clients that do what no client should: the server answers those that follow, as ever."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.protocol import knowledge
from tests.protocol.client import Client, Message, at
from tests.protocol.conftest import Start
from tests.protocol.editor import ABLE, Editor

HOVER = "textDocument/hover"


def demanding() -> dict[str, Any]:
    """Capabilities that have the server ask for all it can ask, and one that nobody knows."""
    able = copy.deepcopy(ABLE)
    for one in able["textDocument"].values():
        one["dynamicRegistration"] = True
    able["textDocument"]["diagnostic"] = {}
    able["workspace"] |= {
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "diagnostics": {"refreshSupport": True},
    }
    able["window"]["workDoneProgress"] = True
    able["general"] = {"staleRequestSupport": "of another version"}
    return able


def is_well(client: Client, root: Path) -> None:
    """Hovers, follows changes on disk, and ends as it should."""
    editor = Editor(client)
    uri = editor.open("untitled:well", "About JWT.\n", "markdown")
    assert "**JWT**" in editor.at(uri, "JWT", HOVER)["contents"]["value"]
    path = knowledge.claim(root, "since", "JWT is new.", "jwt")
    client.save(path.as_uri())
    client.until("vouch/experts", {"topic": "jwt"}, lambda r: r["experts"][0]["claim_count"] == 3)
    assert client.shut_down() == 0


@pytest.mark.parametrize("answer", [{"error": {"code": -32601, "message": "unknown"}}, None])
def test_one_that_refuses_everything_or_never_answers(
    start: Start, root: Path, answer: Message | None
) -> None:
    client = start(answer=answer)
    client.initialize(root, capabilities=demanding(), workspaceFolders=None)
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    client.indexed()
    is_well(client, root)


def test_one_whose_changes_come_in_any_order(client: Client) -> None:
    uri = "untitled:disordered"
    client.change(uri, "never opened", 9)
    client.save(uri)
    client.open(uri, "first", version=5)
    for version in (9, 3, 3, 7, 1):
        client.change(uri, f"JWT {version}", version)
    assert client.request(HOVER, at(uri, 0, 1)) is not None
    client.open(uri, "opened again", version=1)
    assert client.request(HOVER, at(uri, 0, 1)) is None
