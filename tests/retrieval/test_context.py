"""Which hits a text brings in, and which collection they make the first."""

from __future__ import annotations

from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.block import beginning
from vouch_sidecar.retrieval.context import adjacent_hits, hits_for, tiers
from vouch_sidecar.retrieval.salience import worth_volunteering
from vouch_sidecar.retrieval.view import View

from tests.retrieval.samples import claim, entity, page, relation, view

VAULT = entity("vault", "Key Vault")
RELAY = entity("relay", "Mail Relay")


def said(seen: View, text: str, limit: int = 3) -> list[str]:
    return [h.artifact.id for h in hits_for(worth_volunteering([seen], [text]), text, limit)]


def test_the_claims_nearest_to_the_text_come_first_each_entity_in_turn() -> None:
    seen = view(
        VAULT,
        RELAY,
        claim("a", "Backups rotate nightly.", entities=("vault",)),
        claim("b", "Keys rotate weekly.", entities=("vault",)),
        claim("c", "Bounces are parked.", entities=("relay",)),
    )
    text = "When do keys of the Key Vault rotate weekly, and backups? And the Mail Relay?"
    assert said(seen, text) == ["b", "c", "a"]
    assert said(seen, text, limit=2) == ["b", "c"]


def test_a_claim_of_two_entities_is_said_once() -> None:
    seen = view(VAULT, RELAY, claim("a", "Both are audited.", entities=("vault", "relay")))
    assert said(seen, "the Key Vault and the Mail Relay") == ["a"]


def test_a_knowledge_base_of_pages_alone_is_not_silent() -> None:
    body = "# Keys\n\n## Life\n\nKeys live in the vault.\nThey rotate.\n"
    seen = view(VAULT, page("keys", "Keys", body=body, entities=("vault",)))
    (hit,) = hits_for(worth_volunteering([seen], ["the Key Vault"]), "the Key Vault", 3)
    assert hit.excerpt == "Keys live in the vault. They rotate."


def test_an_excerpt_is_bounded_and_cut_between_graphemes() -> None:
    assert beginning(page("p", body="# Title\n")) == ""
    assert len(beginning(page("p", body="word " * 500))) <= 240
    assert set(beginning(page("p", body="xo\u0301" * 300))) == {"x", "o", "\u0301", "…"}
    for body in ("o\u0301" * 300, "x" + "o\u0301" * 300):
        assert beginning(page("p", body=body)).endswith("o\u0301…")


def test_what_stands_one_step_away() -> None:
    seen = view(
        VAULT,
        RELAY,
        claim("a", "Backups run nightly.", entities=("vault",)),
        claim("gone", "Old.", status="archived"),
        page("keys", entities=("vault",)),
        page("listing", claims=("a",)),
        relation("uses", "relay", "vault"),
        relation("old", "vault", "gone"),
    )
    hits = hits_for(worth_volunteering([seen], ["the Key Vault"]), "the Key Vault", 3)
    assert [h.artifact.id for h in adjacent_hits(hits)] == ["listing", "keys", "uses"]


def test_a_named_collection_is_primary_else_the_one_with_most_evidence() -> None:
    one = view(VAULT, claim("a", "A.", entities=("vault",)), collection="ops")
    two = view(
        VAULT,
        claim("a", "A.", entities=("vault",)),
        claim("b", "B.", entities=("vault",)),
        collection="web-shop",
    )
    rows = worth_volunteering([one, two], ["the Key Vault"])
    hits = hits_for(rows, "the Key Vault", 5)
    names = ["ops", "web-shop"]
    assert tiers("the Key Vault", hits, names).primary == "web-shop"
    assert tiers("the Key Vault", hits, names).supplemental == ("ops",)
    assert tiers("the Key Vault in ops", hits, names).primary == "ops"
    assert tiers("the Key Vault of the web shop", hits, names).primary == "web-shop"
    assert tiers("the Key Vault of the shops", hits, names).primary == "web-shop"
    assert tiers("ops", [], ["ops"]).primary is None


def test_equal_evidence_is_settled_by_name() -> None:
    views = [view(VAULT, claim("a", "A.", entities=("vault",)), collection=c) for c in ("z", "b")]
    hits = hits_for(worth_volunteering(views, ["the Key Vault"]), "the Key Vault", 5)
    assert [h.view.collection for h in hits] == ["b", "z"]
    assert tiers("the Key Vault", hits, ["z", "b"]).primary == "b"


def test_pages_about_an_entity_count_its_own_page() -> None:
    seen = view(entity("vault", "Key Vault", page="own"), page("own"), page("p", claims=("c",)))
    assert [p.id for p in seen.pages_about((Kind.ENTITY, "vault"))] == ["own"]
    assert [p.id for p in seen.pages_about((Kind.CLAIM, "c"))] == ["p"]
