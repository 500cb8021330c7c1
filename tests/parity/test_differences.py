"""Where we answer otherwise than vouch, on purpose: both answers, side by side.

An answer is `{entity id: claim count}`, in the order of the rows.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import MakeKb
from tests.oracle import NOW, OracleKb, Step
from tests.parity.ours import Sidecar

Answer = dict[str, int]
ARCHIVED = {"then": {"status": "archived"}}
QUEUES = {
    "a": ("A queue is drained before midnight", "gate"),
    "b": ("A queue keeps its order", "depot"),
    "c": ("Doors open at midnight", "locker"),
    "d": ("All of the lights are red", "lamp"),
}


def entity(name: str, slug: str) -> Step:
    return {"op": "entity", "name": name, "entity_type": "concept", "slug_hint": slug}


def claim(slug: str, text: str, *entities: str, **fields: Any) -> Step:
    made = {"op": "claim", "text": text, "evidence": ["@note"], "entities": list(entities)}
    return {**made, "slug_hint": slug, **fields}


def made(make_kb: MakeKb, *claims: Step, **names: str) -> OracleKb:
    """A knowledge base with these claims and their entities, and a note that they cite, that vouch
    has indexed.
    """
    note = {"op": "source", "content": "What was said in the meeting.", "as": "note"}
    slugs = dict.fromkeys(slug for each in claims for slug in each["entities"])
    entities = [entity(names.get(slug, slug.title()), slug) for slug in slugs]
    return make_kb(note, *entities, *claims, {"op": "index"})


def vouch_says(kb: OracleKb, topic: str, weight: str = "count", limit: int = 10) -> Answer:
    [[answer]] = kb.run({"op": "experts", "topics": [topic], "weights": [weight], "limit": limit})
    return {row["entity_id"]: row["claim_count"] for row in answer[weight]}


def we_say(kb: OracleKb, topic: str, weight: str = "count", **params: Any) -> Answer:
    rows = Sidecar(kb).experts(topic, weight, **params)
    return {row["entity_id"]: row["claim_count"] for row in rows}


@pytest.mark.parametrize(
    ("claims", "topic", "theirs", "ours"),
    [
        ({"a": ("Deployments are frozen", "depot")}, "deployment", {}, {"depot": 1}),
        ({"a": ("ScanBuffer drops bursts", "gate")}, "buffer", {}, {"gate": 1}),
        (QUEUES, "of the", {"lamp": 1}, {}),
        (QUEUES, "queue midnight", {"depot": 1, "gate": 1, "locker": 1}, {"gate": 1}),
    ],
)
def test_stems_identifiers_stopwords_and_several_words(
    make_kb: MakeKb,
    claims: dict[str, tuple[str, str]],
    topic: str,
    theirs: Answer,
    ours: Answer,
) -> None:
    kb = made(make_kb, *(claim(slug, *said) for slug, said in claims.items()))
    assert vouch_says(kb, topic) == theirs
    assert we_say(kb, topic) == ours


def test_limit_bound_counts(make_kb: MakeKb) -> None:
    kb = made(make_kb, *(claim(f"c{i:02}", f"Parcel {i} was weighed", "depot") for i in range(60)))
    assert vouch_says(kb, "weighed", limit=1) == {"depot": 50}
    assert vouch_says(kb, "weighed", limit=100) == {"depot": 60}
    assert we_say(kb, "weighed", limit=1) == {"depot": 60}


def test_retired_claims(make_kb: MakeKb) -> None:
    """They crowd out live ones there, and count in what is in play."""
    retired = [claim(f"r{i:02}", f"Weighed {i}", "depot", **ARCHIVED) for i in range(60)]
    live = claim("live", "A parcel with a torn label is weighed by hand once more", "depot")
    kb = made(make_kb, *retired, live, depot="Parcel Depot")
    assert vouch_says(kb, "weighed") == {}
    assert we_say(kb, "weighed") == {"depot": 1}
    [[theirs]] = kb.run({"op": "salience", "queries": ["Restart the Parcel Depot?"]})
    assert (theirs["entity_id"], theirs["claim_count"]) == ("depot", 61)
    [ours] = Sidecar(kb).salience("Restart the Parcel Depot?")
    assert {key: ours[key] for key in theirs} == {
        "entity_id": "depot",
        "claim_count": 1,
        "top_claim_id": "live",
    }


def test_tie_order(make_kb: MakeKb) -> None:
    kb = made(
        make_kb,
        claim("a", "Parcels are weighed twice", "alpha", confidence=1.0),
        claim("b", "Parcels are weighed at night", "zeta", confidence=0.5),
        claim("c", "Parcels are weighed by hand", "zeta", confidence=0.5),
    )
    assert list(vouch_says(kb, "weighed", "citation").items()) == [("zeta", 2), ("alpha", 1)]
    assert list(we_say(kb, "weighed", "citation").items()) == [("alpha", 1), ("zeta", 2)]


def test_zoneless_timestamps(make_kb: MakeKb) -> None:
    kb = made(make_kb, claim("a", "Parcels are weighed twice", "depot"))
    file = kb.root / ".vouch" / "claims" / "a.yaml"
    moment = NOW.isoformat().replace("+00:00", "Z")
    by_hand = file.read_text("utf-8").replace(f"'{moment}'", "2026-10-16T12:00:00")
    assert by_hand.count("2026-10-16T12:00:00") == 2
    file.write_text(by_hand, "utf-8")
    with pytest.raises(RuntimeError, match="offset-naive and offset-aware"):
        vouch_says(kb, "weighed", "recency")
    [row] = Sidecar(kb).experts("weighed", "recency")
    assert row["score"] == 0.5  # a half-life of 30 days ago, read as UTC
