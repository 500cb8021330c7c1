"""What a name in a text is worth: which entities are listed, in which order, and which are said."""

from dataclasses import replace

import pytest
from vouch_sidecar.kb.records import Artifact, Entity
from vouch_sidecar.kb.settings_model import Settings, Volunteer
from vouch_sidecar.names.matcher import Mention
from vouch_sidecar.names.name_forms import FormKind
from vouch_sidecar.retrieval.constants import LISTED, VOLUNTEERED
from vouch_sidecar.retrieval.evidence.name_strength import is_listed, weigh
from vouch_sidecar.retrieval.salience import Salient, named_in, rank, volunteered
from vouch_sidecar.retrieval.view import View

from tests.retrieval.samples import claim, entity, page, view

SIGNS = ("Relay", "C#", "F#", "C++", ".NET", "@team", "--Force", "🚀 launcher", "→", "++")
NAMED = (
    entity("relay", "Relay", type="system"),
    entity("kafka", "Kafka", type="tool"),
    entity("orbit", "orbit"),
    entity("mei", "Mei Tanaka", type="person", aliases=("mei",)),
    entity("wren", "Wren Halloway", type="person", aliases=("wren",)),
    entity("acme", "Acme", type="company"),
    entity("beacon", "Beacon", type="system", description="Health checks of ovens."),
    entity("gull", "Gull", type="system"),
    entity("rust", "Rust", type="tool"),
    entity("go", "Go", type="tool", description="Language of the edge services."),
    entity("will", "Will Chen", type="person"),
    entity("dt", "Delivery Tracker", type="system", aliases=("tracker",)),
    entity("jwt", "JWT authentication"),
    entity("locker", "Locker Gateway", type="api"),
    entity("inc-57", "INC-57", type="incident"),
    entity("sharp", "C#", type="tool"),
    entity("crew", "@team", type="team"),
    entity("zebra", "Zebra Desk", type="team", aliases=("ZD",)),
    entity("zoo", "Zoo Desk", type="team", aliases=("ZD",)),
)


def known_of(*entities: Entity) -> list[Artifact]:
    told = (claim(f"of-{e.id}", f"Known of {e.name}.", entities=(e.id,)) for e in entities)
    return [*entities, *told]


KNOWN = (
    *known_of(*NAMED),
    claim("probes", "A probe that shows nothing for three minutes raises an alarm."),
    claim("alarm", "Alarms start after three minutes off the setpoint.", entities=("beacon",)),
)
SEEN = view(*KNOWN)


def listed(text: str, seen: View = SEEN) -> str:
    return " ".join(sorted(row.entity.id for row in rank(seen, [text], 20) if row.arm != "text"))


def said(text: str, seen: View = SEEN) -> str:
    return " ".join(sorted(row.entity.id for row in volunteered(named_in(seen, [text]))))


def row(entity_id: str, *texts: str, seen: View = SEEN) -> Salient:
    return next(row for row in rank(seen, texts, 20) if row.entity.id == entity_id)


def of(entity_id: str, text: str, seen: View = SEEN) -> Mention:
    found = [mention for mention in weigh(seen, text) if mention.entity_id == entity_id]
    return max(found, key=lambda mention: mention.strength)


SAID = {
    "we saw that Relay was down": "relay",
    "why is kafka slow?": "kafka",
    "the kafka-backed store": "kafka",
    "a contract with Acme Ltd is due": "acme",
    "Ping Mei about it": "mei",
    "remind me what mei said": "mei",
    "Beacon, three minutes off the setpoint, no alarm": "beacon",
    "WHY IS BEACON DOWN AGAIN": "beacon",
    "the Go services of the edge leak goroutines": "go",
    "the tracker is down": "dt",
    "INC57 again": "inc-57",
    "we write c# here": "sharp",
    "ask @team about it": "crew",
    "JWT authentication": "jwt",
}
LISTED_ALONE = {
    "Relay races are fun": "relay",
    "the class is Relay.Client there": "relay",
    "each orbit takes an hour": "orbit",
    "the kafka_store of it": "kafka",
    "remind me what wren said about it": "wren",
    "is beacon slow?": "beacon",
    "may I write to beacon's table": "beacon",
    "from services.beacon import Client": "beacon",
    "rename BeaconClient here": "beacon",
    "look at src/beacon/app.py": "beacon",
    "import { Store } from '../beacon/store'": "beacon",
    "PLEASE BEACON ME AT NOON": "beacon",
    "Please Relay My Thanks To The Whole Floor.": "relay",
    "is the jwt too old?": "jwt",
    "the Gateway is down": "locker",
}
NEITHER = (
    *("please relay my thanks", "Relay the message to the team", "I will beacon them"),
    *("shares of Relay Therapeutics fell", "the new Modern Relay is a shop"),
    *("someone named Mei Brandt wrote", "Keiko Tanaka wrote", "it was Keiko Tanaka who wrote"),
    *("GET https://relay.example.com/x failed", "mail kafka@example.com about it"),
    *("a kafkaesque affair", "line 12, in beacon", "is it a beacon/lamp", "please beacon me"),
    *("the beacon's lamp on the hill", "beacon lamps are cheap", "the beacon on the hill"),
    *("at com.acme.beacon.Handler", "the gateway is down", "was INC-570 closed"),
    *("c is a letter", "the team is nice"),
    "please beacon me when an alarm starts, minutes off the setpoint",
)


@pytest.mark.parametrize("text", [*SAID, *LISTED_ALONE, *NEITHER])
def test_what_is_said_unasked_what_is_listed_and_what_is_neither(text: str) -> None:
    wanted = SAID.get(text, "")
    assert (listed(text), said(text)) == (LISTED_ALONE.get(text, wanted), wanted)


