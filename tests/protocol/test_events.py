"""Documents are events: what is typed, edited and submitted is in play, and is pushed on change."""

from tests.protocol.client import SALIENCE, Client


def test_a_prompt_is_replaced_in_place_until_it_is_submitted(client: Client) -> None:
    """In the session that it names, else in the client's. One that is opened again was closed."""
    for text in ("Where is Redis?", "What is a JWT?"):
        client.open("vouch-prompt:/B/1", text, "vouch-prompt")
    client.pushed("B", ["jwt", "redis"])
    client.open("untitled:Untitled-1", "Where is Redis?", "vouch-prompt")
    uri = "vouch-prompt:/A/1"
    client.open(uri, "", "vouch-prompt")
    client.change(uri, "How long does JWT live?")
    assert client.in_play("A") == ["jwt"]
    client.change(uri, "Where is Redis?")
    assert client.in_play("A") == ["redis"]
    client.save(uri)
    client.change(uri, "How long does JWT live?")
    assert client.in_play("A") == ["jwt", "redis"]
    client.close(uri)
    assert client.in_play("A") == ["jwt", "redis"]
    assert client.in_play() == ["redis"]


def test_a_request_reflects_every_message_before_it(client: Client) -> None:
    uri = "file:///notes.md"
    client.open(uri, "Redis and JWT.\n\n", "markdown")
    asked = []
    for number in range(40):
        name = ("JWT", "Redis")[number % 2]
        client.change(uri, f"Redis and JWT.\n\n{name} {number}", number + 2)
        asked.append((client.start("vouch/salience"), name.lower()))
    for request_id, entity_id in asked:
        rows = client.answer(request_id)["result"]["salience"]
        assert [row["entity_id"] for row in rows] == [entity_id]


def test_what_was_typed_before_a_question_of_its_session_is_older(client: Client) -> None:
    client.open("vouch-prompt:///A/1", "Where is Redis?", "vouch-prompt")
    found = client.request("vouch/search", {"query": "How long does JWT live?", "session_id": "A"})
    assert [row["entity_id"] for row in found["_meta"]["vouch_salience"]] == ["jwt", "redis"]
    client.pushed("A", ["jwt", "redis"])
    client.notify("vouch/sessionEnd", {"session_id": "A", "reason": "unknown params are ignored"})
    assert client.in_play("A") == []
    client.pushed("A", [])


def test_a_half_typed_word_counts_when_it_ends_or_stands_still(client: Client) -> None:
    uri = "file:///notes.md"
    client.open(uri, "", "markdown")
    since = len(client.received)
    text = "We met the Redisons. Then Redis"
    for end in range(1, 22):
        client.change(uri, text[:end])
    assert client.in_play() == []
    assert SALIENCE not in {message.get("method") for message in client.received[since:]}
    for end in range(22, len(text) + 1):
        client.change(uri, text[:end])
    session_id = client.request("vouch/salience")["session_id"]
    push = client.pushed(session_id, ["redis"], since)
    assert [row["entity_id"] for row in push["fresh"]] == ["redis"]
