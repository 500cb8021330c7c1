"""Floods, requests that are taken back at once, and messages in pieces: every request is answered
once, and what comes after is answered as ever.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from tests.protocol import knowledge
from tests.protocol.client import Client, running
from tests.soak import LONG, soak

ROUNDS = 5_000 if LONG else 300
CANCELLED = -32800
TEXT = "Does JWT 😀 rotate, and is Rédis 密码 next to it? " * 20
ASKED: dict[str, dict[str, Any]] = {
    "vouch/context": {"task": "How long does a JWT live, and who knows Redis?"},
    "vouch/explain": {"text": TEXT},
    "vouch/mentions": {"text": TEXT},
    "vouch/search": {"query": "JWT tokens"},
    "vouch/experts": {"topic": "jwt", "weight": "evidence"},
    "textDocument/hover": {
        "textDocument": {"uri": "file:///flood.md"},
        "position": {"line": 0, "character": 6},
    },
}


def serving(client: Client, root: Path) -> None:
    client.initialize(root)
    client.indexed()
    client.open("file:///flood.md", TEXT, "markdown")


def answers(client: Client, since: int) -> dict[int, Any]:
    """By id, what was answered; nothing is answered twice."""
    found = [one for one in client.received[since:] if "method" not in one]
    by_id = {row["id"]: row for row in found}
    assert len(by_id) == len(found)
    return by_id


@soak
def test_a_storm_of_requests_that_are_taken_back(tmp_path: Path) -> None:
    root, random = knowledge.make(tmp_path / "kb"), Random(5)
    with running(cwd=root) as client:
        serving(client, root)
        wanted = client.request("vouch/experts", {"topic": "jwt"})
        since, asked, taken_back = len(client.received), [], set()
        for number in range(ROUNDS):
            method = random.choice(list(ASKED))
            asked.append(client.start(method, ASKED[method]))
            client.change("file:///flood.md", f"{TEXT}\nJWT {number}", number + 2)
            while random.random() < 0.5:
                taken_back.add(random.choice(asked))
                client.notify("$/cancelRequest", {"id": max(taken_back)})
        for request_id in asked:
            client.answer(request_id)
        found_by_id = answers(client, since)
        for request_id in asked:
            found = found_by_id[request_id]
            if "error" in found:
                assert found["error"]["code"] == CANCELLED
                assert request_id in taken_back
        again = client.request("vouch/experts", {"topic": "jwt"})
        assert again["experts"] == wanted["experts"]
        assert client.strays == b""
