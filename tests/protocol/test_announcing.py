"""What the server says that it can do, to whom, and for which documents."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from tests.protocol.client import running
from tests.protocol.conftest import Start
from tests.protocol.editor import ABLE

OPTIONAL = {
    "referencesProvider",
    "documentLinkProvider",
    "completionProvider",
    "workspaceSymbolProvider",
    "executeCommandProvider",
}
OURS = {"completion", "documentLink"}


def announced(root: Path, capabilities: Any) -> Any:
    with running(cwd=root) as client:
        return client.initialize(root, capabilities=capabilities)["capabilities"]


def test_a_client_is_told_what_it_can_use(root: Path) -> None:
    found = announced(root, ABLE)
    assert found.keys() >= OPTIONAL
    assert found["executeCommandProvider"]["commands"] == [
        "vouch.changed",
        "vouch.names",
    ]
    forbidden = {"renameProvider", "documentFormattingProvider", "documentRangeFormattingProvider"}
    assert not forbidden & found.keys()


def test_and_not_what_it_does_not_know(root: Path) -> None:
    assert not OPTIONAL & announced(root, {}).keys()


def test_what_is_about_our_files_is_registered_for_these(start: Start, root: Path) -> None:
    able = copy.deepcopy(ABLE)
    for name in OURS:
        able["textDocument"][name]["dynamicRegistration"] = True
    client = start(reply=lambda _: None)
    found = client.initialize(root, capabilities=able)["capabilities"]
    assert not {f"{name}Provider" for name in OURS} & found.keys()
    asked = client.wait(lambda m: m.get("method") == "client/registerCapability")["params"]
    registered = {row["method"]: row["registerOptions"] for row in asked["registrations"]}
    assert registered.keys() == {f"textDocument/{name}" for name in OURS}
    assert all(
        row["documentSelector"] == [{"pattern": "**/.vouch/**"}] for row in registered.values()
    )


def test_a_refusal_of_that_costs_nothing_else(start: Start, root: Path) -> None:
    able = copy.deepcopy(ABLE)
    for name in OURS:
        able["textDocument"][name]["dynamicRegistration"] = True
    client = start()
    client.initialize(root, capabilities=able)
    client.wait(lambda m: m.get("method") == "client/registerCapability")
    assert client.indexed()["complete"]
    assert client.shut_down() == 0
