"""What the real vouch-kb does beside a running server is in its answers."""

from __future__ import annotations

import pytest

from tests.conftest import MakeKb
from tests.protocol.client import Client
from tests.protocol.conftest import Start

ASKED = {"query": "vault keys", "kinds": ["claim"]}


def texts(client: Client) -> list[str]:
    return sorted(hit["snippet"] for hit in client.request("vouch/search", ASKED)["hits"])


def served(client: Client, expected: list[str]) -> None:
    """Wait until these are the claims that are served."""
    client.until("vouch/search", ASKED, lambda _: texts(client) == expected)


def test_approve_supersede_and_redact(
    make_kb: MakeKb, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monthly, weekly, daily = (f"The vault keys rotate {o}." for o in ("monthly", "weekly", "daily"))
    sourced = {"op": "claim", "evidence": ["@s"]}
    kb = make_kb(
        {"op": "source", "content": "notes", "as": "s"},
        {**sourced, "text": monthly, "slug_hint": "monthly"},
        {**sourced, "text": weekly, "slug_hint": "weekly"},
    )
    client = start(cwd=kb.root)
    client.initialize(kb.root)
    client.indexed()
    assert client.request("vouch/status")["watcher"] == "own"  # not the sweep, which is later
    assert texts(client) == [monthly, weekly]
    kb.vouch("supersede", "monthly", "weekly")
    served(client, [weekly])
    monkeypatch.setenv("VOUCH_AGENT", "author")
    kb.vouch("propose-claim", "--text", daily, "--source", kb.results[1])
    (proposal,) = (kb.root / ".vouch" / "proposed").iterdir()
    assert texts(client) == [weekly]
    monkeypatch.setenv("VOUCH_AGENT", "reviewer")
    kb.vouch("approve", proposal.stem)
    served(client, [daily, weekly])
    kb.vouch("redact", "weekly")
    served(client, [daily])
    assert weekly not in client.errors.decode()
