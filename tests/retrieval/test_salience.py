"""The ranking of a window."""

from __future__ import annotations

from vouch_sidecar.retrieval.salience import Salient, named_in, rank, volunteered
from vouch_sidecar.retrieval.view import View

from tests.retrieval.samples import claim, entity, page, view

RELAY = entity("relay", "Relay", type="system", description="Takes in scans of drivers.")
KAFKA = entity("kafka", "Kafka", type="tool", aliases=("the log",))
ZEBRA = entity("zebra", "Zebra Desk", type="team", aliases=("ZD",))
ZOO = entity("zoo", "Zoo Desk", type="team", aliases=("ZD",))
CLAIMS = [claim(e, f"About {e}.", entities=(e,)) for e in ("relay", "kafka", "zebra", "zoo")]
SEEN = view(RELAY, KAFKA, ZEBRA, ZOO, *CLAIMS)


def row(entity_id: str, *texts: str, where: View = SEEN) -> Salient:
    return next(r for r in rank(where, texts, 20) if r.entity.id == entity_id)


def test_texts_of_a_window_fade_and_add_up() -> None:
    window = ("nothing", "and kafka?", "that we ask Kafka for")
    fresh, faded = row("kafka", window[1]).strength, row("kafka", *window[:2]).strength
    assert fresh > row("kafka", *window).strength > faded


def test_a_shared_alias_is_listed_marked_and_never_volunteered() -> None:
    rows = rank(SEEN, ["what of ZD?"], 20)
    assert [(r.entity.id, r.ambiguous) for r in rows] == [("zebra", True), ("zoo", True)]
    assert all(r.why.endswith("; the same words name another entity") for r in rows)
    assert volunteered(named_in(SEEN, ["what of ZD?"])) == []
    assert [r.entity.id for r in volunteered(named_in(SEEN, ["ZD, so Zebra Desk"]))] == ["zebra"]


def test_what_a_text_names_first_is_volunteered_first() -> None:
    said = volunteered(named_in(SEEN, ["ask Zebra Desk and Zoo Desk for the log of Kafka"]))
    assert [r.entity.id for r in said] == ["zebra", "zoo", "kafka"]


def test_an_entity_without_claims_stands_below_and_needs_a_page_to_be_volunteered() -> None:
    bare = view(RELAY, KAFKA, CLAIMS[1])
    names = "does Relay write to Kafka?"
    assert [r.entity.id for r in rank(bare, [names], 20)] == ["kafka", "relay"]
    assert [r.entity.id for r in volunteered(named_in(bare, [names]))] == ["kafka"]
    for text, low in ((names, 0.1), ("scans taken in from drivers", 0)):
        found = row("relay", text, where=bare)
        assert found.score == round(low + 0.1 * found.strength, 6)
    paged = view(RELAY, KAFKA, CLAIMS[1], page("p", entities=("relay",)))
    assert [r.entity.id for r in volunteered(named_in(paged, [names]))] == ["kafka", "relay"]


def test_of_hundreds_of_names_the_strongest_are_looked_at() -> None:
    many = [entity(f"e{n:03}", "Probe", aliases=(f"Orbiter{n:03}x",)) for n in range(300)]
    aliased = entity("z", "Zenith Array", aliases=("the farthest one",))
    facts = [claim(f"c-{one.id}", "Known.", entities=(one.id,)) for one in (*many, aliased)]
    seen = view(*many, aliased, *facts)
    text = ", ".join([*(one.aliases[0] for one in many), "and Zenith Array"])
    rows = volunteered(named_in(seen, [text]))
    assert len(rows) == 24
    assert "z" in [row.entity.id for row in rows]
