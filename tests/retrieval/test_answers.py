"""What answers a text, how likely that is, and what stays unsaid."""

from dataclasses import replace

import pytest
from vouch_sidecar.kb.settings_model import Naming, Recall, Settings
from vouch_sidecar.retrieval.evidence.asked import worth_searching
from vouch_sidecar.retrieval.probe import Probe, run
from vouch_sidecar.retrieval.statements.answers import answers, best_claim_id
from vouch_sidecar.retrieval.view import View

from tests.conftest import lines_run
from tests.retrieval.samples import claim, entity, page, relation, view

FACTS = (
    claim("billing", "Billing data requires ACID guarantees; PostgreSQL is the data store."),
    claim("cookie", "The session cookie expires after 20 minutes without activity."),
    claim("release", "Releases are cut on Wednesday; a hotfix needs two approvals."),
)
OTHERS = [claim(f"o{i}", f"Report {i} is archived by hand.") for i in range(30)]
KNOWN = view(
    *FACTS,
    *OTHERS,
    claim("retries", "再試行回数の制限は三回です。"),
    claim("upload", "Uploads in SimpleWheelCache.get are retried 3 times, see #14094."),
    claim("killed", "Exit code 137 of a job means that it had too little memory."),
    claim("port", "Till Sync listens on port 8443 and refuses plain HTTP."),
    claim("wall", "The firewall lets 8443 in from the shops alone."),
    claim("code", "E1042 means that the drawer was opened while a sale was pending."),
    claim("gateway", "Error 502 from the scale gateway means that its certificate ran out."),
    claim("batch", "The label printer takes batches of 512 at most."),
    claim("late", "Orders placed after the cutoff at 18:30 are baked the day after."),
    claim("version", "Version 3.14.2 of the firmware loses receipts."),
    claim("address", "The oven controller has the address 10.4.0.17."),
    claim("page", "The page in app/shop/page.tsx is cached for an hour."),
    claim("gantry", "The gantry scanner answers below `/gantry/scanner/`, not in the archive."),
    claim("archive", "Scan events older than 18 months sit in partitions on slow disks."),
)
LONG_TAIL = "but first add new racks in the basement, and tell me which cables are needed for that"
BOILER = entity("boiler", "Boiler House")
LEDGER = "Ledgerly exports invoices."


def said(seen: View, text: str) -> list[str]:
    return [answer.artifact.id for answer in answers(seen, text, {}) if answer.likelihood >= 0.4]


def told(seen: View, text: str) -> list[str]:
    return [hit.artifact.id for hit in run([seen], text).answers]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("which database do we use for billing data?", ["billing"]),
        ("再試行回数の制限を教えて", ["retries"]),
        ("what now?", []),
        # an identifier, a ticket, a number that names something
        ("fix SimpleWheelCache.get", ["upload"]),
        ("what runs on 8443?", ["port", "wall"]),
        ("I get e1042 at the till", ["code"]),
        ("why do we see 502?", ["gateway"]),
        ("v2.14.3 loses receipts?", ["version"]),
        ("ping 10.4.0.17 fails", ["address"]),
        ("what is exit code 137?", ["killed"]),
        ("are orders placed at 18:45 late?", ["late"]),
        ("make 512 of them", []),
        ("ping 10.17.0.4 fails", []),
        ("what does http 502 mean", []),
        # a path is no other path, and its words alone tell nothing
        ("clean up `app/slot/page.tsx`", []),
        ("what does app/shop/page.tsx cost us?", ["page"]),
        ("why does app/cached/hour.tsx fail", []),
        ("why is the page app/cached/hour.tsx cached", ["page"]),
        ("GET /gantry/scanner/ is slow", ["gantry"]),
        # a long tail of other words hides nothing
        (f"move the partitions of old scan events off the slow disks, {LONG_TAIL}", ["archive"]),
    ],
)
def test_what_is_said_of_a_text(text: str, expected: list[str]) -> None:
    assert said(KNOWN, text)[: len(expected) or None] == expected
    assert bool(told(KNOWN, text)) == bool(expected)


