"""What each weight of `experts` adds: a row of `SCORES` for each."""

from __future__ import annotations

from math import prod
from pathlib import Path

import pytest
from vouch_sidecar.engine import Engine
from vouch_sidecar.retrieval.people.weights import WEIGHTS

from tests.engine.bases import ask, base, counts, engine_on, known
from tests.kb.samples import claim, entity
from tests.workspace.places import cite

SCORES = {
    "count": {"zeta": 2.0, "alpha": 1.0},
    "recency": {"zeta": 1.0, "alpha": 0.5},
    "citation": {"alpha": 1.0, "zeta": 1.0},  # equals by id
    "evidence": {"alpha": 1.0, "zeta": 0.5},  # zeta says it twice
}
"""By weight the scores, best first, of `alpha`, which one claim is about that is sure, and `zeta`,
which two are about that are half as sure. All say “It was weighed.”, cite one source each, and are
of 30 days ago, by a time without a zone.
"""


def test_what_each_weight_adds(tmp_path: Path) -> None:
    assert SCORES.keys() == WEIGHTS.keys()
    named = {f"entities/{name}.yaml": entity(name, name=name) for name in ("alpha", "zeta")}
    root = base(tmp_path, named)
    then = "2026-08-22T14:13:20"  # 30 days before `bases.NOW`, by UTC
    for name, who, confidence in (("a", "alpha", 1.0), ("b", "zeta", 0.5), ("c", "zeta", 0.5)):
        said = "It was weighed."
        cite(root, name, said, "a.md", entities=[who], confidence=confidence, updated_at=then)
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


@pytest.mark.parametrize(
    ("ada", "bo"),
    [
        (["Fixed the codec."], "- “Codecs: fixed.”"),  # begins with the topic
        (["The codec is slow.", "the  codec is slow."], "Codec: slow."),  # said twice
    ],
)
def test_evidence_ranks_otherwise_than_count(tmp_path: Path, ada: list[str], bo: str) -> None:
    files = known("ada", "Ada Quince") | known("bo", "Bo Quince", bo)
    for number, text in enumerate(ada):
        files[f"claims/ada-{number}.yaml"] = claim(f"ada-{number}", text=text, entities=["ada"])
    engine = engine_on(base(tmp_path, files))
    assert [*counts(engine, "codec")] == ["ada", "bo"]
    assert [*counts(engine, "codec", weight="evidence")] == ["bo", "ada"]
