"""Which words of a text name which entity."""

import pytest
from vouch_sidecar.kb.records import Entity
from vouch_sidecar.names.matcher import MOST_MENTIONS, Names
from vouch_sidecar.names.name_forms import FormKind

from tests.retrieval.samples import entity

NAME, VARIANT = FormKind.NAME, FormKind.VARIANT
ADA = entity("ada", "Ada Byron", type="person")


def names_of(*known: Entity, **names: str) -> Names:
    """Entities, and others by their ids and names."""
    return Names([*known, *(entity(one, name) for one, name in names.items())])


def found(text: str, names: Names) -> list[tuple[str, str, FormKind]]:
    """What is named (nested mentions left out): the words, the entity, the arm."""
    return [(text[m.start : m.end], m.entity_id, m.form) for m in names.find(text) if not m.nested]


@pytest.mark.parametrize(
    ("text", "name", "written", "arm"),
    [
        ("the Rate Limiter drops", "rate limiter", "Rate Limiter", NAME),
        ("class RateLimiter:", "rate limiter", "RateLimiter", VARIANT),
        ("rate_limiter = None", "rate limiter", "rate_limiter", VARIANT),
        ("the rate limiter’s window", "rate limiter", "rate limiter", NAME),
        ("the rate \n limiter", "rate limiter", "rate \n limiter", NAME),
        ("the policies", "policy", "policies", VARIANT),
        ("planned", "plan", "planned", VARIANT),
        ("drain the DLQs", "DLQ", "DLQs", VARIANT),
        ("two vbses", "VBS", "vbses", VARIANT),
        ("list userVMs", "VM", "VMs", VARIANT),
        ("認証基盤を確認して", "認証基盤", "認証基盤", NAME),
        ("at Rogue’s End", "Rogue's End", "Rogue’s End", NAME),
        ("in der Strasse", "Straße", "Strasse", NAME),
        ("İstanbul ﬁne", "istanbul", "İstanbul", NAME),
        ("we use C++ here", "C++", "C++", NAME),
        ("see AT&T today", "AT&T", "AT&T", NAME),
        ("it reads TCP IP", "TCP/IP", "TCP IP", VARIANT),
        ("a ratelimiter", "RateLimiter", "ratelimiter", NAME),
        ("a rate limiter", "RateLimiter", "rate limiter", VARIANT),
        # what names nothing
        ("that is good", "Go", "", NAME),
        ("the Tower Factional Council", "Tower Faction", "", NAME),
        ("as such", "a", "", NAME),
        ("rate, limiter", "rate limiter", "", NAME),
        ("a rate\n\nlimiter", "rate limiter", "", NAME),
        ("C", "C++", "", NAME),
        ("", "C", "", NAME),
        ("the DNS of it", "DN", "", VARIANT),
        ("a dn", "DNS", "", VARIANT),
        ("cookies", "cook", "", VARIANT),
    ],
)
def test_forms_of_a_name(text: str, name: str, written: str, arm: FormKind) -> None:
    assert found(text, names_of(e=name)) == [(written, "e", arm)] * bool(written)


PERSON = {"type": "person"}
COUNTESS = entity("ada", "Ada Byron", aliases=("the countess",), **PERSON)
SEVERAL: list[tuple[str, Names, str]] = [
    (
        "Byron, the countess, is Ada Byron.",
        names_of(COUNTESS),
        "surname Byron of ada, alias the countess of ada, name Ada Byron of ada",
    ),
    # a surname that is shared, or a name, or no person's
    ("Byron wrote", names_of(ADA, entity("lord", "Lord Byron", **PERSON)), ""),
    ("Byron wrote", names_of(ADA, ship="Byron"), "name Byron of ship"),
    (
        "Byrons",
        names_of(entity("many", "Bo Byrons", **PERSON), ship="Byron"),
        "variant Byrons of ship",
    ),
    ("byron's", names_of(entity("tool", "Ada Byron", type="tool")), ""),
    ("two Byrons of Li", names_of(ADA, entity("li", "Ada Li", **PERSON)), ""),
    # a spelling of its own comes before a form of another's
    (
        "RELAY and relay",
        names_of(entity("relay", "Relay", aliases=("RELAY",))),
        "alias RELAY of relay, name relay of relay",
    ),
    (
        "RateLimiter",
        names_of(
            entity("limiter", "rate_limiter", aliases=("RateLimiter",)),
            entity("rate", "rate", aliases=("rate_limiter",)),
        ),
        "alias RateLimiter of limiter",
    ),
    (
        "restart Relay and Relays, the relays' logs",
        names_of(relay="Relay", relays="Relays"),
        "name Relay of relay, name Relays of relays, name relays of relays",
    ),
    (
        "two mailers",
        names_of(entity("relay", "Relay", aliases=("mailers",)), mailer="Mailer"),
        "alias mailers of relay",
    ),
]


@pytest.mark.parametrize(("text", "names", "expected"), SEVERAL)
def test_which_of_several_names(text: str, names: Names, expected: str) -> None:
    said = (f"{form.name.lower()} {words} of {one}" for words, one, form in found(text, names))
    assert ", ".join(said) == expected
    assert not any(mention.ambiguous for mention in names.find(text))


def test_a_longer_name_covers_the_names_in_it() -> None:
    names = names_of(rl="rate limiter", rls="rate limiter service")
    mentions = names.find("The rate limiter service and the rate limiter.")
    expected = [("rls", False), ("rl", True), ("rl", False)]
    assert [(m.entity_id, m.nested) for m in mentions] == expected


def test_a_part_of_a_name_at_word_borders() -> None:
    names = names_of(rls="rate limiter service", who="The Who")
    for part in ("limiter", "RateLimiter"):
        assert names.containing(part) == ["rls"]
    for part in ("rate service", "limit er", "the"):
        assert names.containing(part) == []
    names = names_of(jwt="JWT authentication", inc="INC-118")
    for text, ids in {"old jwts": ["jwt"], "old JWTs": ["jwt"], "see INC-119": []}.items():
        assert [mention.entity_id for mention in names.parts(text, names.find(text))] == ids


def test_names_that_overlap_without_end_are_bounded_in_a_text() -> None:
    """The first count, the longest at each place."""
    runs = [" ".join(["alpha"] * length) for length in range(1, 90)]
    known = (entity(f"e{n}", runs[-1], aliases=tuple(runs)) for n in range(9))
    mentions = names_of(*known).find("alpha " * 400)
    assert len(mentions) == MOST_MENTIONS
    longest = [(0, len(runs[-1]), "e0"), (0, len(runs[-1]), "e1")]
    assert [(m.start, m.end, m.entity_id) for m in mentions[:2]] == longest
    assert mentions[-1].start < 20 * len("alpha ")
