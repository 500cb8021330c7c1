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


def entity(name: str, slug: str) -> Step:
    return {"op": "entity", "name": name, "entity_type": "concept", "slug_hint": slug}


def claim(slug: str, text: str, *entities: str, **fields: Any) -> Step:
    made = {"op": "claim", "text": text, "evidence": ["@note"], "entities": list(entities)}
    return {**made, "slug_hint": slug, **fields}


def made(make_kb: MakeKb, *steps: Step) -> OracleKb:
    """A knowledge base with these, and a note that the claims cite, that vouch has indexed."""
    note = {"op": "source", "content": "What was said in the meeting.", "as": "note"}
    return make_kb(note, *steps, {"op": "index"})


def vouch_says(kb: OracleKb, topic: str, weight: str = "count", limit: int = 10) -> Answer:
    [[answer]] = kb.run({"op": "experts", "topics": [topic], "weights": [weight], "limit": limit})
    return {row["entity_id"]: row["claim_count"] for row in answer[weight]}


def we_say(kb: OracleKb, topic: str, weight: str = "count", **params: Any) -> Answer:
    rows = Sidecar(kb).experts(topic, weight, **params)
    return {row["entity_id"]: row["claim_count"] for row in rows}


def test_stems(make_kb: MakeKb) -> None:
    kb = made(make_kb, entity("Depot", "depot"), claim("a", "Deployments are frozen", "depot"))
    assert vouch_says(kb, "deployment") == {}
    assert we_say(kb, "deployment") == {"depot": 1}


def test_identifiers(make_kb: MakeKb) -> None:
    kb = made(make_kb, entity("Gate", "gate"), claim("a", "ScanBuffer drops bursts", "gate"))
    assert vouch_says(kb, "buffer") == {}
    assert we_say(kb, "buffer") == {"gate": 1}


def test_stopwords(make_kb: MakeKb) -> None:
    kb = made(
        make_kb,
        entity("Gate", "gate"),
        entity("Depot", "depot"),
        claim("a", "A queue keeps its order", "gate"),
        claim("b", "All of the lights are red", "depot"),
    )
    assert vouch_says(kb, "the queue") == {"depot": 1, "gate": 1}
    assert we_say(kb, "the queue") == {"gate": 1}
    assert vouch_says(kb, "of the") == {"depot": 1}
    assert we_say(kb, "of the") == {}


def test_several_words(make_kb: MakeKb) -> None:
    kb = made(
        make_kb,
        entity("Gate", "gate"),
        entity("Depot", "depot"),
        entity("Locker", "locker"),
        claim("a", "A queue is drained before midnight", "gate"),
        claim("b", "A queue keeps its order", "depot"),
        claim("c", "Doors open at midnight", "locker"),
    )
    assert vouch_says(kb, "queue midnight") == {"depot": 1, "gate": 1, "locker": 1}
    assert we_say(kb, "queue midnight") == {"gate": 1}


def test_limit_bound_counts(make_kb: MakeKb) -> None:
    claims = [claim(f"c{i:02}", f"Parcel {i} was weighed", "depot") for i in range(60)]
    kb = made(make_kb, entity("Depot", "depot"), *claims)
    assert vouch_says(kb, "weighed", limit=1) == {"depot": 50}
    assert vouch_says(kb, "weighed", limit=100) == {"depot": 60}
    assert we_say(kb, "weighed", limit=1) == {"depot": 60}


def test_crowding_out_by_retired_claims(make_kb: MakeKb) -> None:
    retired = [
        claim(f"r{i:02}", f"Weighed {i}", "depot", then={"status": "archived"}) for i in range(60)
    ]
    live = claim("live", "A parcel with a torn label is weighed by hand once more", "depot")
    kb = made(make_kb, entity("Depot", "depot"), *retired, live)
    assert vouch_says(kb, "weighed") == {}
    assert we_say(kb, "weighed") == {"depot": 1}


def test_retired_claims_in_salience(make_kb: MakeKb) -> None:
    kb = made(
        make_kb,
        entity("Locker Gateway", "gateway"),
        claim("a", "The gateway waits three seconds", "gateway", then={"status": "archived"}),
        claim("b", "The gateway waits eight seconds", "gateway"),
    )
    [[theirs]] = kb.run({"op": "salience", "queries": ["Restart the Locker Gateway?"]})
    assert theirs == {"entity_id": "gateway", "claim_count": 2, "top_claim_id": "a"}
    [ours] = Sidecar(kb).salience("Restart the Locker Gateway?")
    assert {key: ours[key] for key in theirs} == {
        "entity_id": "gateway",
        "claim_count": 1,
        "top_claim_id": "b",
    }


def test_viewer_scope(make_kb: MakeKb) -> None:
    private = {"visibility": "private", "agent": "auditor"}
    foreign = {"visibility": "project", "project": "another"}
    kb = made(
        make_kb,
        entity("Depot", "depot"),
        claim("open", "Parcels are weighed twice", "depot"),
        claim("private", "Parcels were not weighed in May", "depot", scope=private),
        claim("foreign", "Letters are weighed once", "depot", scope=foreign),
    )
    assert vouch_says(kb, "weighed") == {"depot": 3}
    assert we_say(kb, "weighed") == {"depot": 1}
    assert we_say(kb, "weighed", viewer={"agent": "auditor"}) == {"depot": 2}


@pytest.mark.parametrize(("name", "topic"), [("Go", "good"), ("Category", "cat")])
def test_two_way_substrings(make_kb: MakeKb, name: str, topic: str) -> None:
    kb = made(make_kb, entity(name, "it"), claim("a", "Builds take a minute", "it"))
    assert vouch_says(kb, topic) == {"it": 1}
    assert we_say(kb, topic) == {}


def test_tie_order(make_kb: MakeKb) -> None:
    kb = made(
        make_kb,
        entity("Alpha", "alpha"),
        entity("Zeta", "zeta"),
        claim("a", "Parcels are weighed twice", "alpha", confidence=1.0),
        claim("b", "Parcels are weighed at night", "zeta", confidence=0.5),
        claim("c", "Parcels are weighed by hand", "zeta", confidence=0.5),
    )
    assert list(vouch_says(kb, "weighed", "citation").items()) == [("zeta", 2), ("alpha", 1)]
    assert list(we_say(kb, "weighed", "citation").items()) == [("alpha", 1), ("zeta", 2)]


def test_zoneless_timestamps(make_kb: MakeKb) -> None:
    kb = made(make_kb, entity("Depot", "depot"), claim("a", "Parcels are weighed twice", "depot"))
    file = kb.root / ".vouch" / "claims" / "a.yaml"
    moment = NOW.isoformat().replace("+00:00", "Z")
    by_hand = file.read_text("utf-8").replace(f"'{moment}'", "2026-10-16T12:00:00")
    assert by_hand.count("2026-10-16T12:00:00") == 2
    file.write_text(by_hand, "utf-8")
    with pytest.raises(RuntimeError, match="offset-naive and offset-aware"):
        vouch_says(kb, "weighed", "recency")
    [row] = Sidecar(kb).experts("weighed", "recency")
    assert row["score"] == 0.5  # a half-life of 30 days ago, read as UTC
