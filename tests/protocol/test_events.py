"""Documents are events: what is typed, edited and submitted is in play, and is pushed on change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.protocol.client import Client
from tests.protocol.conftest import Serve

SALIENCE = "vouch/didChangeSalience"


def in_play(client: Client, session_id: str | None = None) -> list[str]:
    params = {} if session_id is None else {"session_id": session_id}
    return [row["entity_id"] for row in client.request("vouch/salience", params)["salience"]]


def pushed(client: Client, session_id: str, ids: list[str], since: int = 0) -> Any:
    """The push that says that exactly these entities are in play."""

    def wanted(message: Any) -> bool:
        if message.get("method") != SALIENCE:
            return False
        params = message["params"]
        return (
            params["session_id"] == session_id
            and sorted(row["entity_id"] for row in params["salience"]) == ids
        )

    return client.wait(wanted, since)["params"]


def test_a_prompt_document_belongs_to_the_session_it_names(client: Client) -> None:
    client.open("vouch-prompt:///A/1", "How long does JWT live?", "vouch-prompt")
    assert in_play(client, "A") == ["jwt"]
    assert in_play(client) == []
    client.open("untitled:Untitled-1", "Where is Redis?", "vouch-prompt")
    assert in_play(client) == ["redis"]


def test_a_prompt_is_replaced_in_place_until_it_is_submitted(client: Client) -> None:
    uri = "vouch-prompt:/A/1"
    client.open(uri, "", "vouch-prompt")
    client.change(uri, "How long does JWT live?")
    assert in_play(client, "A") == ["jwt"]
    client.change(uri, "Where is Redis?")
    assert in_play(client, "A") == ["redis"]
    client.save(uri)
    client.change(uri, "How long does JWT live?")
    assert sorted(in_play(client, "A")) == ["jwt", "redis"]
    client.close(uri)
    assert sorted(in_play(client, "A")) == ["jwt", "redis"]


def test_a_client_is_told_the_parts_that_it_wants(serve: Serve, root: Path) -> None:
    client = serve(root, initializationOptions={"push": ["fresh", "everything"]})
    client.notify("vouch/prompt", {"session_id": "A", "text": "Where is Redis?"})
    push = client.notified(SALIENCE)
    assert (push["salience"], push["text"]) == ([], "")  # the known ones count
    assert [row["entity_id"] for row in push["fresh"]] == ["redis"]


def test_a_client_that_wants_nothing_is_told_its_status_alone(serve: Serve, root: Path) -> None:
    client = serve(root, initializationOptions={"push": []})
    since = len(client.received)
    client.notify("vouch/prompt", {"session_id": "A", "text": "Where is Redis?"})
    (root / ".vouch" / "claims" / "broken.yaml").write_text("text: [", "utf-8")
    client.notified("vouch/didChangeStatus", since)
    assert SALIENCE not in {m.get("method") for m in client.received[since:]}
    assert in_play(client, "A") == ["redis"]


def test_the_end_of_a_session_empties_it(client: Client) -> None:
    client.notify("vouch/prompt", {"session_id": "A", "text": "How long does JWT live?"})
    pushed(client, "A", ["jwt"])
    client.notify("vouch/sessionEnd", {"session_id": "A", "reason": "unknown params are ignored"})
    assert in_play(client, "A") == []
    pushed(client, "A", [])


def test_an_edited_document_puts_the_paragraph_just_changed_in_play(
    client: Client, tmp_path: Path
) -> None:
    uri = (tmp_path / "notes.md").as_uri()
    client.open(uri, "Redis is far away.\n\nnothing here\n", "markdown")
    assert in_play(client) == []
    client.change(uri, "Redis is far away.\n\nJWT lives here\n")
    assert in_play(client) == ["jwt"]
    client.change(uri, "Redis is far away.\n\nJWT lives here\n\n", 3)
    assert in_play(client) == ["jwt"]
    client.change(uri, "Redis is far off.\n\nJWT lives here\n\n", 4)
    assert sorted(in_play(client)) == ["jwt", "redis"]
    client.change(uri, "Redis is far off.\n\n\n", 5)
    assert in_play(client) == ["redis"]


def test_a_request_reflects_every_message_before_it(client: Client, tmp_path: Path) -> None:
    uri = (tmp_path / "notes.md").as_uri()
    client.open(uri, "", "markdown")
    asked = []
    for number in range(40):
        name = ("JWT", "Redis")[number % 2]
        client.change(uri, f"{name} {number}", number + 2)
        asked.append((client.start("vouch/salience"), name.lower()))
    for request_id, entity_id in asked:
        rows = client.answer(request_id)["result"]["salience"]
        assert [row["entity_id"] for row in rows] == [entity_id]


def typed(client: Client, uri: str, text: str, more: str) -> str:
    """Types letter by letter at the end of a text."""
    for letter in more:
        text += letter
        client.change(uri, text)
    return text


def test_a_half_typed_word_counts_when_it_ends_or_stands_still(
    client: Client, tmp_path: Path
) -> None:
    uri = (tmp_path / "notes.md").as_uri()
    client.open(uri, "", "markdown")
    since = len(client.received)
    text = typed(client, uri, "", "We met the Redisons. ")
    pushes = [m for m in client.received[since:] if m.get("method") == SALIENCE]
    assert in_play(client) == []
    assert pushes == []
    since = len(client.received)
    typed(client, uri, text, "Then Redis")
    session_id = client.request("vouch/salience")["session_id"]
    push = pushed(client, session_id, ["redis"], since)
    assert [row["entity_id"] for row in push["fresh"]] == ["redis"]
