"""Claims tied to files, through a language server: hover, `vouch/files`, what an edit changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.protocol.client import Client, indexed_client
from tests.workspace.places import cite, repository

CODE = "class RelayLoop:\n    def restart_all(self):\n        return self\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {"src/relay.py": CODE, "src/other.py": "from src.relay import RelayLoop\n"}
    root = repository(tmp_path / "repo", files)
    cite(root, "names", "`RelayLoop.restart_all` is slow.", "https://example.org/a")
    cite(root, "cites", "It restarts at night.", "/home/dev/src/relay.py")
    return root


@pytest.fixture
def client(root: Path) -> Iterator[Client]:
    with indexed_client(root) as client:
        client.until("vouch/files", {"paths": ["src/relay.py"]}, lambda a: not a["degraded"])
        yield client


def hover(client: Client, uri: str, line: int, character: int) -> Any:
    position = {"line": line, "character": character}
    return client.request(
        "textDocument/hover", {"textDocument": {"uri": uri}, "position": position}
    )


def tied(client: Client, path: str) -> list[tuple[str, int | None]]:
    (file,) = client.request("vouch/files", {"paths": [path]})["files"]
    return [(row["id"], row["line"]) for row in file["claims"]]


def test_hover_on_an_identifier_and_on_a_path(client: Client, root: Path) -> None:
    uri = (root / "src" / "relay.py").as_uri()
    client.open(uri, CODE, "python")
    value = hover(client, uri, 1, 10)["contents"]["value"]
    why, _, said = value.splitlines()
    assert "is slow." in said
    assert why.startswith("Claim on src/relay.py: names ")
    assert "defined at L2" in why
    assert hover(client, uri, 2, 12) is None
    prose = "untitled:notes"
    client.open(prose, "Look at src/relay.py first, not at src/gone.py.\n", "markdown")
    found = hover(client, prose, 0, 12)
    assert found["range"] == {
        "start": {"line": 0, "character": 8},
        "end": {"line": 0, "character": 20},
    }
    assert "It restarts at night." in found["contents"]["value"]
    assert "1 more claim" in found["contents"]["value"]
    assert hover(client, prose, 0, 40) is None


def test_the_open_document_counts_as_it_stands_in_the_editor(client: Client, root: Path) -> None:
    uri = (root / "src" / "relay.py").as_uri()
    client.open(uri, "\n\n" + CODE, "python")
    (file,) = client.request("vouch/files", {"uri": uri})["files"]
    assert [(row["id"], row["line"]) for row in file["claims"]] == [("cites", None), ("names", 4)]
