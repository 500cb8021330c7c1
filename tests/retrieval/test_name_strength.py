"""How strongly a text names an entity: each factor by itself, and their product."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from vouch_sidecar.kb.records import Artifact
from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.names.name_forms import FormKind
from vouch_sidecar.retrieval.constants import LISTED, VOLUNTEERED
from vouch_sidecar.retrieval.evidence.name_strength import is_listed, weigh, why
from vouch_sidecar.retrieval.view import View

from tests.retrieval.samples import claim, entity, view

RELAY = entity("relay", "Relay", type="system")
KAFKA = entity("kafka", "Kafka", type="tool")
ORBIT = entity("orbit", "orbit", type="concept")
MEI = entity("mei", "Mei Tanaka", type="person", aliases=("mei",))
WREN = entity("wren", "Wren Halloway", type="person", aliases=("wren",))
ACME = entity("acme", "Acme", type="company")
EVERYTHING: tuple[Artifact, ...] = (RELAY, KAFKA, ORBIT, MEI, WREN, ACME)


def seen(*more: Artifact) -> View:
    return view(*EVERYTHING, *more)


def of(entity_id: str, text: str, where: View | None = None) -> Mention | None:
    found = [e for e in weigh(where or seen(), text) if e.entity_id == entity_id]
    return max(found, key=lambda e: e.strength, default=None)


def strength(entity_id: str, text: str, where: View | None = None) -> float:
    found = of(entity_id, text, where)
    return found.strength if found else 0.0


@pytest.mark.parametrize("text", ["relay", "Relay", "Relay?", "  relay. ", "“Relay”"])
def test_a_text_that_is_nothing_but_the_name_counts_in_full(text: str) -> None:
    assert strength("relay", text) == 1.0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Café", "we met at the Café yesterday"),
        ("José", "remind me what José said"),
        ("Né", "the new Né is slow"),
        ("Crème Brûlée", "two crème_brûlée services"),
    ],
)
def test_the_form_of_composition_changes_nothing(name: str, text: str) -> None:
    found = []
    for named in ("NFC", "NFD"):
        known = view(entity("e", normalize(named, name)))
        for written in ("NFC", "NFD"):
            (evidence,) = weigh(known, normalize(written, text))
            matched = normalize("NFC", evidence.matched)
            found.append((matched, evidence.form, *evidence[8:]))
            assert matched in text
    assert found == found[:1] * 4


@pytest.mark.parametrize(
    ("entity_id", "text", "verdict"),
    [
        ("relay", "we saw that Relay was down", "volunteered"),
        ("relay", "why is RELAY slow?", "volunteered"),
        ("kafka", "why is kafka slow?", "volunteered"),
        ("mei", "meeting Mei tomorrow", "volunteered"),
        ("mei", "remind me what mei said", "volunteered"),
        ("mei", "did Tanaka answer?", "volunteered"),
        ("mei", "Has Mr Tanaka answered?", "volunteered"),
        ("mei", "Ping Mei about it", "volunteered"),
        ("relay", "Relay was down again", "volunteered"),
        ("relay", "Relay and Kafka are slow", "volunteered"),
        ("kafka", "the kafka-backed store", "volunteered"),
        ("acme", "a contract with Acme Ltd is due", "volunteered"),
        ("relay", "Relay races are fun", "listed"),
        ("orbit", "each orbit takes an hour", "listed"),
        ("kafka", "the kafka_store of it", "listed"),
        ("relay", "the class is Relay.Client there", "listed"),
        ("wren", "meeting wren tomorrow", "listed"),
        ("wren", "remind me what wren said about it", "listed"),
        ("relay", "please relay my thanks", "none"),
        ("relay", "Relay the message to the team", "none"),
        ("relay", "shares of Relay Therapeutics fell", "none"),
        ("relay", "the new Modern Relay is a shop", "none"),
        ("mei", "someone named Mei Brandt wrote", "none"),
        ("mei", "Keiko Tanaka wrote", "none"),
        ("mei", "it was Keiko Tanaka who wrote", "none"),
        ("relay", "GET https://relay.example.com/x failed", "none"),
        ("kafka", "mail kafka@example.com about it", "none"),
        ("kafka", "a kafkaesque affair", "none"),
    ],
)
def test_what_a_name_at_a_place_is_worth(entity_id: str, text: str, verdict: str) -> None:
    least, below = {
        "volunteered": (VOLUNTEERED, 2.0),
        "listed": (LISTED, VOLUNTEERED),
        "none": (0.0, LISTED),
    }[verdict]
    assert least <= strength(entity_id, text) < below


def test_a_heading_says_nothing_by_its_capitals() -> None:
    heading = of("relay", "Our Yearly Relay Race Report")
    sentence = of("relay", "we know that Relay raced")
    assert heading is not None
    assert sentence is not None
    assert heading.place < sentence.place


def test_signs_that_belong_to_a_name_are_asked_for() -> None:
    where = view(entity("me", "/me", type="concept"))
    with_sign, without = (of("me", text, where) for text in ("type /me waves", "tell me all"))
    assert with_sign is not None
    assert with_sign.place == 1.0
    assert without is None


SIGNS = ("C#", "F#", "C++", ".NET", "@team", "--Force", "🚀 launcher", "→", "++")


@pytest.mark.parametrize("name", SIGNS)
@pytest.mark.parametrize("form", ["{}", " {} ", "“{}”", "{}?"])
def test_a_text_that_is_nothing_but_a_name_with_signs_is_that_name(name: str, form: str) -> None:
    where = view(entity("e", name), entity("other", "Other"))
    for written in (name, name.lower()):
        text = form.format(written)
        (found,) = weigh(where, text)
        assert (found.strength, found.matched, found.form) == (1.0, written, FormKind.NAME)


def test_a_name_with_its_signs_is_no_ordinary_word() -> None:
    where = view(*(entity(name, name) for name in ("C#", "@team", "--Force", "Go!", "F#")))

    def signed(name: str, text: str) -> float:
        found = of(name, text, where)
        return found.strength if found else 0.0

    assert signed("C#", "we write c# here") == 1.0
    assert signed("@team", "ask @team about it") == 1.0
    assert signed("--Force", "use --force on it") == 1.0
    assert signed("@team", "the team is nice") < LISTED
    assert signed("Go!", "ready, let us go!") < LISTED
    assert signed("F#", "f is a function") == 0.0


def test_a_numbered_name_whose_letters_are_a_word() -> None:
    known = seen(entity("out-77", "OUT-77", type="incident"))
    assert strength("out-77", "what should I know about OUT-77?", known) >= VOLUNTEERED
    assert strength("out-77", "we got out 77 times", known) < VOLUNTEERED


@pytest.mark.parametrize("name", ["Harbor", "Harbour", "Catalog", "Catalogue"])
def test_english_is_spelled_in_two_ways(name: str) -> None:
    known = seen(entity("one", name, type="system"))
    assert strength("one", f"push it to our {name.lower()} and wait", known) < LISTED
    assert strength("one", f"push it to {name} and wait", known) >= VOLUNTEERED


def test_what_a_text_is_but_for_a_sign_does_not_hide_what_it_is() -> None:
    where = view(entity("handle", "@team"), entity("team", "team"))
    assert {e.entity_id: e.strength for e in weigh(where, "@team")}["handle"] == 1.0


def test_a_word_that_others_use_too_names_its_entity_less() -> None:
    own = claim("own", "An orbit is planned.", entities=("orbit",))
    others = [claim(f"c{n}", "It is in orbit.", entities=("acme",)) for n in range(20)]
    alone, among = (of("orbit", "each orbit counts", seen(own, *o)) for o in ([], others))
    assert alone is not None
    assert among is not None
    assert alone.keyness == 1.0
    assert among.keyness == round((1 + 1) / (1 + 1 + 20 / 10), 2) == 0.5
    many = seen(*(claim(f"c{n}", "Sent to Kafka.", entities=("acme",)) for n in range(200)))
    written, bare = (of("kafka", text, many) for text in ("we ask Kafka", "we ask kafka"))
    assert written is not None
    assert bare is not None
    assert (written.keyness, bare.keyness < 0.1) == (0.5, True)


def test_the_words_of_the_factors_multiply_to_the_strength() -> None:
    for found in weigh(seen(), "we saw that Relay and kafka-backed orbits met Mei Brandt"):
        product = found.arm * found.specificity * found.keyness * found.place
        assert found.strength == round(product, 3)


@pytest.mark.parametrize(
    ("text", "needs", "sentence"),
    [
        ("is relay slow?", 0.6, "0.40, needs 0.60: it may be an ordinary word"),
        ("we saw that Relay is slow", 0.6, "0.80"),
        (
            "we saw that Relay is slow",
            0.801,
            "0.800, needs 0.801: the words may mean something else",
        ),
    ],
)
def test_a_score_is_told_in_a_sentence(text: str, needs: float, sentence: str) -> None:
    found = of("relay", text, seen())
    assert found is not None
    assert why(found, needs, needs) == f"“{found.matched}” names “Relay”: {sentence}"


LOG = "[INFO] Relay listens on 7000\n[INFO] Orbital Relay is up"


def test_a_name_that_only_a_machine_printed_is_listed_and_not_volunteered() -> None:
    several = entity("orbital-relay", "Orbital Relay", type="system")
    for entity_id in ("relay", "orbital-relay"):
        found = of(entity_id, f"what is wrong here?\n\n{LOG}", seen(several))
        assert found is not None
        assert (found.placed, is_listed(found)) == ("printed", True)
        assert found.strength < VOLUNTEERED


def test_an_identifier_and_a_name_typed_beside_it_count_as_ever() -> None:
    several = seen(entity("orbital-relay", "Orbital Relay", type="system"))
    for written in ("OrbitalRelay", "orbital-relay"):
        assert strength("orbital-relay", f"[INFO] {written} is up", several) >= VOLUNTEERED
    assert strength("relay", f"is this Relay?\n\n{LOG}") == strength("relay", "is this Relay?")


def test_what_lists_a_typed_name_lists_a_printed_one() -> None:
    gateway = seen(entity("locker", "Locker Gateway", type="system"))
    typed, printed = (of("locker", t, gateway) for t in ("is the Gateway up", "[a] the Gateway"))
    assert typed is not None
    assert printed is not None
    assert printed.strength < LISTED
    assert is_listed(typed) is is_listed(printed) is True
