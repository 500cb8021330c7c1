"""Which claims of an entity come first, with a text and without one."""

from __future__ import annotations

from vouch_sidecar.index.changing import after
from vouch_sidecar.index.text import stem
from vouch_sidecar.kb.records import Change, Claim
from vouch_sidecar.retrieval.choosing import best_claim_id, choose
from vouch_sidecar.retrieval.families import FAMILIES, relatives
from vouch_sidecar.retrieval.salience import rank
from vouch_sidecar.retrieval.view import View

from tests.retrieval.samples import claim, entity, view

RELAY = entity("relay", "Relay")


def fact(claim_id: str, text: str, confidence: float = 0.9, **fields: object) -> Claim:
    return claim(claim_id, text, entities=("relay",), confidence=confidence, **fields)


WORTH = (
    fact("e", "Relay is blue.", 0.99, evidence=("a", "b"), status="contested"),
    fact("d", "Relay is big.", 0.95, evidence=("a", "b"), updated_at=2.0),
    fact("c", "It is old.", 0.95, evidence=("a", "b"), updated_at=1.0),
    fact("b", "It hums.", 0.95, evidence=("a", "a"), updated_at=9.0),
    fact("a", "Relay is loud.", 0.4, evidence=("a", "b", "c"), updated_at=9.0),
)
SEEN = view(RELAY, *WORTH)


def ids(seen: View, text: str) -> list[str]:
    return [one.claim.id for one in choose(seen, RELAY, text, 10)]


def test_where_the_text_does_not_decide_the_best_comes_first() -> None:
    order = ["d", "c", "b", "a", "e"]
    assert [one.id for one in SEEN.best_claims("relay", 9)] == order
    for text in ("Relay", "what do we know about Relay?", "any notes on Relay's brokers?"):
        assert ids(SEEN, text) == order
        assert best_claim_id(SEEN, RELAY, text) == "d"
        assert [row.top_claim_id for row in rank([SEEN], [text], 3)] == ["d"]


def test_what_holds_more_of_the_text_goes_before_what_is_better() -> None:
    assert ids(SEEN, "is Relay loud?")[0] == "a"
    assert ids(SEEN, "is Relay loud or old?")[:2] == ["a", "c"]


def test_the_order_is_that_of_all_layers() -> None:
    later = fact("f", "It was moved.", 0.97)
    known = after(SEEN.knowledge, Change(upserts=(later,), removals=frozenset()))
    assert ids(View("kb", known, SEEN.gates), "Relay") == ["f", "d", "c", "b", "a", "e"]


def test_words_of_a_family_count_less_than_the_word_itself() -> None:
    seen = view(
        RELAY,
        fact("best", "It is quiet.", 0.99),
        fact("owner", "The owner is the Dispatch team."),
        fact("owned", "Disks are owned by Storage.", 0.5),
        fact("upkeep", "Maintenance is on Sunday."),
        fact("p99", "It answers within 40 ms at p99.", 0.6),
    )
    assert ids(seen, "who maintains Relay?")[0] == "upkeep"
    assert ids(seen, "what of the ownership of Relay?")[0] == "owner"
    assert ids(seen, "is the owner of Relay asleep?")[0] == "owner"
    assert ids(seen, "how slow is Relay in the worst percentile?")[0] == "p99"
    (first, *_) = choose(seen, RELAY, "who maintains Relay?", 1)
    assert first.share == 0.5


def test_families_are_few_and_of_other_stems() -> None:
    assert relatives("mainten") >= {"maintain"}
    assert relatives("kafka") == frozenset()
    families = [line.split() for line in FAMILIES.splitlines() if line]
    assert len(families) <= 100
    assert all(len(set(map(stem, family))) == len(family) > 1 for family in families)
