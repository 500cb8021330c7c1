"""What each weight of `experts` adds: a row of `SCORES` for each."""

from math import prod
from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.retrieval.people.weights import WEIGHTS

from tests.engine.bases import ask, base, engine_on
from tests.kb.samples import entity
from tests.workspace.places import cite

SCORES = {
    "count": {"zeta": 2.0, "alpha": 1.0},
    "recency": {"zeta": 1.0, "alpha": 0.5},
    "citation": {"alpha": 1.0, "zeta": 1.0},  # equals by id
    "evidence": {"alpha": 2.0, "zeta": 0.5},  # alpha begins with it, zeta says it twice
}
"""By weight the scores, best first."""
SAID = (
    ("alpha", 1.0, "- “Weighed: it.”"),
    ("zeta", 0.5, "It is weighed."),
    ("zeta", 0.5, "it  is weighed."),
)
"""The claims: whom each is about, how sure it is, and its text."""


def test_what_each_weight_adds(tmp_path: Path) -> None:
    assert SCORES.keys() == WEIGHTS.keys()
    named = {f"entities/{name}.yaml": entity(name, name=name) for name in ("alpha", "zeta")}
    root = base(tmp_path, named)
    then = "2026-08-22T14:13:20"  # 30 days before `bases.NOW`, by UTC
    for number, (who, sure, said) in enumerate(SAID):
        cite(root, f"c{number}", said, "a.md", entities=[who], confidence=sure, updated_at=then)
    engine = engine_on(root)
    for weight, scores in SCORES.items():
        found = ask(engine, "experts", topic="weighed", weight=weight)["experts"]
        assert [(row["entity_id"], row["score"]) for row in found] == [*scores.items()]


@pytest.mark.parametrize("weight", WEIGHTS)
def test_an_explanation_adds_up(engine: Engine, weight: str) -> None:
    asked = {"topic": "mail relay keys", "weight": weight, "explain": True}
    for row in ask(engine, "experts", None, **asked)["experts"]:
        for one in row["explain"]:
            assert one["contribution"] == pytest.approx(prod(one["factors"].values()))
        parts = sum(one["contribution"] for one in row["explain"])
        assert row["score"] == pytest.approx(parts, abs=1e-6)
        assert row["top_claim_ids"] == [one["claim_id"] for one in row["explain"][:3]]
