"""What the server says that it can do."""

from __future__ import annotations

from tests.protocol.client import Client


def test_what_is_announced(client: Client) -> None:
    (answer,) = [m for m in client.received if "capabilities" in (m.get("result") or {})]
    found = answer["result"]["capabilities"]
    offered = {name for name in found if name.endswith("Provider")}
    assert offered == {
        "hoverProvider",
        "definitionProvider",
        "completionProvider",
        "workspaceSymbolProvider",
    }
