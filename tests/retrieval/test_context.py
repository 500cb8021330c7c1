"""Which hits a text brings in, and which collection they make the first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from vouch_sidecar.kb.artifact_files import slug_of
from vouch_sidecar.kb.records import Evidence, Kind, Page, Source
from vouch_sidecar.retrieval.blocks.block import beginning, line_text
from vouch_sidecar.retrieval.blocks.context import lines_for
from vouch_sidecar.retrieval.blocks.touched_files import Touched, hits_to_tell, met_by
from vouch_sidecar.retrieval.constants import EDIT_LEAST
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.probe import run
from vouch_sidecar.retrieval.salience import named_in, volunteered_by
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.world import World

from tests.retrieval.samples import claim, entity, page, view

VAULT = entity("vault", "Key Vault")
RELAY = entity("relay", "Mail Relay")


def excerpt(line: Line) -> str:
    assert isinstance(line.artifact, Page)
    return line_text(line).removeprefix(f"{line.artifact.title}. ")


def said(seen: View, text: str, limit: int = 3) -> list[str]:
    rows = volunteered_by([seen], [text])
    return [h.artifact.id for h in lines_for(rows, text, limit=limit)]


def test_a_claim_of_two_entities_is_said_once() -> None:
    seen = view(VAULT, RELAY, claim("a", "Both are audited.", entities=("vault", "relay")))
    assert said(seen, "the Key Vault and the Mail Relay") == ["a"]


def test_a_contested_claim_is_not_said_without_what_contradicts_it() -> None:
    contested = claim("a", "Keys rotate weekly.", entities=("vault",), status="contested")
    against = claim("z", "Nothing rotates here.", entities=("relay",), contradicts=("a",))
    seen = view(VAULT, RELAY, contested, claim("b", "Keys are long.", entities=("vault",)), against)
    assert said(seen, "Do keys of the Key Vault rotate weekly?")[:2] == ["a", "z"]
    retired = replace(against, status="superseded")
    seen = view(VAULT, RELAY, contested, retired)
    assert said(seen, "Do keys of the Key Vault rotate weekly?") == ["a"]


def test_a_knowledge_base_of_pages_alone_is_not_silent() -> None:
    body = "# Keys\n\n## Life\n\nKeys live in the vault.\nThey rotate.\n"
    seen = view(VAULT, page("keys", "Keys", body=body, entities=("vault",)))
    (hit,) = lines_for(volunteered_by([seen], ["the Key Vault"]), "the Key Vault")
    assert line_text(hit) == "Keys. Keys live in the vault. They rotate."


def brought_in(seen: View, text: str) -> list[tuple[str, int | None]]:
    return [(hit.artifact.id, hit.section) for hit in run([seen], text).answers]


def test_what_a_name_alone_brings_is_not_said_to_be_near_by_meaning() -> None:
    seen = view(VAULT, claim("a", "Both are audited.", entities=("vault",)))
    (hit,) = run([seen], "Can the Key Vault do refunds?").answers
    assert (hit.phrase, hit.arm) == ("Key Vault", "name")


@pytest.mark.parametrize(
    "text",
    [
        "retry policy for uploads?",
        "What is the retry policy for uploads?",
        "Please give me an overview of the retry policy for uploads.",
    ],
)
def test_a_page_that_is_asked_for_by_its_title_answers(text: str) -> None:
    longer = (page(f"p{n}", f"Retry policy for item {n}", body="Not it.\n") for n in range(20))
    body = "# Retry policy for uploads\n\n## Limits\n\nThree, then the operator is called.\n"
    seen = view(*longer, page("retries", "Retry policy for uploads", body=body))
    assert brought_in(seen, text)[0] == ("retries", 1)


TITLES = ("Retry policy for uploads", "Background", "Code", "Tests", "Error", "The issue")


@pytest.mark.parametrize(
    "text",
    [
        *("Background", "in the background", "Retry policy"),
        *("show me the code", "explain the tests", "explain the error", "describe the issue"),
    ],
)
def test_a_part_of_a_title_and_a_common_word_ask_for_nothing(text: str) -> None:
    pages = [page(slug_of(title), title, body="Nothing.\n") for title in TITLES]
    assert brought_in(view(*pages), text) == []


def test_an_excerpt_is_bounded() -> None:
    assert beginning(page("p", body="# Title\n")) == ""
    assert len(beginning(page("p", body="word " * 500))) <= 240


def test_pages_about_an_entity_count_its_own_page() -> None:
    seen = view(entity("vault", "Key Vault", page="own"), page("own"), page("p", claims=("c",)))
    assert [p.id for p in seen.visible.pages_about((Kind.ENTITY, "vault"))] == ["own"]
    assert [p.id for p in seen.visible.pages_about((Kind.CLAIM, "c"))] == ["p"]


RUNBOOK = page(
    "runbook",
    "Runbook",
    body=(
        "# Runbook\n\nStart here.\n\n## Draining\n\nDrain the buffer before midnight.\n\n"
        "## Paging\n\nWho pages whom.\n\n## Colours\n\nBlue is for tests.\n"
    ),
)


def test_a_section_that_answers_goes_before_a_claim_that_holds_nothing_of_the_text() -> None:
    facts = [claim("a", "Bounces are parked.", entities=("relay",))]
    text = "when do we drain the buffer of the Mail Relay?"
    for listing in (RUNBOOK, page("runbook", body=RUNBOOK.body, entities=("relay",))):
        seen = view(RELAY, *facts, listing)
        rows = volunteered_by([seen], [text])
        found = run([seen], text).answers
        first, second = lines_for(rows, text, found)
        assert (first.artifact.id, first.section) == ("runbook", 1)
        assert excerpt(first) == "## Draining Drain the buffer before midnight."
        assert second.artifact.id == "a"


def test_a_section_about_a_named_entity_needs_one_word_more() -> None:
    text = "who pages for the Mail Relay?"
    facts = [claim("a", "Bounces are parked.", entities=("relay",))]
    about = page("runbook", "Runbook", body=RUNBOOK.body, entities=("relay",))
    naming = page("paging", body="## Paging\n\nOf the Mail Relay: nobody.")

    def told(*pages: Page) -> list[str]:
        seen = view(RELAY, *facts, *pages)
        rows = volunteered_by([seen], [text])
        return [h.artifact.id for h in lines_for(rows, text, run([seen], text).answers)]

    assert told(about) == ["runbook", "a"]
    assert told(naming) == ["paging", "a"]
    assert told(RUNBOOK) == ["a"]


FILLER = "Nothing to see in this sentence either. " * 12
ITEMS = "".join(f"- Pump {i} is checked by hand. [claim: pump-{i}]\n" for i in range(9))


@pytest.mark.parametrize(
    ("body", "begins"),
    [
        (f"{FILLER}\n\nA valve feeds the boiler. {FILLER}", "A valve feeds the boiler. Nothing"),
        (
            f"{ITEMS}- A valve feeds the [[boiler|big boiler]]. [claim: gone]\n- Nothing more.",
            "- A valve feeds the big boiler. - Nothing more.",
        ),
    ],
)
def test_a_long_section_is_told_from_the_passage_that_answers(body: str, begins: str) -> None:
    seen = view(page("p", body=f"## Limits\n\n{body}"))
    (hit,) = run([seen], "what valve feeds the boiler?").answers
    assert excerpt(hit).startswith(f"## Limits … {begins}")
    assert len(excerpt(hit)) <= 240


def test_every_entity_has_a_line_before_another_has_two() -> None:
    both = [
        claim("a", "Keys rotate.", entities=("vault",)),
        claim("b", "Old keys rotate.", entities=("vault",)),
        claim("c", "Bounces are parked.", entities=("relay",)),
    ]
    text = "do old keys of the Key Vault rotate through the Mail Relay?"
    assert said(view(VAULT, RELAY, *both), text, limit=2) == ["b", "c"]


def test_a_page_with_the_name_of_an_entity_is_told_where_it_has_no_claims() -> None:
    seen = view(entity("e", "Proof of delivery"), page("one", "Proof of delivery", body="Signed."))
    text = "what counts as proof of delivery?"
    rows = named_in(seen, [text])
    assert [hit.artifact.id for hit in lines_for(rows, text)] == ["one"]


def test_an_edit_meets_a_claim_by_a_name_in_the_path_and_by_the_claim_s_own_words() -> None:
    refusal = claim("c", "Lockbox refuses a code after three tries.", entities=("lockbox",))
    seen = view(entity("lockbox", "Lockbox"), refusal, claim("d", "Reports are archived by hand."))

    def likelihood(path: str, inserted: str) -> float:
        return max((each.likelihood for each in met_by(seen, path, inserted)), default=0.0)

    assert likelihood("ops/lockbox/rules.py", "tries = 9") >= EDIT_LEAST
    assert likelihood("ops/other/rules.py", "tries = 9") < EDIT_LEAST
    few, many = (likelihood("ops/a.py", text) for text in ("tries = 9", "code, tries = None, 9"))
    assert few < many


def test_what_an_edit_meets_and_may_not_be_told_hides_nothing() -> None:
    talk = Source("s", "sources/s/meta.yaml", "chat", type="transcript")
    quote = Evidence("e", "evidence/e.yaml", "s", "b0-9", "Sluice refuses eleven tries.", 0, 9)
    fields = {"entities": ("sluice",), "evidence": ("e",), "auto_approved": True}
    said_once = claim("a", "Sluice refuses eleven tries.", **fields)
    worded = claim("b", "Sluice refuses a code after eleven tries.", entities=("sluice",))
    seen = view(entity("sluice", "Sluice"), talk, quote, said_once, worded)
    touched = Touched("ops/sluice.py", is_edit=True, inserted="tries = 11  # eleven tries")
    assert [met.artifact.id for met in met_by(seen, "ops/sluice.py", touched.inserted)] == [
        "a",
        "b",
    ]
    heard = replace(seen, is_unasked=True, workspace=World(Path("/work")))
    assert [hit.artifact.id for hit in hits_to_tell(heard, touched, ())] == ["b"]


def test_of_a_long_claim_the_beginning_is_compared_with_an_edit() -> None:
    fact = "Sluice refuses a code after eleven tries."
    long = fact.ljust(1_000) + " ".join(f"word{number}" for number in range(5_000))
    views = [view(claim("a", fact)), view(claim("a", long))]
    short, beginning = (met_by(seen, "a.py", "eleven tries")[0].features.covered for seen in views)
    assert short == beginning