def test_words_scattered_over_the_sentences_of_a_long_text_do_not_add_up() -> None:
    gantry = claim("gantry", "The gantry scanner writes its calibration to the ledger archive.")
    few = view(gantry, *FACTS, OTHERS[0])
    filler = "I would have preferred a smaller change that can be read in one sitting."
    words = ("gantry", "scanner", "calibration", "ledger", "archive", "writes")
    scattered = " ".join(f"{filler} I was unsure about the {word} there." for word in words)
    assert said(few, scattered) == []
    together = f"{filler} Where does the gantry scanner store the calibration? {filler}"
    assert said(few, together) == ["gantry"]
    printed = f"Gantry scanner calibration {' '.join(f'torque{sign}' for sign in 'bcdefghjkl')}.\n"
    asked = "Where does the scanner write the ledger?"
    (once,), (often,) = (answers(view(gantry), n * printed + asked, {}) for n in (1, 4))
    assert often.likelihood == once.likelihood


def test_a_pasted_log_hides_nothing_that_answers_what_was_typed() -> None:
    words = [f"{left}{right}" for left in "kxqzjw" for right in ("ol", "un", "ar", "im", "ek")]
    log = "\n".join(f"10:00:01 INFO {word}ra {word}ti {word}mo" for word in words)
    others = [claim(word, f"The {word}ra, {word}ti and {word}mo agree.") for word in words]
    asked = "when does the session end?"
    seen = view(claim("session", "A session may end at night."), *others)
    assert "session" in said(seen, asked)
    assert "session" in said(seen, f"{asked}\n\n{log}")


def test_a_claim_as_long_as_a_file_costs_a_question_no_more() -> None:
    def cost(words: int) -> int:
        many = " ".join(f"crane{number}" for number in range(words))
        seen = view(claim("c", f"The gantry scanner writes {many}."), *OTHERS)
        return lines_run(lambda: said(seen, "what does the gantry scanner write?"))

    assert cost(2_000) < 2 * cost(20)


def test_what_many_claims_hold_alike_tells_nothing() -> None:
    many = [claim(f"c{i:02}", f"Region {i}: session cookies expire.") for i in range(14)]
    text = "my session cookies are lost"
    assert said(view(many[0], *OTHERS), text) == ["c00"]
    assert said(view(*many, *OTHERS), text) == []


def test_claims_come_by_likelihood_then_by_worth_then_by_id() -> None:
    same = "A session cookie expires at night."
    sureness = {"a": 0.7, "b": 0.9, "c": 0.9}
    several = [claim(one, same, confidence=sureness[one]) for one in sureness]
    found = answers(view(*several, *OTHERS), "when does the session cookie expire?", {})
    assert [answer.artifact.id for answer in found[:3]] == ["b", "c", "a"]
    alike = view(BOILER, *(claim(i, same, entities=("boiler",)) for i in "cba"))
    assert best_claim_id(alike, "boiler", "the Boiler House") == "a"
    several = [
        claim("old", "It was painted.", entities=("boiler",), confidence=0.5),
        claim("sure", "It has two doors.", entities=("boiler",), confidence=1.0),
        claim("valve", "Its valve is replaced yearly.", entities=("boiler",), confidence=0.5),
    ]
    found = answers(view(BOILER, *several), "the valve of the Boiler House", {"boiler": 1.0})
    assert [answer.artifact.id for answer in found] == ["valve", "sure", "old"]


def test_of_many_claims_that_hold_as_much_the_best_is_found() -> None:
    many = [
        claim(f"c{i:03}", f"The valve in zone {i} is shut.", entities=("boiler",), confidence=0.5)
        for i in range(60)
    ]
    best = claim("z", "The valve was replaced.", entities=("boiler",), confidence=1.0)
    seen = view(BOILER, *many, best)
    assert best_claim_id(seen, "boiler", "the valve of the Boiler House") == "z"


def test_a_relation_answers_beside_the_names_of_its_ends() -> None:
    ends = [entity(i, f"{i.title()} Works") for i in ("alder", "birch", "yew")]
    made = (relation(f"yew-{end}", "yew", end) for end in ("alder", "birch"))
    seen = view(*ends, *[replace(one, relation="uses") for one in made], *FACTS)
    first, second = answers(seen, "Does Yew Works use Birch Works?", {"yew": 1.0, "birch": 1.0})
    assert (first.artifact.id, second.artifact.id) == ("yew-birch", "yew-alder")
    assert first.likelihood > second.likelihood >= 0.4
    assert said(seen, "what does it use") == []


