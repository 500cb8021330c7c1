"""What answers a text, how likely that is, and what stays unsaid."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vouch_sidecar.kb.records import Artifact, Evidence, Source
from vouch_sidecar.kb.settings_model import Recall
from vouch_sidecar.retrieval.evidence.text_kinds import worth_searching
from vouch_sidecar.retrieval.probe import Probe, run
from vouch_sidecar.retrieval.statements.answers import answers, best_claim_id, claims_about
from vouch_sidecar.retrieval.view import NameWords, View

from tests.retrieval.samples import claim, entity, page, relation, view

TALK = Source("a" * 64, "sources/talk/meta.yaml", "talk.md", type="transcript")

FACTS = (
    claim("billing", "Billing data requires ACID guarantees; PostgreSQL is the data store."),
    claim("cookie", "The session cookie expires after 20 minutes without activity."),
    claim("release", "Releases are cut on Wednesday; a hotfix needs two approvals."),
    claim("retries", "再試行回数の制限は三回です。"),
    claim("upload", "Uploads in SimpleWheelCache.get are retried 3 times, see #14094."),
)
OTHERS = [claim(f"o{i}", f"Report {i} is archived by hand.") for i in range(30)]


def said(seen: View, text: str) -> list[str]:
    return [answer.artifact.id for answer in answers(seen, text, {}) if answer.likelihood >= 0.4]


def probed(seen: View, text: str) -> Probe:
    return run([seen], text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("which database do we use for billing data?", ["billing"]),
        ("when does the session cookie expire", ["cookie"]),
        ("extend the session cookie so that it expires later", ["cookie"]),
        ("再試行回数の制限を教えて", ["retries"]),
        ("fix SimpleWheelCache.get", ["upload"]),
        ("see #14094", ["upload"]),
        ("meet me at two in the garden", []),
        ("what now?", []),
    ],
)
def test_what_is_said_of_a_text(text: str, expected: list[str]) -> None:
    assert said(view(*FACTS, *OTHERS), text) == expected


CODES = (
    claim("killed", "Exit code 137 of a job means that it had too little memory."),
    claim("port", "Till Sync listens on port 8443 and refuses plain HTTP."),
    claim("wall", "The firewall lets 8443 in from the shops alone."),
    claim("code", "E1042 means that the drawer was opened while a sale was pending."),
    claim("gateway", "Error 502 from the scale gateway means that its certificate ran out."),
    claim("batch", "The label printer takes batches of 512 at most."),
    claim("late", "Orders placed after the cutoff at 18:30 are baked the day after."),
    claim("version", "Version 3.14.2 of the firmware loses receipts."),
    claim("address", "The oven controller has the address 10.4.0.17."),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what runs on 8443?", ["port", "wall"]),
        ("localhost:8443 refuses my connection", ["port"]),
        ("E1042", ["code"]),
        ("I get e1042 at the till", ["code"]),
        ("why do we see 502?", ["gateway"]),
        ("cutoff 18:30", ["late"]),
        ("v3.14.2", ["version"]),
        ("ping 10.4.0.17 fails", ["address"]),
        ("make 512 of them", []),
        ("exits with status 3", []),
        ("what is exit code 137?", ["killed"]),
        ("what runs on 8444?", []),
        ("version 3.2.14", []),
        ("v2.14.3 loses receipts?", ["version"]),
        ("what happens at 30:18?", []),
        ("ping 10.17.0.4 fails", []),
        ("ping 10.4.17.0", []),
        ("are orders placed at 18:45 late?", ["late"]),
        ("what does http 502 mean", []),
    ],
)
def test_a_number_that_names_something_is_enough(text: str, expected: list[str]) -> None:
    seen = view(*CODES, *OTHERS)
    assert said(seen, text)[: len(expected)] == expected
    assert bool(probed(seen, text).answers) == bool(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("clean up `app/slot/page.tsx`", []),
        ("what does app/shop/page.tsx cost us?", ["page"]),
        ("why does app/cached/hour.tsx fail", ["page"]),
    ],
)
def test_a_path_is_no_other_path(text: str, expected: list[str]) -> None:
    page = claim("page", "The page in app/shop/page.tsx is cached for an hour.")
    assert said(view(page, *OTHERS), text) == expected


def test_a_long_tail_of_other_words_does_not_hide_a_claim_with_the_rare_ones() -> None:
    archive = claim("archive", "Scan events older than 18 months sit in partitions on slow disks.")
    text = (
        "move the partitions of old scan events off the slow disks before we add the new racks in "
        "the basement, and tell me which cables are needed for that"
    )
    assert said(view(archive, *FACTS, *OTHERS), text) == ["archive"]


def test_words_scattered_over_the_sentences_of_a_long_text_do_not_add_up() -> None:
    gantry = claim("gantry", "The gantry scanner writes its calibration to the ledger archive.")
    few = (gantry, *FACTS[:3], OTHERS[0])
    filler = "I would have preferred a smaller change that can be read in one sitting."
    words = ("gantry", "scanner", "calibration", "ledger", "archive", "writes")
    scattered = " ".join(f"{filler} I was unsure about the {word} there." for word in words)
    assert said(view(*few), scattered) == []
    together = f"{filler} Where does the gantry scanner store the calibration? {filler}"
    assert said(view(*few), together) == ["gantry"]


def test_a_sentence_that_stands_there_again_changes_nothing() -> None:
    few = view(claim("gantry", "The gantry scanner writes its calibration to the ledger archive."))
    printed = f"Gantry scanner calibration {' '.join(f'torque{sign}' for sign in 'bcdefghjkl')}.\n"
    asked = "Where does the scanner write the ledger?"
    (once,), (often,) = (answers(few, times * printed + asked, {}) for times in (1, 4))
    assert often.likelihood == once.likelihood


def test_what_many_claims_hold_alike_tells_nothing() -> None:
    def alike(count: int) -> View:
        many = [claim(f"c{i:02}", f"Region {i}: session cookies expire.") for i in range(count)]
        return view(*many, *OTHERS)

    text = "my session cookies are lost"
    assert said(alike(1), text) == ["c00"]
    assert said(alike(14), text) == []


def test_equal_answers_come_by_worth_then_by_id() -> None:
    same = "A session cookie expires at night."
    several = [
        claim("a", same, confidence=0.7),
        claim("b", same, confidence=0.9),
        claim("c", same, confidence=0.9),
    ]
    found = answers(view(*several, *OTHERS), "when does the session cookie expire?", {})
    assert [answer.artifact.id for answer in found[:3]] == ["b", "c", "a"]
    boiler = entity("boiler", "Boiler House")
    told = view(boiler, *(claim(i, same, entities=("boiler",)) for i in "cba"))
    assert best_claim_id(told, boiler.id, "the Boiler House") == "a"


def test_a_relation_answers_beside_the_name_of_one_of_its_ends() -> None:
    pump, store = entity("brine-pump", "Brine Pump"), entity("salt-store", "Salt Store")
    seen = view(
        pump,
        store,
        replace(relation("r", "brine-pump", "salt-store"), relation="depends_on"),
        *FACTS,
    )
    asked = "what does the Brine Pump depend on?"
    found = answers(seen, asked, {"brine-pump": 1.0})
    assert found[0].artifact.id == "r"
    assert found[0].likelihood >= 0.4
    assert [
        answer for answer in answers(seen, "what depends on it", {}) if answer.artifact.id == "r"
    ] == []


def test_a_relation_goes_first_whose_ends_are_both_named() -> None:
    ends = [entity(i, f"{i.title()} Works") for i in ("alder", "birch", "yew")]
    edges = [
        replace(relation(f"yew-{end}", "yew", end), relation="uses") for end in ("alder", "birch")
    ]
    text = "Does Yew Works use Birch Works?"
    found = answers(view(*ends, *edges, *FACTS), text, {"yew": 1.0, "birch": 1.0})
    assert [answer.artifact.id for answer in found] == ["yew-birch", "yew-alder"]
    assert found[0].likelihood > found[1].likelihood


def test_words_of_a_name_that_speaks_are_no_evidence() -> None:
    boiler = entity("boiler", "Boiler House")
    facts = claim("c", "A valve feeds the boiler house.")
    named = answers(view(boiler, facts), "which valve has a Boiler House?", {"boiler": 0.0})
    assert [answer.words for answer in named] == [("valve",)]


def test_words_that_ask_for_somebody_are_no_content_beside_a_name() -> None:
    boiler = entity("boiler", "Boiler House")
    facts = claim("c", "Whoever knows best asks an experienced person in the boiler house.")
    named = answers(view(boiler, facts), "who knows the Boiler House best?", {"boiler": 0.0})
    assert [answer.words for answer in named] == [()]


def test_a_path_of_another_folder_is_no_evidence_and_a_route_is() -> None:
    facts = claim("c", "The gantry scanner answers below `/gantry/scanner/`, not in the archive.")
    seen = view(facts, *FACTS, *OTHERS)
    assert said(seen, "look at /home/gantry/scanner/archive please") == []
    assert said(seen, "GET /gantry/scanner/7 is slow") == ["c"]


def test_a_name_does_not_mute_the_rest_of_a_text() -> None:
    boiler, facts = entity("boiler", "Boiler House"), claim("c", "A valve feeds the boiler house.")
    text = "Boiler House: when does the session cookie expire?"
    found = probed(view(boiler, facts, *FACTS), text)
    assert found.strength == "strong"
    assert "cookie" in [hit.artifact.id for hit in found.answers]


def test_the_project_s_own_name_tells_nothing_unless_it_is_declared() -> None:
    facts = claim("c", "Ledgerly exports invoices.")
    text = "please rename Ledgerly exports"
    held = [answer.words for answer in answers(view(facts, collection="ops"), text, {})]
    assert held == [("Ledgerly", "exports")]
    held = [answer.words for answer in answers(view(facts, collection="ledgerly"), text, {})]
    assert held == [("exports",)]
    declared = view(facts, entity("ledgerly", "Ledgerly"), collection="ledgerly")
    held = [answer.words for answer in answers(declared, text, {})]
    assert held == [("Ledgerly", "exports")]
    silenced = replace(declared, words=NameWords.of((), ("ledgerly",)))
    assert [answer.words for answer in answers(silenced, text, {})] == [("exports",)]


def test_a_word_that_is_written_like_a_name_must_stand_in_the_claim() -> None:
    facts = view(claim("c", "The coppersmith mends kettles."))
    held = [answer.words for answer in answers(facts, "did Ida Coppersmither mend kettles?", {})]
    assert held == [("mend", "kettles")]


def test_a_claim_about_somebody_is_enough_where_a_text_asks_who() -> None:
    mei = entity("mei", "Mei Tanaka", type="person")
    known = claim("c", "Mei Tanaka wrote the retry loop.", entities=("mei",))
    text = "who knows whether a loop with a retry helps the mobile app in the tunnel"
    seen = view(mei, known, *FACTS, *OTHERS)
    assert said(seen, text) == []
    [hit] = [hit for hit in probed(seen, text).answers if hit.artifact.id == "c"]
    assert hit.entity_id == "mei"


def test_a_probe_tells_the_phrase_that_a_hit_holds() -> None:
    found = probed(view(*FACTS, *OTHERS), "which database do we use for billing data?")
    assert found.strength == "moderate"
    (hit,) = found.answers
    assert (hit.artifact.id, hit.phrase, hit.arm) == ("billing", "billing data", "text")


def test_each_knowledge_base_has_its_own_threshold() -> None:
    seen = view(*FACTS, *OTHERS)
    strict = replace(
        view(*FACTS, *OTHERS, collection="strict"), recall=Recall(similarity_threshold=0.999)
    )
    found = run([seen, strict], "which database do we use for billing data?")
    assert [(hit.view.collection, hit.artifact.id) for hit in found.hits] == [("kb", "billing")]


def test_the_claims_about_an_entity_come_by_likelihood_then_by_worth() -> None:
    boiler = entity("boiler", "Boiler House")
    several = [
        claim("old", "It was painted.", entities=("boiler",), confidence=0.5),
        claim("sure", "It has two doors.", entities=("boiler",), confidence=1.0),
        claim("valve", "Its valve is replaced yearly.", entities=("boiler",), confidence=0.5),
    ]
    found = claims_about(
        view(boiler, *several), "boiler", "the valve of the Boiler House", {"boiler": 1.0}
    )
    assert [answer.artifact.id for answer in found] == ["valve", "sure", "old"]


@pytest.mark.parametrize(
    "text",
    [
        *("see #14094", "fix Cache.get_all", "--dry-run?", "src/app/main.py", "SimpleWheelCache"),
        *("Help me: losing brokers stops writes", "List every broker that was upgraded"),
        *("Yes the broker loses writes", "status of the broker upgrade", "who is BlueShot"),
        *("再試行回数の制限を教えて", "Redis 令牌过期", "עוד מילה אחת"),
    ],
)
def test_what_is_worth_searching(text: str) -> None:
    assert worth_searching(text)


@pytest.mark.parametrize(
    "text",
    [
        *("help", "/help me with it now", "yes please, continue with it", "ok, stop all of this"),
        *("list all of the tools", "exit now quit", "what is it about"),
        *("two words", "and/or", "再試行回", ""),
    ],
)
def test_a_command_and_a_few_words_are_not(text: str) -> None:
    assert not worth_searching(text)


def test_words_that_stand_in_several_passages_of_a_section_are_no_answer() -> None:
    together = "The boiler feeds a valve.\n\n- Pumps are grey.\n"
    apart = "The boiler is old.\n\n- Pumps feed the yard.\n\nNobody painted a valve.\n"
    asked = "does the boiler feed that valve, or must a mechanic open it?"
    assert probed(view(page("p", body=together), *OTHERS), asked).answers
    assert not probed(view(page("p", body=apart), *OTHERS), asked).answers


QUOTED = claim("cellar", "The boiler feeds a valve.")
COMPILED = (
    "All of the heating plant.\n\n- Pumps are grey.\n- The boiler feeds a valve. [claim: cellar]\n"
)


def test_what_a_page_quotes_is_said_as_the_claim_and_is_no_rival_of_it() -> None:
    asked = "does the boiler feed that valve?"
    seen = view(QUOTED, page("p", body=COMPILED), *OTHERS)
    assert [hit.artifact.id for hit in probed(seen, asked).answers] == ["cellar"]
    assert answers(seen, asked, {})[0].features.rivals == 0
    without = view(page("p", body=COMPILED), *OTHERS)
    assert [hit.artifact.id for hit in probed(without, asked).answers] == ["p"]


def test_the_sections_of_one_page_are_no_rivals_in_the_words_of_its_title() -> None:
    body = "".join(f"## Part {number}\n\nSome notes.\n\n" for number in range(6))
    setup = page("setup", "Local development setup", body=body)
    asked = "how do I set up local development"
    assert answers(view(setup, *OTHERS), asked, {})[0].features.rivals == 0
    again = page("again", "Local development again", body=body)
    assert answers(view(setup, again, *OTHERS), asked, {})[0].features.rivals > 0


def test_statements_that_nobody_reviewed_take_the_place_of_no_reviewed_claim() -> None:
    seen: list[Artifact] = [TALK, claim("rule", "No relay restart without approval.")]
    for name in map("c{}".format, range(12)):
        fields = {"evidence": (f"e{name}",), "auto_approved": True}
        seen.append(claim(name, f"Approval of a relay restart at night, part {name}.", **fields))
        seen.append(Evidence(f"e{name}", "evidence", TALK.id, "b0-9", "what", 0, 9))
    found = answers(view(*seen, *OTHERS), "who gives approval of a relay restart at night?", {})
    assert found[-1].artifact.id == "rule"


def test_only_the_likeliest_captured_questions_are_compared_with_a_text() -> None:
    def exchange(number: int) -> Source:
        question = f"How does lamp {number:03} of the relay restart at night?"
        return replace(TALK, id=f"{number:064x}", path=f"{number}", question=question)

    seen = view(*map(exchange, range(300)), *FACTS)
    probed(seen, "how does the relay restart at night?")
    assert len(seen.knowledge.memo) < 100
