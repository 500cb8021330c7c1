"""Which hits a text brings in, and how much of them is told."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from vouch_sidecar.kb.records import Evidence, Page, Source
from vouch_sidecar.kb.settings_model import Recall, Settings
from vouch_sidecar.retrieval.blocks.block import line_text
from vouch_sidecar.retrieval.blocks.context import lines_for, make_block
from vouch_sidecar.retrieval.blocks.touched_files import Touched, lines_at, met_by
from vouch_sidecar.retrieval.constants import MAX_PASSAGED
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.probe import run
from vouch_sidecar.retrieval.salience import named_in, volunteered
from vouch_sidecar.retrieval.statements.section_passages import passages, plain
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.world import World

from tests.retrieval.samples import claim, entity, page, view

VAULT = entity("vault", "Key Vault")
RELAY = entity("relay", "Mail Relay")
FILLER = "Nothing to see in this sentence either. " * 12
ITEMS = "".join(f"- Pump {i} is checked by hand. [claim: pump-{i}]\n" for i in range(9))
BODY = (
    "# Runbook\n\nStart here.\n\n## Draining\n\nDrain the buffer before midnight.\n\n"
    "## Paging\n\nWho pages whom.\n\n## Colours\n\nBlue is for tests.\n"
)
RUNBOOK, LISTING = (page("runbook", "Runbook", body=BODY, entities=e) for e in ((), ("relay",)))
PARKED = claim("a", "Bounces are parked.", entities=("relay",))


def lines(seen: View, text: str) -> list[Line]:
    return lines_for(volunteered(named_in(seen, [text])), text, run([seen], text).answers)


def told(seen: View, text: str) -> list[str]:
    return [line.artifact.id for line in lines(seen, text)]


def excerpt(line: Line) -> str:
    assert isinstance(line.artifact, Page)
    return line_text(line).removeprefix(f"{line.artifact.title}. ")


def test_every_entity_has_a_line_before_another_has_two_and_a_claim_of_both_one() -> None:
    seen = view(VAULT, RELAY, claim("a", "Both are audited.", entities=("vault", "relay")))
    assert told(seen, "the Key Vault and the Mail Relay") == ["a"]
    both = [
        claim("a", "Keys rotate.", entities=("vault",)),
        claim("b", "Old keys rotate.", entities=("vault",)),
        claim("c", "Bounces are parked.", entities=("relay",)),
    ]
    text = "do old keys of the Key Vault rotate through the Mail Relay?"
    assert told(view(VAULT, RELAY, *both), text)[:2] == ["b", "c"]


def test_a_contested_claim_is_not_said_without_what_contradicts_it() -> None:
    contested = claim("a", "Keys rotate weekly.", entities=("vault",), status="contested")
    against = claim("z", "Nothing rotates here.", entities=("relay",), contradicts=("a",))
    seen = (VAULT, RELAY, contested, claim("b", "Keys are long.", entities=("vault",)))
    text = "Do keys of the Key Vault rotate weekly?"
    assert told(view(*seen, against), text)[:2] == ["a", "z"]
    assert told(view(*seen, replace(against, status="superseded")), text) == ["a", "b"]


def test_each_collection_has_as_many_lines_as_its_config_allows() -> None:
    views = []
    for name, allowed in (("one", 1), ("two", 3)):
        known = (claim(f"c{n}", f"{name} rotates keys {n}.", entities=("vault",)) for n in range(3))
        seen = view(VAULT, *known, collection=name)
        views.append(replace(seen, settings=Settings(recall=Recall(max_results=allowed))))
    text = "Has the Key Vault rotated keys?"
    rows = volunteered(row for seen in views for row in named_in(seen, [text]))
    block = make_block(views, rows, text)
    assert Counter(hit.view.collection for hit in block.hits) == {"one": 1, "two": 2}


def test_what_a_name_alone_brings_is_not_said_to_be_near_by_meaning() -> None:
    seen = view(VAULT, claim("a", "Both are audited.", entities=("vault",)))
    (hit,) = run([seen], "Can the Key Vault do refunds?").answers
    assert (hit.phrase, hit.arm) == ("Key Vault", "name")


def test_a_page_is_told_where_an_entity_has_no_claims() -> None:
    body = "# Keys\n\n## Life\n\nKeys live in the vault.\nThey rotate.\n"
    listing = page("keys", "Keys", body=body, entities=("vault",))
    (hit,) = lines(view(VAULT, listing), "the Key Vault")
    assert line_text(hit) == "Keys. # Keys ## Life Keys live in the vault. They rotate."
    title = "Proof of delivery"
    of_its_name = view(entity("e", title), page("one", title, body="Signed."))
    text = "what counts as proof of delivery?"
    assert [h.artifact.id for h in lines_for(named_in(of_its_name, [text]), text)] == ["one"]


def test_a_section_without_a_text_is_told_with_what_follows() -> None:
    body = "# Retry policy for uploads\n\n## Limits\n\nThree, then the operator is called.\n"
    longer = (page(f"p{n}", f"Retry policy for item {n}", body="Not it.\n") for n in range(20))
    seen = view(*longer, page("retries", "Retry policy for uploads", body=body))
    first, *_ = run([seen], "What is the retry policy for uploads?").answers
    assert excerpt(first).endswith("## Limits Three, then the operator is called.")


@pytest.mark.parametrize(
    ("text", "listing", "ids"),
    [
        ("when do we drain the buffer of the Mail Relay?", RUNBOOK, ["runbook", "a"]),
        ("when do we drain the buffer of the Mail Relay?", LISTING, ["runbook", "a"]),
        ("who pages for the Mail Relay?", LISTING, ["runbook", "a"]),
        ("who pages for the Mail Relay?", RUNBOOK, ["a"]),
        (
            "who pages for the Mail Relay?",
            page("paging", body="## Paging\n\nOf the Mail Relay: nobody."),
            ["paging", "a"],
        ),
    ],
)
def test_a_section_that_answers_goes_first(text: str, listing: Page, ids: list[str]) -> None:
    """A section about nothing that is named needs a word more."""
    found = lines(view(RELAY, PARKED, listing), text)
    assert [line.artifact.id for line in found] == ids
    if "drain" in text:
        assert found[0].section == 1
        assert excerpt(found[0]) == "## Draining Drain the buffer before midnight."


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


def test_of_a_very_long_section_the_start_is_looked_at() -> None:
    section = "one two. " * MAX_PASSAGED
    assert sum(len(passage.text) for passage in passages(section)) <= MAX_PASSAGED
    assert len(plain("[claim:" + " " * (4 << 20))) <= MAX_PASSAGED


def test_what_an_edit_meets_and_may_not_be_told_hides_nothing() -> None:
    talk = Source("s", "sources/s/meta.yaml", "chat", type="transcript")
    quote = Evidence("e", "evidence/e.yaml", "s", "b0-9", "Sluice refuses eleven tries.", 0, 9)
    fields = {"entities": ("sluice",), "evidence": ("e",), "auto_approved": True}
    said_once = claim("a", "Sluice refuses eleven tries.", **fields)
    text = "Sluice refuses a code after eleven tries, and rings a bell."
    worded = claim("b", text, entities=("sluice",))
    seen = view(entity("sluice", "Sluice"), talk, quote, said_once, worded)
    touched = Touched("ops/sluice.py", inserted="refused = 11  # after eleven")
    met = met_by(seen, "ops/sluice.py", touched.inserted)
    assert [each.artifact.id for each, _ in met] == ["a", "b"]
    heard = replace(seen, is_unasked=True, world=World(Path("/work")))
    assert [hit.artifact.id for hit in lines_at(heard, touched)] == ["b"]


@pytest.mark.parametrize(
    ("path", "inserted", "removed", "told"),
    [
        ("ops/sluice.py", "limit = 7", "limit = eleven  # refused codes", ["refuses"]),
        ("ops/sluice.py", "limit = 7", "", []),
        ("tests/test_limit.py", "for code in eleven_codes:", "", []),
        ("ops/limit.py", "for code in eleven_codes:", "", ["refuses"]),
        ("ops/limit.py", "\n# for code in eleven_codes:", "", []),
        ("ops/eleven_codes.py", "for code in eleven_codes:", "", []),
        ("ops/door.py", "open_at_night = True", "", ["opens"]),
        ("ops/door.py", "at_night = True", "", []),
        ("ops/door.py", "kb_at_night = True", "", []),
        ("ops/door.py", "shut_at_noon = True", "", []),
    ],
)
def test_what_an_edit_is_told(path: str, inserted: str, removed: str, told: list[str]) -> None:
    """Tests, documents and comments have to hold more; words of the path alone bring nothing."""
    seen = view(
        entity("sluice", "Sluice"),
        claim("refuses", "Sluice refuses a code after eleven tries.", entities=("sluice",)),
        claim("opens", "Of a kb Sluice opens at night.", entities=("sluice",)),
        claim("closes", "Sluice shuts at noon.", entities=("sluice",)),
        claim("rests", "Sluice is shut at noon.", entities=("sluice",)),
    )
    heard = replace(seen, is_unasked=True, world=World(Path("/work")))
    touched = Touched(path, inserted=inserted, removed=removed)
    assert [hit.artifact.id for hit in lines_at(heard, touched)] == told
