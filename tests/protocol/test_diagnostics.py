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
    ("units", "column"), [("utf-8", 30), ("utf-16", 24), ("utf-32", 21), (None, 24)]
)
@pytest.mark.parametrize("opened", [False, True])
def test_columns_are_in_the_units_of_the_client(
    start: Start, root: Path, units: str | None, column: int, opened: bool
) -> None:
    path = root / ".vouch" / "claims" / "x.yaml"
    text = f'{{id: x, text: "🚀🚀🚀", confidence: 7, evidence: [{knowledge.SOURCE}]}}\n'
    path.write_text(text, "utf-8")
    client = start()
    general = {} if units is None else {"general": {"positionEncodings": [units]}}
    client.initialize(root, capabilities=general)
    if opened:
        client.open(path.as_uri(), text, "yaml")
    client.indexed()
    (found,) = published(client, path.as_uri(), 1)
    assert found["range"]["start"] == {"line": 0, "character": column}


def test_config_is_checked_as_well(start: Start, root: Path) -> None:
    knowledge.config(root, "retrieval:\n  reflex:\n    window: true\n")
    client = start()
    client.initialize(root)
    uri = (root / ".vouch" / "config.yaml").as_uri()
    (found,) = published(client, uri, 1)
    assert found["range"]["start"]["line"] == 2
    assert found["message"].startswith("`retrieval.reflex.window` must be")


def test_the_end_of_a_torn_file_is_on_its_last_line(start: Start, root: Path) -> None:
    path = root / ".vouch" / "claims" / "x.yaml"
    path.write_text("id: x\ntext: [é\n", "utf-8")
    client = start()
    client.initialize(root)
    (found,) = published(client, path.as_uri(), 1)
    assert found["range"]["start"] == {"line": 1, "character": 8}


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


def test_only_its_problems_follow_the_text_of_an_open_document(client: Client, root: Path) -> None:
    saved = client.request("vouch/claim", {"id": "jwt-expires"})["claim"]
    uri = (root / ".vouch" / "claims" / "jwt-expires.yaml").as_uri()
    redacted = knowledge.claim_text("jwt-expires", "JWT is typed.", "jwt", status="redacted")
    client.open(uri, redacted, "yaml")
    assert client.request("vouch/claim", {"id": "jwt-expires"})["claim"] == saved
    assert not client.request("vouch/search", {"query": "typed"})["hits"]


def test_an_open_config_is_checked_as_it_stands(client: Client, root: Path) -> None:
    uri = (root / ".vouch" / "config.yaml").as_uri()
    client.open(uri, "retrieval:\n  reflex:\n    enabled: false\n    window: true\n", "yaml")
    (found,) = published(client, uri, 1)
    assert found["range"]["start"]["line"] == 3
    client.notify("vouch/prompt", {"session_id": "A", "text": "How long does JWT live?"})
    assert client.request("vouch/salience", {"session_id": "A"})["salience"]
    since = len(client.received)
    client.close(uri)
    published(client, uri, 0, since)


def test_checks_across_files_are_made_for_what_is_open(serve: Serve, root: Path) -> None:
    path = knowledge.claim(root, "both", "JWT needs Redis.", "jwt", "gone")
    client = serve(root, capabilities=ABLE)
    assert not any(m.get("method") == PUBLISHED for m in client.received)
    client.open(path.as_uri(), path.read_text("utf-8"), "yaml")
    dangling, undeclared = published(client, path.as_uri(), 2)
    assert (dangling["code"], dangling["severity"]) == ("dangling-entity", 2)
    assert (undeclared["code"], undeclared["severity"]) == ("undeclared-entity", 4)
    page, _, heading = dangling["codeDescription"]["href"].partition("#")
    assert f"## {heading}\n" in Path(page.removeprefix("file://")).read_text("utf-8")
    since = len(client.received)
    knowledge.entity(root, "gone", "Gone again")
    client.save((root / ".vouch" / "entities" / "gone.yaml").as_uri())
    published(client, path.as_uri(), 1, since)
    since = len(client.received)
    client.close(path.as_uri())
    published(client, path.as_uri(), 0, since)


def test_a_deleted_file_has_no_problems(start: Start, root: Path) -> None:
    path = knowledge.write(root, "claims/broken.yaml", "id: broken\n<<<<<<< HEAD\n")
    client = start()
    client.initialize(root)
    (found,) = published(client, path.as_uri(), 1)
    assert found["code"] == "git-conflict"
    since = len(client.received)
    path.unlink()
    client.save(path.as_uri())
    published(client, path.as_uri(), 0, since)


def test_severities_of_the_client(start: Start, root: Path) -> None:
    path = knowledge.claim(root, "both", "JWT needs Redis.", "jwt")
    client = start()
    settings = {"diagnostics": {"warning": ["undeclared-entity"]}}
    client.initialize(root, initializationOptions={"settings": settings})
    client.indexed()
    client.open(path.as_uri(), path.read_text("utf-8"), "yaml")
    (found,) = published(client, path.as_uri(), 1)
    assert found["severity"] == 2


def test_an_unknown_part_of_pushes_is_one(start: Start, root: Path) -> None:
    client = start()
    client.initialize(root, initializationOptions={"push": ["fresh", "salienc"]})
    client.indexed()
    (found,) = published(client, (root / ".vouch").as_uri(), 1)
    assert "`salienc`; did you mean `salience`?" in found["message"]