@pytest.mark.parametrize(
    ("collection", "said", "text", "words"),
    [
        # its own name says nothing of a project that did not declare it
        ("ops", LEDGER, "rename Ledgerly exports", ("Ledgerly", "exports")),
        ("ledgerly", LEDGER, "rename Ledgerly exports", ("exports",)),
        # a word that is written like a name must stand there
        ("kb", "The coppersmith mends it.", "did Ida Coppersmither mend it?", ("mend",)),
        # words of a name that speaks, or that ask for somebody beside one
        ("kb", "A valve feeds the boiler house.", "which valve has a Boiler House?", ("valve",)),
        ("kb", "Who knows best works in the boiler house.", "who knows the Boiler House best?", ()),
    ],
)
def test_which_words_count(collection: str, said: str, text: str, words: tuple[str, ...]) -> None:
    seen = view(BOILER, claim("c", said), collection=collection)
    assert [answer.words for answer in answers(seen, text, {"boiler": 0.0})] == [words]


def test_the_own_name_of_a_project_counts_where_it_is_declared_and_not_silenced() -> None:
    declared = view(claim("c", LEDGER), entity("ledgerly", "Ledgerly"), collection="ledgerly")
    silenced = replace(declared, settings=Settings(naming=Naming(never=("ledgerly",))))
    for seen, words in ((declared, ("Ledgerly", "exports")), (silenced, ("exports",))):
        assert answers(seen, "rename Ledgerly exports", {})[0].words == words


def test_a_claim_about_somebody_is_enough_where_a_text_asks_who() -> None:
    mei = entity("mei", "Mei Tanaka", type="person")
    known = claim("c", "Mei Tanaka wrote the retry loop.", entities=("mei",))
    text = "who knows whether a loop with a retry helps the mobile app in the tunnel"
    seen = view(mei, known, *FACTS, *OTHERS)
    assert said(seen, text) == []
    [hit] = [hit for hit in run([seen], text).answers if hit.artifact.id == "c"]
    assert hit.entity_id == "mei"


def test_a_probe_tells_the_phrase_that_a_hit_holds_and_how_strong_it_is() -> None:
    asked = "which database do we use for billing data?"
    strict = replace(
        view(*FACTS, collection="strict"),
        settings=Settings(recall=Recall(similarity_threshold=0.999)),
    )
    found: Probe = run([KNOWN, strict], asked)
    (hit,) = found.hits()
    assert (hit.view.collection, hit.artifact.id) == ("kb", "billing")
    assert (found.strength, hit.phrase, hit.arm) == ("moderate", "billing data", "text")
    seen = view(BOILER, claim("c", "A valve feeds the boiler house."), *FACTS)
    found = run([seen], "Boiler House: when does the session cookie expire?")
    assert found.strength == "strong"
    assert "cookie" in [hit.artifact.id for hit in found.answers]  # a name mutes nothing


def test_a_command_and_a_few_words_are_not_searched() -> None:
    worth = [
        *("see #14094", "fix Cache.get_all", "--dry-run?", "src/app/main.py", "who is BlueShot"),
        *("Help me: losing brokers stops writes", "List every broker that was upgraded"),
        *("再試行回数の制限を教えて", "Redis 令牌过期", "עוד מילה אחת"),
        "see UTF-8",  # a standard, though it is no ticket, and so no topic
    ]
    not_worth = [
        *("help", "yes please, continue with it", "two words", ""),
        *("ok, stop all of this", "what is it about", "and/or", "再試行回"),
    ]
    assert [text for text in (*worth, *not_worth) if worth_searching(text)] == worth


def test_what_a_page_quotes_is_said_as_the_claim_and_is_no_rival_of_it() -> None:
    items = "- Pumps are grey.\n- The boiler feeds a valve. [claim: cellar]\n"
    plant = page("p", body=f"All of the heating plant.\n\n{items}")
    asked = "does the boiler feed that valve?"
    seen = view(claim("cellar", "The boiler feeds a valve."), plant, *OTHERS)
    assert told(seen, asked) == ["cellar"]
    assert answers(seen, asked, {})[0].features.rivals == 0
    assert told(view(plant, *OTHERS), asked) == ["p"]


def test_words_that_stand_in_several_passages_of_a_section_are_no_answer() -> None:
    together = "The boiler feeds a valve.\n\n- Pumps are grey.\n"
    apart = "The boiler is old.\n\n- Pumps feed the yard.\n\nNobody painted a valve.\n"
    asked = "does the boiler feed that valve, or must a mechanic open it?"
    assert told(view(page("p", body=together), *OTHERS), asked) == ["p"]
    assert told(view(page("p", body=apart), *OTHERS), asked) == []
