"""Where the contract says that we answer as vouch does, we do, number for number."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.conftest import MakeKb
from tests.oracle import OracleKb
from tests.parity import corpus
from tests.parity.ours import Row, Sidecar, by_score

WEIGHTS = ["count", "recency", "citation"]
LIMIT = 10
HITS = 50
"""vouch looks at its 50 best hits; with more it does not see every claim."""


@pytest.fixture(scope="module")
def kb(make_kb: MakeKb) -> OracleKb:
    return make_kb(*corpus.steps())


@pytest.fixture(scope="module")
def sidecar(kb: OracleKb) -> Sidecar:
    return Sidecar(kb, agent=corpus.AGENT)


def test_aggregation_is_the_same_for_the_same_claims(kb: OracleKb, sidecar: Sidecar) -> None:
    words = corpus.vocabulary()[:60]
    asked = [*words, *map(" ".join, pairwise(words)), "of the and"]
    matched = [sidecar.matched(topic) for topic in asked]
    [theirs] = kb.run({"op": "experts_given", "matched": matched, "weights": WEIGHTS, "limit": 100})
    assert sum(len(claims) > 3 for claims in matched) > 10
    for topic, answer in zip(asked, theirs, strict=True):
        for weight in WEIGHTS:
            ours = sidecar.experts(topic, weight, limit=100)
            assert by_score(ours) == by_score(answer[weight]), (topic, weight)


def test_matching_is_the_same_for_plain_words(kb: OracleKb, sidecar: Sidecar) -> None:
    words = corpus.vocabulary()[::2]
    [hits] = kb.run({"op": "search", "queries": words, "limit": 4 * HITS})
    topics = [word for word, found in zip(words, hits, strict=True) if len(found) <= HITS]
    [theirs, everything] = kb.run(
        {"op": "experts", "topics": topics, "weights": WEIGHTS, "limit": LIMIT},
        {"op": "experts", "topics": topics, "weights": WEIGHTS, "limit": 100},
    )
    assert sum(bool(answer["count"]) for answer in theirs) >= 100
    for topic, answer, all_rows in zip(topics, theirs, everything, strict=True):
        for weight in WEIGHTS:
            ours = sidecar.experts(topic, weight, limit=LIMIT)
            assert_same_head(ours, answer[weight], all_rows[weight], (topic, weight))


def assert_same_head(
    ours: list[Row], theirs: list[Row], all_theirs: list[Row], asked: tuple[str, str]
) -> None:
    """Equal rows down to the last score, whose rows may be others of that score."""
    assert [row["score"] for row in ours] == [row["score"] for row in theirs], asked
    last = ours[-1]["score"] if ours else 0.0
    assert by_score([r for r in ours if r["score"] > last]) == by_score(
        [r for r in theirs if r["score"] > last]
    ), asked
    tied = [row for row in all_theirs if row["score"] == last]
    assert all(row in tied for row in ours if row["score"] == last), asked
