"""What a name in a text is worth: which entities are listed, and which are said unasked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vouch_sidecar.kb.records import Artifact
from vouch_sidecar.kb.settings_model import Settings, Volunteer
from vouch_sidecar.names.matcher import Mention
from vouch_sidecar.names.name_forms import FormKind
from vouch_sidecar.retrieval.constants import LISTED, VOLUNTEERED
from vouch_sidecar.retrieval.evidence.name_strength import is_listed, weigh
from vouch_sidecar.retrieval.salience import named_in, rank, volunteered
from vouch_sidecar.retrieval.view import View

from tests.retrieval.samples import claim, entity, view

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
)
KNOWN: tuple[Artifact, ...] = (
    *NAMED,
    *(claim(f"of-{one.id}", f"Known of {one.name}.", entities=(one.id,)) for one in NAMED),
    claim("probes", "A probe that shows nothing for three minutes raises an alarm."),
    claim("alarm", "Alarms start after three minutes off the setpoint.", entities=("beacon",)),
)
SEEN = view(*KNOWN)


def listed(text: str, seen: View = SEEN) -> str:
    return " ".join(sorted(row.entity.id for row in rank(seen, [text], 20) if row.arm != "text"))


def said(text: str, seen: View = SEEN) -> str:
    return " ".join(sorted(row.entity.id for row in volunteered(named_in(seen, [text]))))


def of(entity_id: str, text: str, seen: View = SEEN) -> Mention:
    found = [mention for mention in weigh(seen, text) if mention.entity_id == entity_id]
    return max(found, key=lambda mention: mention.strength)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("we saw that Relay was down", "relay"),
        ("why is kafka slow?", "kafka"),
        ("the kafka-backed store", "kafka"),
        ("a contract with Acme Ltd is due", "acme"),
        ("Ping Mei about it", "mei"),
        ("remind me what mei said", "mei"),
        ("Beacon, three minutes off the setpoint, no alarm", "beacon"),
        ("WHY IS BEACON DOWN AGAIN", "beacon"),
        ("the Go services of the edge leak goroutines", "go"),
        ("the tracker is down", "dt"),
        ("we write c# here", "sharp"),
        ("ask @team about it", "crew"),
        ("JWT authentication", "jwt"),
    ],
)
def test_what_is_said_unasked(text: str, ids: str) -> None:
    assert (listed(text), said(text)) == (ids, ids)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Relay races are fun", "relay"),
        ("the class is Relay.Client there", "relay"),
        ("each orbit takes an hour", "orbit"),
        ("the kafka_store of it", "kafka"),
        ("remind me what wren said about it", "wren"),
        ("is beacon slow?", "beacon"),
        ("may I write to beacon's table", "beacon"),
        ("from services.beacon import Client", "beacon"),
        ("rename BeaconClient here", "beacon"),
        ("look at src/beacon/app.py", "beacon"),
        ("import { Store } from '../beacon/store'", "beacon"),
        ("is the jwt too old?", "jwt"),
        ("the Gateway is down", "locker"),
    ],
)
def test_what_is_listed_and_not_said(text: str, ids: str) -> None:
    assert (listed(text), said(text)) == (ids, "")


@pytest.mark.parametrize(
    "text",
    [
        *("please relay my thanks", "Relay the message to the team", "I will beacon them"),
        *("shares of Relay Therapeutics fell", "the new Modern Relay is a shop"),
        *("someone named Mei Brandt wrote", "Keiko Tanaka wrote", "it was Keiko Tanaka who wrote"),
        *("GET https://relay.example.com/x failed", "mail kafka@example.com about it"),
        *("a kafkaesque affair", "line 12, in beacon", "is it a beacon/lamp", "please beacon me"),
        *("the beacon's lamp on the hill", "beacon lamps are cheap", "the beacon on the hill"),
        *("at com.acme.beacon.Handler", "the gateway is down", "was INC-570 closed"),
        *("c is a letter", "the team is nice"),
        "please beacon me when an alarm starts, minutes off the setpoint",
    ],
)
def test_what_is_neither(text: str) -> None:
    assert (listed(text), said(text)) == ("", "")


SIGNS = ("Relay", "C#", "F#", "C++", ".NET", "@team", "--Force", "🚀 launcher", "→", "++")


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
        claims = [claim(f"c{one.id}", "Known.", entities=(one.id,)) for one in some]
        return view(*some, *claims, *KNOWN)

    rows = rank(sharing(5), ["is redis faster than gull?"], 20)
    assert [row.entity.id for row in rows] == ["gull", "r0", "r1", "r2", "r3", "r4"]
    assert [row.ambiguous for row in rows] == [False, *[True] * 5]
    assert listed("is redis faster than gull?", sharing(6)) == "gull"
