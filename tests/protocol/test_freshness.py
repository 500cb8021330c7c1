"""What changes on disk is served without being asked for, whatever the client can or cannot do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.protocol import knowledge
from tests.protocol.client import Client
from tests.protocol.conftest import Start


def claims_on(client: Client, topic: str = "jwt") -> int:
    rows = client.request("vouch/experts", {"topic": topic})["experts"]
    return sum(row["claim_count"] for row in rows if row["entity_id"] == topic)


def served(client: Client, count: int) -> None:
    """Wait until so many claims on JWT are served."""
    client.until(
        "vouch/experts",
        {"topic": "jwt"},
        lambda result: (
            [row["claim_count"] for row in result["experts"] if row["entity_id"] == "jwt"]
            == [count]
        ),
    )


def connected(start: Start, root: Path, **options: Any) -> Client:
    client = start(reply=options.pop("reply", None))
    client.initialize(root, **options)
    client.indexed()
    assert claims_on(client) == 2
    return client


@pytest.mark.parametrize("event", ["saved", "changed"])
def test_a_question_reflects_what_was_saved_before_it(start: Start, root: Path, event: str) -> None:
    client = connected(start, root)
    for number in range(3, 7):
        path = knowledge.claim(root, f"jwt-{number}", "JWT is signed with ES256.", "jwt")
        if event == "saved":
            client.save(path.as_uri())
        else:
            change = {"uri": path.as_uri(), "type": 1}
            client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
        result = client.request("vouch/experts", {"topic": "jwt"})
        counts = [row["claim_count"] for row in result["experts"] if row["entity_id"] == "jwt"]
        assert counts == [number] or "index_building" in result["degraded"]
        served(client, number)


def test_health_is_told_on_change(start: Start, root: Path) -> None:
    client = connected(start, root)
    first = client.wait(
        lambda m: m.get("method") == "vouch/didChangeStatus" and m["params"]["quiescent"]
    )["params"]
    assert set(first) == {"health", "quiescent", "message", "generation"}
    assert first["health"] == "ok"
    since = len(client.received)
    (root / ".vouch" / "claims" / "broken.yaml").write_text("id: [", "utf-8")
    told = client.wait(
        lambda m: m.get("method") == "vouch/didChangeStatus" and m["params"]["health"] != "ok",
        since,
    )["params"]
    assert told["health"] == "warning"
    assert "broken.yaml" in told["message"]
