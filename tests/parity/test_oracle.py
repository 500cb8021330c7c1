"""The oracle itself: the right version, and a clock that stands still."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import MakeKb
from tests.oracle import NOW, run_vouch


def test_the_real_command_is_the_version_that_we_compare_with(vouch_kb: Path) -> None:
    assert "1.5.0" in run_vouch(vouch_kb.parent, "--version")


def test_the_clock_of_vouch_is_ours(make_kb: MakeKb) -> None:
    kb = make_kb(
        {"op": "source", "content": "Parcels are weighed twice.", "as": "note"},
        {"op": "entity", "name": "Scale", "entity_type": "system", "as": "scale"},
        {
            "op": "claim",
            "text": "Parcels are weighed twice",
            "evidence": ["@note"],
            "entities": ["@scale"],
            "slug_hint": "weighed",
            "at": "2026-10-16T12:00:00+00:00",
        },
        {"op": "index"},
        {
            "op": "experts",
            "topics": ["parcels"],
            "weights": ["recency"],
            "at": NOW.isoformat(),
        },
    )
    [row] = kb.results[-1][0]["recency"]
    assert row["score"] == 0.5  # one half-life of 30 days
    assert row["top_claim_ids"] == ["weighed"]
    assert "weighed" in kb.vouch("experts", "parcels", "--json")
