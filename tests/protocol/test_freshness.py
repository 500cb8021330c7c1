"""What changes on disk is served without being asked for, whatever the client can or cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.protocol import knowledge
from tests.protocol.client import Client
from tests.protocol.conftest import Serve

STATUS = "vouch/didChangeStatus"


def counts(result: dict[str, list[dict[str, object]]]) -> list[object]:
    return [row["claim_count"] for row in result["experts"] if row["entity_id"] == "jwt"]


@pytest.mark.parametrize("event", ["saved", "changed"])
def test_a_question_reflects_what_was_saved_before_it(serve: Serve, root: Path, event: str) -> None:
    client: Client = serve(root)
    for number in range(3, 7):
        path = knowledge.claim(root, f"jwt-{number}", "JWT is signed with ES256.", "jwt")
        if event == "saved":
            client.save(path.as_uri())
        else:
            change = {"uri": path.as_uri(), "type": 1}
            client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
        result = client.request("vouch/experts", {"topic": "jwt"})
        assert counts(result) == [number] or "index_building" in result["degraded"]
        client.until("vouch/experts", {"topic": "jwt"}, lambda r, n=number: counts(r) == [n])  # type: ignore[misc]


def test_health_is_told_on_change(serve: Serve, root: Path) -> None:
    client = serve(root)
    first = client.wait(lambda m: m.get("method") == STATUS and m["params"]["quiescent"])["params"]
    assert set(first) == {"health", "quiescent", "message", "generation"}
    assert first["health"] == "ok"
    (root / ".vouch" / "claims" / "broken.yaml").write_text("id: [", "utf-8")
    told = client.wait(lambda m: m.get("method") == STATUS and m["params"]["health"] != "ok")
    assert told["params"]["health"] == "warning"
    assert "broken.yaml" in told["params"]["message"]
