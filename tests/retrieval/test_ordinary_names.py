"""Names that are ordinary words: what their place in a text says, and parts of names."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vouch_sidecar.retrieval.salience import rank, volunteered_by
from vouch_sidecar.retrieval.view import NameWords, View

from tests.retrieval.samples import claim, entity, view

BEACON = entity("beacon", "Beacon", type="system", description="Health checks of ovens.")
GULL = entity("gull", "Gull", type="system")
RUST = entity("rust", "Rust", type="tool")
GO = entity("go", "Go", type="tool", description="Language of the edge services.")
WILL = entity("will", "Will Chen", type="person")
TRACKER = entity("dt", "Delivery Tracker", type="system", aliases=("tracker",))
JWT = entity("jwt", "JWT authentication", type="concept")
LOCKER = entity("locker", "Locker Gateway", type="api")
INCIDENT = entity("inc-57", "INC-57", type="incident")
ALL = (BEACON, GULL, RUST, GO, WILL, TRACKER, JWT, LOCKER, INCIDENT)
FACTS = (
    claim("probes", "A probe that shows nothing for three minutes raises an alarm."),
    *(claim(f"of-{one.id}", f"Known of {one.name}.", entities=(one.id,)) for one in ALL),
    claim("alarm", "Alarms start after three minutes off the setpoint.", entities=("beacon",)),
)
SEEN = view(*ALL, *FACTS)


def listed(text: str, seen: View = SEEN) -> list[str]:
    return sorted(row.entity.id for row in rank(seen, [text], 20) if row.arm != "text")


def said(text: str, seen: View = SEEN) -> list[str]:
    return sorted(row.entity.id for row in volunteered_by([seen], [text]))


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("is beacon slow?", ["beacon"]),
        ("why does gull drop its queue", ["gull"]),
        ("users of beacon want dark mode", ["beacon"]),
        ("deploy beacon and gull to staging", ["beacon", "gull"]),
        ("may I write to beacon's table", ["beacon"]),
        ("pause beacon and go home", ["beacon"]),
        ("the first, in beacon", ["beacon"]),
        ("line 12, in beacon", []),
        ("from services.beacon import Client", ["beacon"]),
        ("call beacon.write() twice", ["beacon"]),
        ("rename BeaconClient here", ["beacon"]),
        ("rename beacon_client here", ["beacon"]),
        ("BEACON_URL is wrong", ["beacon"]),
        ("look at src/beacon/app.py", ["beacon"]),
        ("look at beacon/sender.go", ["beacon"]),
        ("use beacon::client", ["beacon"]),
        ("import { Store } from '../beacon/store'", ["beacon"]),
        ("is it a beacon/lamp", []),
        ("the beacon's lamp on the hill", []),
        ("beacon lamps are cheap", []),
        ("since Tuesday Beacon shows nothing", ["beacon"]),
        ("INC57 again", ["inc-57"]),
        ("please beacon me", []),
        ("I will beacon them", []),
        ("the beacon on the hill", []),
        ("read https://beacon.example.com/v1", []),
        ("at com.acme.beacon.Handler", []),
    ],
)
def test_what_lists_an_ordinary_word(text: str, ids: list[str]) -> None:
    assert listed(text) == ids
    assert said(text) == [
        artifact_id for artifact_id in ids if artifact_id == "inc-57" or "Tuesday Beacon" in text
    ]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Beacon, three minutes off the setpoint, no alarm", ["beacon"]),
        ("our Rust crates build slowly", ["rust"]),
        ("the Go services of the edge leak goroutines", ["go"]),
        ("ask Will Chen about it", ["will"]),
        ("will chen is away", ["will"]),
        ("WHY IS BEACON DOWN AGAIN", ["beacon"]),
        ("PLEASE BEACON ME AT NOON", []),
        ("please beacon me when an alarm starts, minutes off the setpoint", []),
        ("set navigator.sendBeacon on unload", []),
        ("the tracker is down", ["dt"]),
    ],
)
def test_what_volunteers_an_ordinary_word(text: str, ids: list[str]) -> None:
    assert said(text) == ids


def test_an_alias_in_lower_case_lists_as_any_word_that_is_as_the_entity_has_it() -> None:
    both = entity("beacon", "Beacon", type="system", aliases=("beacon",))
    seen = view(both, claim("c", "Known.", entities=("beacon",)))
    (row,) = rank(seen, ["the beacon on the hill"], 3)
    assert (row.arm, row.matched) == ("alias", ("beacon",))
    assert said("the beacon on the hill", seen) == []


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("is the jwt too old?", ["jwt"]),
        ("do lockers report doors", ["locker"]),
        ("my lockers have a hinge", ["locker"]),
        ("the gateway is down", []),
        ("the Gateway is down", ["locker"]),
        ("was INC-570 closed", []),
        ("JWT authentication", ["jwt"]),
    ],
)
def test_a_part_of_a_name_is_listed(text: str, ids: list[str]) -> None:
    assert listed(text) == ids
    assert [i for i in said(text) if text != "JWT authentication"] == []


def test_a_part_is_partial_however_often_it_is_said() -> None:
    (row,) = rank(SEEN, ["jwt", "jwt", "jwt"], 3)
    assert row.arm == "partial"
    assert volunteered_by([replace(SEEN, name_threshold=0.0)], ["jwt", "jwt", "jwt"]) == []


def test_a_part_of_several_names_lists_all_of_them_below_the_rest_and_of_many_none() -> None:
    def sharing(count: int) -> View:
        some = [entity(f"r{i}", f"Redis {name}") for i, name in enumerate("ABCDEF"[:count])]
        claims = [claim(f"c{one.id}", "Known.", entities=(one.id,)) for one in some]
        return view(*some, *claims, GULL, FACTS[2], claim("g", "Known.", entities=("gull",)))

    rows = rank(sharing(5), ["is redis faster than gull?"], 20)
    assert [row.entity.id for row in rows] == ["gull", "r0", "r1", "r2", "r3", "r4"]
    assert [row.ambiguous for row in rows] == [False, *[True] * 5]
    assert listed("is redis faster than gull?", sharing(6)) == ["gull"]


def test_a_knowledge_base_says_which_words_always_and_never_name() -> None:
    def settled(always: tuple[str, ...] = (), never: tuple[str, ...] = ()) -> View:
        return View("kb", SEEN.knowledge, SEEN.gates, None, NameWords.of(always, never))

    text = "the beacon on the hill and the jwt"
    assert said(text, settled(always=("BEACON",))) == ["beacon"]
    assert listed(text, settled(never=("JWT",))) == []
    assert listed("our JWT authentication", settled(never=("jwt authentication",))) == []
    assert listed("Gull", settled(never=("gull",))) == []
    assert listed("Gull", settled(never=("beacon",))) == ["gull"]
