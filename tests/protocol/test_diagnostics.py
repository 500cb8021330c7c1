"""Every problem of a file under `.vouch/` is a diagnostic until it is solved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.protocol import knowledge
from tests.protocol.client import Client
from tests.protocol.conftest import Serve, Start
from tests.protocol.editor import ABLE

PUBLISHED = "textDocument/publishDiagnostics"


def published(client: Client, uri: str, count: int, since: int = 0) -> list[Any]:
    """The diagnostics of a file, once there are so many."""

    def wanted(message: Any) -> bool:
        return (
            message.get("method") == PUBLISHED
            and message["params"]["uri"] == uri
            and len(message["params"]["diagnostics"]) == count
        )

    found: list[Any] = client.wait(wanted, since)["params"]["diagnostics"]
    return found


def test_a_broken_file_and_its_repair(start: Start, root: Path) -> None:
    broken = root / ".vouch" / "claims" / "broken.yaml"
    broken.write_text("id: broken\ntext: [unclosed\n", "utf-8")
    client = start()
    client.initialize(root)
    (found,) = published(client, broken.as_uri(), 1)
    assert (found["severity"], found["source"]) == (1, "vouch")
    assert found["range"]["start"]["line"] >= 1
    assert client.request("vouch/experts", {"topic": "jwt"})["experts"]
    since = len(client.received)
    knowledge.claim(root, "broken", "JWT is well again.", "jwt")
    published(client, broken.as_uri(), 0, since)


@pytest.mark.parametrize(
    ("units", "opened", "column"), [("utf-8", "x", 30), (None, "%78", 24), ("utf-8", None, 0)]
)
def test_columns_are_in_the_units_of_the_client(
    start: Start, root: Path, units: str | None, opened: str | None, column: int
) -> None:
    path = root / ".vouch" / "claims" / "x.yaml"
    text = f'{{id: x, text: "🚀🚀🚀", confidence: 7, evidence: [{knowledge.SOURCE}]}}\n'
    path.write_text(text, "utf-8")
    client = start()
    general = {} if units is None else {"general": {"positionEncodings": [units]}}
    client.initialize(root, capabilities=general)
    uri = path.with_stem(opened or "x").as_uri().replace("%25", "%")
    if opened:
        client.open(uri, text, "yaml")
    client.indexed()
    (found,) = published(client, uri, 1)
    assert found["range"]["start"] == {"line": 0, "character": column}


def test_an_open_document_is_checked_as_it_stands(client: Client, root: Path) -> None:
    uri = (root / ".vouch" / "claims" / "jwt-expires.yaml").as_uri()
    client.open(uri, "id: jwt-expires\ntext: {{\n", "yaml")
    published(client, uri, 1)
    since = len(client.received)
    client.change(uri, knowledge.claim_text("jwt-expires", "JWT lives.", "jwt"), 2)
    published(client, uri, 0, since)
    client.change(uri, "id: [", 3)
    published(client, uri, 1, since)
    since = len(client.received)
    client.close(uri)
    published(client, uri, 0, since)


def test_checks_across_files_are_made_for_what_is_open(serve: Serve, root: Path) -> None:
    path = knowledge.claim(root, "both", "JWT needs Redis.", "jwt", "gone")
    client = serve(root, capabilities=ABLE)
    assert not any(m.get("method") == PUBLISHED for m in client.received)
    client.open(path.as_uri(), path.read_text("utf-8"), "yaml")
    (dangling,) = published(client, path.as_uri(), 1)
    assert (dangling["code"], dangling["severity"]) == ("dangling-entity", 2)
    page, _, heading = dangling["codeDescription"]["href"].partition("#")
    assert f"## {heading}\n" in Path(page.removeprefix("file://")).read_text("utf-8")
    since = len(client.received)
    knowledge.entity(root, "gone", "Gone again")
    client.save((root / ".vouch" / "entities" / "gone.yaml").as_uri())
    published(client, path.as_uri(), 0, since)
