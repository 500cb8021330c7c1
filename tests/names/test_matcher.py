"""Which words of a text name which entity."""

from __future__ import annotations

import pytest
from vouch_sidecar.kb.records import Entity
from vouch_sidecar.names.matcher import MOST_MENTIONS, Names
from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.names.name_forms import FormKind

from tests.retrieval.samples import entity
from tests.text.lines_run import lines_run


def names_of(*known: Entity) -> Names:
    return Names(known)


def found(text: str, *known: Entity) -> list[tuple[str, str, FormKind]]:
    """What is named (nested mentions left out): the words, the entity, the arm."""
    mentions = names_of(*known).find(text)
    return [(text[m.start : m.end], m.entity_id, m.form) for m in mentions if not m.nested]


def one(text: str, *known: Entity) -> Mention:
    (mention,) = names_of(*known).find(text)
    return mention


@pytest.mark.parametrize(
    ("text", "name", "written", "arm"),
    [
        ("the Rate Limiter drops", "rate limiter", "Rate Limiter", FormKind.NAME),
        ("class RateLimiter:", "rate limiter", "RateLimiter", FormKind.VARIANT),
        ("rate_limiter = None", "rate limiter", "rate_limiter", FormKind.VARIANT),
        ("the rate-limiter", "rate limiter", "rate-limiter", FormKind.VARIANT),
        ("two rate limiters", "rate limiter", "rate limiters", FormKind.VARIANT),
        ("the rate limiter's window", "rate limiter", "rate limiter", FormKind.NAME),
        ("the rate limiter’s window", "rate limiter", "rate limiter", FormKind.NAME),
        ("the rate \n limiter", "rate limiter", "rate \n limiter", FormKind.NAME),
        ("the policies", "policy", "policies", FormKind.VARIANT),
        ("a box", "boxes", "box", FormKind.VARIANT),
        ("it cached", "cache", "cached", FormKind.VARIANT),
        ("caching", "cache", "caching", FormKind.VARIANT),
        ("planned", "plan", "planned", FormKind.VARIANT),
        ("drain the DLQs", "DLQ", "DLQs", FormKind.VARIANT),
        ("drain the dlqs", "DLQ", "dlqs", FormKind.VARIANT),
        ("our slos", "SLO", "slos", FormKind.VARIANT),
        ("two VBSs", "VBS", "VBSs", FormKind.VARIANT),
        ("two vbses", "VBS", "vbses", FormKind.VARIANT),
        ("list userVMs", "VM", "VMs", FormKind.VARIANT),
    ],
)
def test_forms_of_a_name(text: str, name: str, written: str, arm: FormKind) -> None:
    assert found(text, entity("e", name)) == [(written, "e", arm)]


def test_names_that_overlap_without_end_are_bounded_in_a_text() -> None:
    """The first count, the longest at each place."""
    runs = [" ".join(["alpha"] * length) for length in range(1, 90)]
    mentions = names_of(*(entity(f"e{n}", runs[-1], aliases=tuple(runs)) for n in range(9))).find(
        "alpha " * 400
    )
    assert len(mentions) == MOST_MENTIONS
    assert [(m.start, m.end, m.entity_id) for m in mentions[:2]] == [
        (0, len(runs[-1]), "e0"),
        (0, len(runs[-1]), "e1"),
    ]
    assert mentions[-1].start < 20 * len("alpha ")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("that is good", "Go"),
        ("it goed", "Go"),
        ("gopher", "Go"),
        ("the Tower Factional Council", "Tower Faction"),
        ("a Coppersmither", "Coppersmith"),
        ("as such", "a"),
        ("rate, limiter", "rate limiter"),
        ("rate | limiter", "rate limiter"),
        ("a rate\n\nlimiter", "rate limiter"),
        ("the generate limiter", "rate limiter"),
        ("C", "C++"),
        ("", "C"),
        ("the DNS of it", "DN"),
        ("a dn", "DNS"),
        ("it was DLQed", "DLQ"),
        ("the css", "CS"),
    ],
)
def test_what_names_nothing(text: str, name: str) -> None:
    assert found(text, entity("e", name)) == []


@pytest.mark.parametrize(
    ("text", "name", "written"),
    [
        ("認証基盤を確認して", "認証基盤", "認証基盤"),
        ("at Rogue's End", "Rogue's End", "Rogue's End"),
        ("at Rogue’s End", "Rogue's End", "Rogue’s End"),
        ("at Rogue's End", "Rogue’s End", "Rogue's End"),
        ("in der Strasse", "Straße", "Strasse"),
        ("İstanbul ﬁne", "istanbul", "İstanbul"),
        ("we use C++ here", "C++", "C++"),
        ("C# too", "c#", "C#"),
        ("on .NET now", ".NET", ".NET"),
        ("see AT&T today", "AT&T", "AT&T"),
        ("it reads TCP/IP", "TCP/IP", "TCP/IP"),
        ("it reads TCP IP", "TCP/IP", "TCP IP"),
        ("a RateLimiter", "ratelimiter", "RateLimiter"),
        ("a ratelimiter", "RateLimiter", "ratelimiter"),
        ("a rate limiter", "RateLimiter", "rate limiter"),
        ("사용자를 보라", "사용자", "사용자"),
    ],
)
def test_names_in_every_script(text: str, name: str, written: str) -> None:
    mention = one(text, entity("e", name))
    assert text[mention.start : mention.end] == written


def test_an_alias_and_a_surname_name_too() -> None:
    ada = entity("ada", "Ada Lovelace", type="person", aliases=("the countess",))
    text = "Lovelace, the countess, is Ada Lovelace."
    assert found(text, ada) == [
        ("Lovelace", "ada", FormKind.SURNAME),
        ("the countess", "ada", FormKind.ALIAS),
        ("Ada Lovelace", "ada", FormKind.NAME),
    ]