def test_a_name_without_its_signs_is_a_word() -> None:
    seen = view(*known_of(entity("deploy", "/deploy"), entity("infra", "@infra")))
    for text in ("please deploy the blog now", "we need new infra help for the blog"):
        assert (listed(text, seen), said(text, seen)) == ("", "")


@pytest.mark.parametrize("name", SIGNS)
def test_a_text_that_is_nothing_but_a_name_is_that_name(name: str) -> None:
    seen = view(entity("e", name), entity("other", "Other"), entity("team", "team"))
    for form in ("{}", " {} ", "“{}”", "{}?"):
        for written in (name, name.lower()):
            found = of("e", form.format(written), seen)
            assert (found.strength, found.matched, found.form) == (1.0, written, FormKind.NAME)


def test_a_word_of_english_in_either_spelling_has_to_be_written_as_a_name() -> None:
    seen = view(entity("e", "Catalog", type="system"))
    surely, hardly = of("e", "push it to Catalog now", seen), of("e", "push to our catalog", seen)
    assert surely.strength >= VOLUNTEERED > hardly.strength


def test_a_word_that_others_use_too_names_its_entity_less() -> None:
    sent = view(*KNOWN, *(claim(f"c{n}", "Sent to Kafka.", entities=("acme",)) for n in range(200)))
    assert [listed(text, sent) for text in ("we ask Kafka", "we ask kafka")] == ["kafka", ""]


def test_a_name_that_only_a_machine_printed_is_listed_and_not_said() -> None:
    seen = view(*KNOWN, entity("orbital-relay", "Orbital Relay", type="system"))
    log = "[INFO] Relay listens on 7000\n[INFO] Orbital Relay is up"
    for entity_id in ("relay", "orbital-relay"):
        found = of(entity_id, f"what is wrong here?\n\n{log}", seen)
        assert (found.placed, is_listed(found)) == ("printed", True)
        assert found.strength < VOLUNTEERED
    for written in ("OrbitalRelay", "orbital-relay"):
        assert of("orbital-relay", f"[INFO] {written} is up", seen).strength >= VOLUNTEERED
    typed = of("relay", "is this Relay?")
    assert of("relay", f"is this Relay?\n\n{log}").strength == typed.strength
    part = of("locker", "[a] the Gateway")
    assert (is_listed(part), part.strength < LISTED) == (True, True)


def test_a_part_is_partial_however_often_it_is_said() -> None:
    (row,) = rank(SEEN, ["jwt", "jwt", "jwt"], 3)
    assert row.arm == "partial"
    wide = replace(SEEN, settings=Settings(volunteer=Volunteer(threshold=0.0)))
    assert volunteered(named_in(wide, ["jwt", "jwt", "jwt"])) == []


def test_a_part_of_several_names_lists_all_of_them_below_the_rest_and_of_many_none() -> None:
    def sharing(count: int) -> View:
        some = [entity(f"r{i}", f"Redis {name}") for i, name in enumerate("ABCDEF"[:count])]
        return view(*known_of(*some), *KNOWN)

    rows = rank(sharing(5), ["is redis faster than gull?"], 20)
    assert [row.entity.id for row in rows] == ["gull", "r0", "r1", "r2", "r3", "r4"]
    assert [row.ambiguous for row in rows] == [False, *[True] * 5]
    assert listed("is redis faster than gull?", sharing(6)) == "gull"


def test_texts_of_a_window_fade_and_add_up() -> None:
    window = ("nothing", "and kafka?", "that we ask Kafka for")
    fresh, faded = row("kafka", window[1]).strength, row("kafka", *window[:2]).strength
    assert fresh > row("kafka", *window).strength > faded


def test_a_shared_alias_is_listed_marked_and_never_volunteered() -> None:
    rows = rank(SEEN, ["what of ZD?"], 20)
    assert [(r.entity.id, r.ambiguous) for r in rows] == [("zebra", True), ("zoo", True)]
    assert all(r.why.endswith("; the same words name another entity") for r in rows)
    assert (said("what of ZD?"), said("ZD, so Zebra Desk")) == ("", "zebra")


def test_what_a_text_names_first_is_volunteered_first() -> None:
    rows = volunteered(named_in(SEEN, ["ask Zebra Desk and Zoo Desk for a log of Kafka"]))
    assert [r.entity.id for r in rows] == ["zebra", "zoo", "kafka"]


def test_an_entity_without_claims_stands_below_and_needs_a_page_to_be_volunteered() -> None:
    relay = entity("relay", "Relay", type="system", description="Takes in scans of drivers.")
    known = (relay, *known_of(entity("kafka", "Kafka", type="tool")))
    bare, names = view(*known), "does Relay write to Kafka?"
    assert [r.entity.id for r in rank(bare, [names], 20)] == ["kafka", "relay"]
    assert said(names, bare) == "kafka"
    for text, low in ((names, 0.1), ("scans taken in from drivers", 0)):
        found = row("relay", text, seen=bare)
        assert found.score == round(low + 0.1 * found.strength, 6)
    assert said(names, view(*known, page("p", entities=("relay",)))) == "kafka relay"


def test_of_hundreds_of_names_the_strongest_are_looked_at() -> None:
    many = [entity(f"e{n:03}", "Probe", aliases=(f"Orbiter{n:03}x",)) for n in range(300)]
    seen = view(*known_of(*many, entity("z", "Zenith Array", aliases=("the farthest one",))))
    text = ", ".join([*(one.aliases[0] for one in many), "and Zenith Array"])
    rows = volunteered(named_in(seen, [text]))
    assert len(rows) == 24
    assert "z" in [row.entity.id for row in rows]
