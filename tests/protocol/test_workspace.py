"""Several knowledge bases, wherever they lie, and the client's settings."""

from pathlib import Path

import pytest

from tests.protocol import knowledge
from tests.protocol.client import Client, at, hover
from tests.protocol.conftest import Serve, Start

TASK = {"task": "How long does JWT live, and where is Redis?"}
ONE = {"recall": {"max_results": 1}}


def collections(client: Client) -> list[str]:
    return sorted(root["collection"] for root in client.request("vouch/status")["roots"])


def test_a_document_of_elsewhere_has_its_own_base(serve: Serve, root: Path, tmp_path: Path) -> None:
    other = knowledge.make(tmp_path / "other")
    knowledge.entity(other, "left", "Leftpad")
    knowledge.claim(other, "planted", "Leftpad signs JWT at any hour.", "left", "jwt")
    client = serve(root)
    uri = (other / "src" / "a.md").as_uri()
    client.open(uri, "Leftpad and JWT", "markdown")
    client.until("textDocument/hover", at(uri, 0, 1), lambda result: result is not None)
    assert client.request("vouch/mentions", {"uri": uri})["mentions"][0]["entity_id"] == "left"
    assert collections(client) == ["project"]
    for operation, params in (
        ("experts", {"topic": "jwt"}),
        ("context", {"task": "What does Leftpad sign at any hour?"}),
        ("salience", {}),
    ):
        assert "planted" not in str(client.request(f"vouch/{operation}", params))
    assert client.refused("vouch/experts", {"topic": "jwt", "root": str(other)})["code"] == -32602
    client.close(uri)
    assert hover(client, "Leftpad", 0, 1, (root / "b.md").as_uri()) is None
    client.open(uri, "Leftpad", "markdown")
    client.until("textDocument/hover", at(uri, 0, 1), lambda result: result is not None)


def test_without_a_folder_there_is_what_open_documents_bring(serve: Serve, root: Path) -> None:
    """Nothing before: every question has an answer without content."""
    client, uri = serve(), (root / "a.md").as_uri()
    assert collections(client) == []
    for operation, params, field in (
        ("experts", {"topic": "jwt"}, "experts"),
        ("salience", None, "salience"),
        ("search", {"query": "jwt"}, "hits"),
        ("context", {"task": "jwt"}, "text"),
    ):
        assert not client.request(f"vouch/{operation}", params)[field]
    client.open(uri, "JWT", "markdown")
    client.until("vouch/status", {}, lambda status: status["roots"])
    client.close(uri)
    client.until("vouch/status", {}, lambda status: not status["roots"])


def test_a_package_brings_no_knowledge_base(serve: Serve, root: Path, tmp_path: Path) -> None:
    folders = ("node_modules/left", ".venv/lib/site-packages/l")
    places = [base / folder for base in (root, tmp_path / "elsewhere") for folder in folders]
    for place in places:
        knowledge.make(place)
        knowledge.entity(place, "left", "Leftpad")
    client = serve(root)
    for place in places:
        uri = (place / "a.md").as_uri()
        client.open(uri, "Leftpad", "markdown")
        client.until("vouch/status", {}, lambda result: result["complete"])
        assert client.request("textDocument/hover", at(uri, 0, 1)) is None
    assert collections(client) == ["project"]


def test_settings_at_the_start_and_later(serve: Serve, root: Path) -> None:
    """Of a client that has our section of them, whose groups count."""
    client = serve(root, initializationOptions={"settings": ONE, "session_id": "own"})
    assert said(client) == 1
    assert client.request("vouch/salience")["session_id"] == "own"
    for settings, number in (
        ({"vouchSidecar": {"recall": {"max_results": 3}}}, 2),
        ({"vouchSidecar": ONE}, 1),
        ({"python": {"x": 1}}, 1),
        (None, 1),
        ({"vouchSidecar": None}, 2),
    ):
        client.notify("workspace/didChangeConfiguration", {"settings": settings})
        assert said(client) == number, settings


@pytest.mark.parametrize("options", [3, {"settings": ONE, "viewer": 3, "push": "none"}])
def test_options_of_another_form_are_none(serve: Serve, root: Path, options: object) -> None:
    client = serve(root, initializationOptions=options)
    assert said(client) == (2 if options == 3 else 1)
    client.open("vouch-prompt:/A/1", "Where is Redis?", "vouch-prompt")
    client.pushed("A", ["redis"])


def test_a_misspelt_setting_is_always_said(start: Start, root: Path, tmp_path: Path) -> None:
    misspelt = {"trusts": {"folders": ["/"]}}
    nearest = "`vouchSidecar.trusts` is no setting; did you mean `vouchSidecar.trust`?"
    for folder in (root, tmp_path / "nothing"):
        folder.mkdir(exist_ok=True)
        client = start()
        client.initialize(folder, initializationOptions={"settings": misspelt})
        if folder == root:
            (served,) = client.request("vouch/status", {})["roots"]
            assert [problem["message"] for problem in served["problems"]] == [nearest]
        told = client.wait(lambda m: m.get("params", {}).get("quiescent"))["params"]
        assert (told["health"], told["message"]) == ("warning", nearest)


def said(client: Client) -> int:
    return len(client.request("vouch/context", TASK)["items"])
