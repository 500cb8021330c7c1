"""A document under `.vouch/` that is open counts as it stands in the editor, for its connection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.protocol.client import Client
from tests.protocol.knowledge import claim_text


@pytest.fixture
def claim_uri(root: Path) -> str:
    return (root / ".vouch" / "claims" / "jwt-expires.yaml").as_uri()


def text_of(client: Client, claim_id: str = "jwt-expires") -> Any:
    return client.request("vouch/claim", {"id": claim_id})["claim"]["text"]


def test_what_is_typed_counts_until_it_is_closed(client: Client, claim_uri: str) -> None:
    on_disk = text_of(client)
    client.open(claim_uri, claim_text("jwt-expires", on_disk, "jwt"), "yaml")
    client.change(claim_uri, claim_text("jwt-expires", "JWT lives for an hour.", "jwt"))
    assert text_of(client) == "JWT lives for an hour."
    client.change(claim_uri, "id: [broken", 3)
    assert text_of(client) == "JWT lives for an hour."
    client.close(claim_uri)
    assert text_of(client) == on_disk


def test_a_new_document_is_a_new_artifact(client: Client, root: Path) -> None:
    uri = (root / ".vouch" / "claims" / "jwt-signed.yaml").as_uri()
    client.open(uri, claim_text("jwt-signed", "JWT is signed with ES256.", "jwt"), "yaml")
    rows = client.request("vouch/experts", {"topic": "jwt"})["experts"]
    assert rows[0]["claim_count"] == 3
    client.close(uri)
    rows = client.request("vouch/experts", {"topic": "jwt"})["experts"]
    assert rows[0]["claim_count"] == 2


def test_what_is_retired_in_the_editor_is_not_said(client: Client, claim_uri: str) -> None:
    client.open(claim_uri, claim_text("jwt-expires", "JWT.", "jwt", status="redacted"), "yaml")
    assert client.refused("vouch/claim", {"id": "jwt-expires"})["code"] == -32602


def test_config_counts_as_well(client: Client, root: Path) -> None:
    client.notify("vouch/prompt", {"session_id": "A", "text": "How long does JWT live?"})
    assert client.request("vouch/salience", {"session_id": "A"})["salience"]
    uri = (root / ".vouch" / "config.yaml").as_uri()
    client.open(uri, "retrieval:\n  reflex:\n    enabled: false\n", "yaml")
    assert not client.request("vouch/salience", {"session_id": "A"})["salience"]
    client.close(uri)


def test_a_request_waits_for_the_large_document_before_it(client: Client, claim_uri: str) -> None:
    """Large documents are read beside the messages; answers come in order all the same."""
    long = "word " * 10_000
    client.open(claim_uri, claim_text("jwt-expires", "JWT lives. " + long, "jwt"), "yaml")
    assert text_of(client).startswith("JWT lives. word")
    for number in range(5):
        text = claim_text("jwt-expires", f"JWT {number}. " + long, "jwt")
        client.change(claim_uri, text, number + 2)
    asked = [client.start("vouch/claim", {"id": "jwt-expires"})]
    client.change(claim_uri, claim_text("jwt-expires", "JWT ends.", "jwt"), 8)
    asked.append(client.start("vouch/claim", {"id": "jwt-expires"}))
    answers = [client.answer(number)["result"]["claim"]["text"][:6] for number in asked]
    assert answers == ["JWT 4.", "JWT en"]
    client.close(claim_uri)
    assert "word" not in text_of(client)
