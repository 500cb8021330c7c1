"""Where we answer otherwise than vouch, on purpose: both answers, side by side.

An answer is `{entity id: claim count}`, in the order of the rows.
"""

from __future__ import annotations

import pytest

from tests.conftest import MakeKb
from tests.engine.bases import ask, counts, engine_on
from tests.oracle import OracleKb, Step, vouch

Answer = dict[str, int]
ARCHIVED = {"then": {"status": "archived"}}
QUEUES = {
    "gate": "A queue is drained before midnight",
    "depot": "A queue keeps its order",
    "locker": "Doors open at midnight",
    "lamp": "All of the lights are red",
}


def claim(text: str, entity: str, **fields: object) -> Step:
    return {"op": "claim", "text": text, "evidence": ["@note"], "entities": [entity], **fields}


def made(make_kb: MakeKb, *claims: Step) -> OracleKb:
    """A knowledge base with these claims and their entities, and a note that they cite, that vouch
    has indexed.
    """
    slugs = {slug: None for each in claims for slug in each["entities"]}
    kb = make_kb(
        {"op": "source", "content": "What was said in the meeting.", "as": "note"},
        *({"op": "entity", "name": slug, "entity_type": "concept"} for slug in slugs),
        *claims,
    )
    vouch("health").rebuild_index(kb.store)
    return kb


def vouch_says(kb: OracleKb, topic: str, weight: str = "count", limit: int = 10) -> Answer:
    rows = vouch("experts").rank_experts(kb.store, topic, limit=limit, weight=weight)
    return {row["entity_id"]: row["claim_count"] for row in rows}


def we_say(kb: OracleKb, topic: str, weight: str = "count", limit: int = 10) -> Answer:
    return counts(engine_on(kb.root), topic, weight=weight, limit=limit, linking="declared")


@pytest.mark.parametrize(
    ("claims", "topic", "theirs", "ours"),
    [
        ({"depot": "Deployments are frozen"}, "deployment", {}, {"depot": 1}),
        ({"gate": "ScanBuffer drops bursts"}, "buffer", {}, {"gate": 1}),
        (QUEUES, "of the", {"lamp": 1}, {}),
        (QUEUES, "queue midnight", {"depot": 1, "gate": 1, "locker": 1}, {"gate": 1}),
    ],
    ids=["stems", "identifiers", "stopwords", "several words"],
)
def test_words(
    make_kb: MakeKb, claims: dict[str, str], topic: str, theirs: Answer, ours: Answer
) -> None:
    kb = made(make_kb, *(claim(text, entity) for entity, text in claims.items()))
    assert vouch_says(kb, topic) == theirs
    assert we_say(kb, topic) == ours


def test_limit_bound_counts(make_kb: MakeKb) -> None:
    kb = made(make_kb, *(claim(f"Parcel {i} was weighed", "depot") for i in range(60)))
    assert vouch_says(kb, "weighed", limit=1) == {"depot": 50}
    assert vouch_says(kb, "weighed", limit=100) == {"depot": 60}
    assert we_say(kb, "weighed", limit=1) == {"depot": 60}


def test_retired_claims(make_kb: MakeKb) -> None:
    """They crowd out live ones there, and count in what is in play."""
    retired = [claim(f"Weighed {i}", "depot", **ARCHIVED) for i in range(60)]
    text = "A parcel with a torn label is weighed by hand once more"
    kb = made(make_kb, *retired, claim(text, "depot", slug_hint="live"))
    assert vouch_says(kb, "weighed") == {}
    assert we_say(kb, "weighed") == {"depot": 1}
    vouch("salience").record_query("s", "Restart the depot?")
    [theirs] = vouch("salience").compute_salience(kb.store, "s")
    assert (theirs["entity_id"], theirs["claim_count"]) == ("depot", 61)
    engine = engine_on(kb.root)
    engine.observe("s", None, "Restart the depot?")
    [ours] = ask(engine, "salience", session_id="s")["salience"]
    expected = {"entity_id": "depot", "claim_count": 1, "top_claim_id": "live"}
    assert {key: ours[key] for key in theirs} == expected


def test_tie_order(make_kb: MakeKb) -> None:
    kb = made(
        make_kb,
        claim("Parcels are weighed twice", "alpha", confidence=1.0),
        claim("Parcels are weighed at night", "zeta", confidence=0.5),
        claim("Parcels are weighed by hand", "zeta", confidence=0.5),
    )
    assert list(vouch_says(kb, "weighed", "citation").items()) == [("zeta", 2), ("alpha", 1)]
    assert list(we_say(kb, "weighed", "citation").items()) == [("alpha", 1), ("zeta", 2)]


def test_zoneless_timestamps(make_kb: MakeKb) -> None:
    """Here they are read as UTC."""
    then = {"updated_at": "2026-08-22T14:13:20"}  # a half-life of 30 days before `bases.NOW`
    kb = made(make_kb, claim("Parcels are weighed twice", "depot", then=then))
    with pytest.raises(TypeError, match="offset-naive and offset-aware"):
        vouch_says(kb, "weighed", "recency")
    asked = {"topic": "weighed", "weight": "recency", "linking": "declared"}
    [row] = ask(engine_on(kb.root), "experts", **asked)["experts"]
    assert row["score"] == 0.5
