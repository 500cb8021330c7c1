"""Which claims answer a text that names nothing, and which stay unsaid."""

from __future__ import annotations

import pytest
from vouch_sidecar.retrieval.answering import answers
from vouch_sidecar.retrieval.constants import MUCH_COUNTS
from vouch_sidecar.retrieval.probe import Probe, run
from vouch_sidecar.retrieval.view import View

from tests.retrieval.samples import claim, entity, view

FACTS = (
    claim("billing", "Billing data requires ACID guarantees; PostgreSQL is the data store."),
    claim("cookie", "The session cookie expires after 20 minutes without activity."),
    claim("release", "Releases are cut on Wednesday; a hotfix needs two approvals."),
    claim("retries", "再試行回数の制限は三回です。"),
)


def said(seen: View, text: str) -> list[str]:
    return [answer.artifact.id for answer in answers(seen, text)]


def probed(seen: View, text: str, threshold: float = 0.4) -> Probe:
    return run([seen], text, threshold, lambda _, look: look())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("which database do we use for billing data?", ["billing"]),
        ("when does the session cookie expire", ["cookie"]),
        ("how long does a session cookie live?", ["cookie"]),
        ("the session cookie expires too early", ["cookie"]),
        ("再試行回数の制限を教えて", ["retries"]),
        ("the session of the choir was long", []),
        ("does the session cookie change our page?", ["cookie"]),
        ("can you change the session cookie page?", []),
        ("can we change the session cookie page", ["cookie"]),
        ("meet me at two on Wednesday", []),
        ("Session Cookie Bakery opens next week", []),
        ("did the Cookier session expire?", []),
        ("what now?", []),
    ],
)
def test_most_of_what_is_asked_is_held(text: str, expected: list[str]) -> None:
    assert said(view(*FACTS), text) == expected


def test_where_many_claims_hold_as_much_none_is_meant() -> None:
    def alike(count: int) -> View:
        many = [claim(f"c{i}", f"Region {i}: session cookies expire.") for i in range(count)]
        others = [claim(f"o{i}", f"Report {i} is archived.") for i in range(40)]
        return view(*many, *others)

    text = "when do session cookies expire?"
    assert said(alike(3), text) == ["c0", "c1", "c2"]
    assert said(alike(4), text) == []


ARCHIVE = "Scan events older than 18 months sit in partitions on slow disks; queries take minutes."
ASKS = "My query over scan events from two years ago takes minutes, is an index missing?"
TELLS = "Move the partitions of old scan events off the slow disks before we add the new racks."


@pytest.mark.parametrize("text", [ASKS, TELLS])
def test_much_is_enough_where_nothing_else_holds_nearly_as_much(text: str) -> None:
    others = [claim(f"o{i}", f"Report {i} is archived, and an index of it.") for i in range(20)]
    seen = view(claim("archive", ARCHIVE), *others)
    [answer] = answers(seen, text)
    assert (answer.artifact.id, answer.share) == ("archive", MUCH_COUNTS)
    assert [hit.artifact.id for hit in probed(seen, text).moderate] == ["archive"]
    rival = claim("rival", "Queries over scan events take minutes on partitions of slow disks.")
    assert said(view(claim("archive", ARCHIVE), rival, *others), text) == []


def test_a_few_words_of_many_are_not_much() -> None:
    text = "My query over the invoices of two years ago takes minutes, is an index missing there?"
    assert said(view(claim("archive", ARCHIVE), *FACTS), text) == []


def test_words_that_stand_far_apart_in_a_long_claim_are_no_answer() -> None:
    text = "which valve feeds the boiler?"
    filler = " ".join(f"step{i}" for i in range(60))
    assert said(view(claim("c", "A valve feeds the boiler.")), text) == ["c"]
    assert said(view(claim("c", f"A valve feeds heat. {filler} A boiler stands.")), text) == []


def test_a_name_is_the_matter_of_names() -> None:
    boiler = entity("boiler", "Boiler House")
    facts = claim("c", "A valve feeds the boiler house.")
    assert said(view(facts), "which valve has a boiler house?") == ["c"]
    assert said(view(boiler, facts), "which valve has a boiler house?") == []


def test_a_name_does_not_mute_the_rest_of_a_text() -> None:
    boiler, facts = entity("boiler", "Boiler House"), claim("c", "A valve feeds the boiler house.")
    named = probed(
        view(boiler, facts, *FACTS), "Boiler House: when does the session cookie expire?"
    )
    assert named.strength == "strong"
    assert [hit.artifact.id for hit in named.moderate] == ["cookie"]


def test_a_probe_says_so_and_how_much_was_held() -> None:
    found = probed(view(*FACTS), "which database do we use for billing data?")
    assert found.strength == "moderate"
    (hit,) = found.moderate
    assert (hit.artifact.id, hit.phrase, hit.arm) == ("billing", "billing data", "text")
    assert 0.4 <= hit.similarity < 0.5
    assert probed(view(*FACTS), "which database do we use for billing data?", 0.5).moderate == ()


def test_a_name_whose_words_stand_apart_is_not_that_name() -> None:
    seen = view(claim("video", "Video consultations use servers in Frankfurt."))
    assert probed(seen, "we bought it at Frankfurt Video").moderate == ()
    assert probed(seen, "the Video Consultations of today").moderate != ()


def test_what_is_quoted_or_a_notation_is_meant_as_it_stands() -> None:
    apart = [claim(f"a{i}", f"A clock hangs at depot {i}.") for i in range(5)]
    seen = view(*apart, claim("z", "Each has a depot clock, release 3.1."), claim("y", "3 of 1."))
    (hit,) = probed(seen, "so what is the 'depot clock' of it?").moderate
    assert hit.artifact.id == "z"
    (hit,) = probed(seen, "was it there in 3.1.").moderate
    assert hit.artifact.id == "z"


@pytest.mark.parametrize(
    "text",
    [
        "what happens to a bill with 20 % of it guessed?",
        "the probe is off by 3.1 °C in the bath, what now?",
        "add a --dry-run flag to the script of the choir",
    ],
)
def test_amounts_and_common_words_joined_by_hyphens_are_in_many_texts(text: str) -> None:
    seen = view(
        claim("amounts", "Disks are full at 20 %, since release 3.1 at 30 %."),
        claim("flag", "`relayctl drain --dry-run` says what is left."),
    )
    assert probed(seen, text).moderate == ()


def test_the_sign_of_a_unit_is_no_word() -> None:
    start = claim("start", "A cold start of the handheld takes 1.6 s on the oldest device.")
    seen = view(start, *FACTS, *(claim(f"o{i}", f"Report {i} is archived.") for i in range(20)))
    assert said(seen, "cold start of my choir takes 4 s, any ideas") == []
    assert said(seen, "cold start on the oldest device takes 4 s, any ideas") == ["start"]


def test_a_question_behind_a_comma_is_read_by_itself() -> None:
    ordered = claim("ordered", "Events are ordered per parcel, and in no other way.")
    seen = view(ordered, *FACTS, *(claim(f"o{i}", f"Report {i} is archived.") for i in range(20)))
    assumes = "my brittle query assumes a total chronology over all of them"
    assert said(seen, f"{assumes}, are events really ordered or only per parcel") == ["ordered"]
    assert said(seen, f"{assumes}, are events ordered") == []
