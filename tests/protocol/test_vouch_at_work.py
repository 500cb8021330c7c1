"""What the real vouch-kb does beside a running server is in the answer half a second later."""

from __future__ import annotations

import time

import pytest

from tests.conftest import MakeKb
from tests.protocol.client import Client
from tests.protocol.conftest import Start

ASKED = {"query": "vault keys", "kinds": ["claim"]}
LATE = 0.5
BUSY = 1.0
"""Seconds that a busy machine may need beside that."""


def texts(client: Client) -> list[str]:
    return sorted(hit["snippet"] for hit in client.request("vouch/search", ASKED)["hits"])


def soon(client: Client, expected: list[str]) -> None:
    """These are the claims that are served, within the time."""
    until = time.monotonic() + LATE + BUSY
    while texts(client) != expected and time.monotonic() < until:
        time.sleep(0.01)
    assert texts(client) == expected


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
    assert texts(client) == [monthly, weekly]
    kb.vouch("supersede", "monthly", "weekly")
    soon(client, [weekly])
    monkeypatch.setenv("VOUCH_AGENT", "author")
    kb.vouch("propose-claim", "--text", daily, "--source", kb.results[1])
    (proposal,) = (kb.root / ".vouch" / "proposed").iterdir()
    assert texts(client) == [weekly]
    monkeypatch.setenv("VOUCH_AGENT", "reviewer")
    kb.vouch("approve", proposal.stem)
    soon(client, [daily, weekly])
    kb.vouch("redact", "weekly")
    soon(client, [daily])
    assert weekly not in client.errors.decode()
