"""A first index that takes long is shown, in clients that can show it."""

from __future__ import annotations

from pathlib import Path

from tests.protocol import knowledge
from tests.protocol.conftest import Start

CAN_SHOW = {"window": {"workDoneProgress": True}}


def test_progress_of_a_long_first_index(start: Start, root: Path) -> None:
    for number in range(8_000):
        knowledge.claim(root, f"claim-{number}", f"JWT is used {number} times a day.", "jwt")
    client = start()
    client.initialize(root, capabilities=CAN_SHOW)
    created = client.wait(lambda m: m.get("method") == "window/workDoneProgress/create")
    token = created["params"]["token"]
    early = client.request("vouch/experts", {"topic": "jwt"})
    assert (early["complete"], early["degraded"]) == (False, ["index_building"])
    client.wait(lambda m: m.get("params", {}).get("value", {}).get("kind") == "end")
    shown = [m["params"] for m in client.received if m.get("method") == "$/progress"]
    assert [(row["token"], row["value"]["kind"]) for row in shown] == [
        (token, "begin"),
        (token, "end"),
    ]
    client.indexed()
    client.until("vouch/entity", {"id": "jwt"}, lambda found: found["claim_count"] == 8_002)