def test_a_part_that_is_shared_names_nobody_and_a_full_name_beats_a_part() -> None:
    ada = entity("ada", "Ada Byron", type="person")
    lord = entity("lord", "Lord Byron", type="person")
    assert found("Byron wrote", ada, lord) == []
    assert found("Byron wrote", ada, entity("ship", "Byron")) == [("Byron", "ship", FormKind.NAME)]
    ships = found("Byrons", entity("many", "Bo Byrons", type="person"), entity("ship", "Byron"))
    assert ships == [("Byrons", "ship", FormKind.VARIANT)]
    assert found("byron's", entity("tool", "Ada Byron", type="tool")) == []
    assert found("two Byrons of Li", ada, entity("li", "Ada Li", type="person")) == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("restart Relay now", ("relay", FormKind.NAME)),
        ("restart Relays now", ("relays", FormKind.NAME)),
        ("the relays' logs", ("relays", FormKind.NAME)),
        ("two mailers", ("relay", FormKind.ALIAS)),
    ],
)
def test_a_name_as_written_is_no_inflection_of_another(
    text: str, named: tuple[str, FormKind]
) -> None:
    relay = entity("relay", "Relay", aliases=("mailers",))
    mention = one(text, relay, entity("relays", "Relays"), entity("mailer", "Mailer"))
    assert (mention.entity_id, mention.form) == named
    assert not mention.ambiguous


def test_a_part_of_a_name_has_a_plural_and_is_not_cut_out_of_a_number() -> None:
    names = names_of(entity("jwt", "JWT authentication"), entity("inc", "INC-118"))
    for text, ids in [("old jwts", ["jwt"]), ("old JWTs", ["jwt"]), ("see INC-119", [])]:
        assert [m.entity_id for m in names.parts(text, names.find(text))] == ids


@pytest.mark.parametrize("text", ["→", " “→” ", "@team", "@team?"])
def test_a_text_that_is_nothing_but_a_name_names_it(text: str) -> None:
    names = names_of(entity("arrow", "→"), entity("at", "@team"), entity("team", "team"))
    expected = "arrow" if "→" in text else "at"
    assert expected in [m.entity_id for m in names.find(text)]


def test_words_that_name_two_entities_are_ambiguous() -> None:
    mentions = names_of(entity("a", "Relay"), entity("b", "relay")).find("two relays")
    assert [(m.entity_id, m.ambiguous) for m in mentions] == [("a", True), ("b", True)]
    names = names_of(entity("a", "Mercury"), entity("b", "Quicksilver", aliases=("mercury",)))
    assert [(m.entity_id, m.form, m.ambiguous) for m in names.find("Mercury rises")] == [
        ("a", FormKind.NAME, True),
        ("b", FormKind.ALIAS, True),
    ]


def test_a_longer_name_covers_the_names_in_it() -> None:
    names = names_of(entity("rl", "rate limiter"), entity("rls", "rate limiter service"))
    found = names.find("The rate limiter service and the rate limiter.")
    assert [(m.entity_id, m.nested) for m in found] == [
        ("rls", False),
        ("rl", True),
        ("rl", False),
    ]


def test_a_name_without_words_is_known_as_a_whole_only() -> None:
    names = names_of(entity("q", "?!"), entity("blank", "x", aliases=("", "’", " ")))
    assert names.exactly(" ?! ") == ["q"]
    assert names.find("what ?! now") == []
    assert [names.exactly(text) for text in ("", " ", "'", "’’")] == [[], [], [], []]


def test_a_part_of_a_name_at_word_borders() -> None:
    names = names_of(entity("rls", "rate limiter service"), entity("who", "The Who"))
    assert names.containing("limiter") == ["rls"]
    assert names.containing("RateLimiter") == ["rls"]
    assert names.containing("rate service") == []
    assert names.containing("limit er") == []
    assert names.containing("the") == []


def test_a_word_of_many_names_costs_as_much_as_one_of_few() -> None:
    def cost(many: int) -> int:
        names = names_of(*(entity(f"e{n}", f"relay {chr(97 + n)}x") for n in range(many)))
        assert names.parts("the relay", []) == []
        return lines_run(lambda: names.parts("the relay", []))

    assert cost(20) == cost(6)


def test_after_a_change_of_one_entity_no_other_is_worked_out_again() -> None:
    known = [entity(f"e{n}", f"Relay {n}") for n in range(20)]
    before, changed = Names(known), [entity("e0", "Beacon"), *known[1:]]
    assert 2 * lines_run(lambda: Names(changed, before)) < lines_run(lambda: Names(changed))
    again = Names(changed, before)
    assert [again.exactly(name) for name in ("Beacon", "Relay 0", "Relay 1")] == [
        ["e0"],
        [],
        ["e1"],
    ]
    assert [m.entity_id for m in again.find("Relay 1 and Relay 0, the Beacon")] == ["e1", "e0"]


def test_an_alias_that_is_the_name_in_another_spelling_is_one_mention() -> None:
    relay = entity("relay", "Relay", aliases=("RELAY",))
    assert found("RELAY and relay", relay) == [
        ("RELAY", "relay", FormKind.ALIAS),
        ("relay", "relay", FormKind.NAME),
    ]


def test_a_spelling_that_one_entity_has_as_an_alias_is_no_variant_of_another() -> None:
    limiter = entity("limiter", "rate_limiter", aliases=("RateLimiter",))
    names = names_of(limiter, entity("rate", "rate", aliases=("rate_limiter",)))
    found = names.find("RateLimiter")
    assert [(m.entity_id, m.form) for m in found if not m.nested] == [("limiter", FormKind.ALIAS)]
