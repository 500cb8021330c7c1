"""The whole sentence around a receipt: what is shown of it, and to whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import pytest
from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.records import Artifact, Claim, Evidence, Scope, Source
from vouch_sidecar.retrieval.constants import MAX_CONSIDERED
from vouch_sidecar.retrieval.statements.answers import answers
from vouch_sidecar.retrieval.view import View

from tests.index.worlds import knowledge_of
from tests.kb.samples import make_kb, put
from tests.text.lines_run import lines_run

CONTENT = """\
# Long heading

The first part is in a.md and the second in b.md, as it was. Another sentence stands here.

The last one is alone in a café. The first part is in a.

At night it does *not*:

- send mails to the team.
- delete old rows. Ask first.
"""
SOURCE_ID = sha256(CONTENT.encode()).hexdigest()
QUOTES = (
    "# Long heading",
    "The first part is in a.",
    "md and the second in b.",
    "md, as it was.",
    "Another sentence stands here.",
    "The last one is alone in a café.",
    "At night it does *not*:",
    "send mails to the team.",
)
HEADING, FIRST, SECOND, _, OTHER, ALONE, LEAD_IN, ITEM = range(8)
WHOLE = "The first part is in a.md and the second in b.md, as it was."
PRIVATE = Scope("private", agent="ada")
ADA = frozenset({OPEN, "agent:ada"})
EVERYBODY = frozenset({OPEN})

Look = Callable[..., View]


def source(**fields: object) -> Source:
    made = Source(SOURCE_ID, f"sources/{SOURCE_ID}/meta.yaml", "a.md", kept=True)
    return replace(made, **fields)  # type: ignore[arg-type]


def receipt(number: int) -> Evidence:
    quote = QUOTES[number]
    start = CONTENT.encode().find(quote.encode())
    path, end = f"evidence/ev{number}.yaml", start + len(quote.encode())
    return Evidence(f"ev{number}", path, SOURCE_ID, "b", quote, start, end)


def claim(number: int, **fields: object) -> Claim:
    made = Claim(f"c{number}", f"claims/c{number}.yaml", QUOTES[number], evidence=(f"ev{number}",))
    return replace(made, **fields)  # type: ignore[arg-type]


def everything(*others: Artifact) -> Iterable[Artifact]:
    numbers = range(len(QUOTES))
    made = [source(), *map(receipt, numbers), *map(claim, numbers), *others]
    return {artifact.path: artifact for artifact in made}.values()


@pytest.fixture
def look(tmp_path: Path) -> Look:
    """A view of artifacts, for a viewer with some gates."""
    kb_dir = make_kb(tmp_path)
    put(kb_dir, f"sources/{SOURCE_ID}/content", CONTENT.encode())

    def seen(artifacts: Iterable[Artifact], gates: frozenset[str] = EVERYBODY) -> View:
        return View("kb", knowledge_of(artifacts), gates, root=tmp_path)

    return seen


def said(view: View, number: int) -> str:
    one = view.visible.claim(f"c{number}")
    assert one is not None
    return view.texts.shown(one).text


def test_parts_of_one_sentence_are_said_whole_and_once(look: Look) -> None:
    view = look(everything())
    for number in (FIRST, SECOND):
        assert said(view, number) == f"Long heading: {WHOLE}"
    first, second = (view.texts.shown(claim(number)) for number in (FIRST, SECOND))
    assert first.sentence_key == second.sentence_key
    assert first.claims == ("c1", "c2", "c3")
    assert said(view, ALONE) == "Long heading: The last one is alone in a café."


def test_a_claim_is_found_by_the_words_of_its_whole_sentence(look: Look) -> None:
    three_of_four = [*combinations(("first", "part", "md", "second"), 3)] * MAX_CONSIDERED
    others = [
        Claim(f"o{n}", f"claims/o{n}.yaml", f"Row {n}: {' '.join(words)}")
        for n, words in enumerate(three_of_four[: 2 * MAX_CONSIDERED])
    ]
    parts = [claim(number, auto_approved=True) for number in range(len(QUOTES))]
    view = look(everything(*parts, *others))
    first, *_ = answers(view, "the first part of the md, as it was, and the second", {})
    assert first.artifact.id in {"c1", "c2", "c3"}


def test_an_item_of_a_list_is_said_with_what_leads_in_the_list(look: Look) -> None:
    view = look(everything())
    assert said(view, ITEM) == "Long heading: At night it does *not*: send mails to the team."
    assert not view.texts.is_sayable(claim(LEAD_IN))
    assert not view.texts.shown(claim(HEADING)).says_something


RETIRED = ({"status": "superseded"}, {"status": "archived"}, {"scope": PRIVATE})


@pytest.mark.parametrize("hides", RETIRED)
def test_no_part_that_is_shown_overlaps_a_receipt_that_is_withheld(
    look: Look, hides: dict[str, object]
) -> None:
    part = look(everything(claim(SECOND, **hides)))
    assert said(part, FIRST) == QUOTES[FIRST]
    assert said(part, ALONE).startswith("Long heading: ")
    headless = look(everything(claim(HEADING, **hides)))
    assert said(headless, FIRST) == WHOLE
    item = look(everything(claim(LEAD_IN, **hides)))
    assert said(item, ITEM) == QUOTES[ITEM]
    assert item.texts.shown(claim(ITEM)).lacks_context
    again = look(everything())
    assert said(again, FIRST) == f"Long heading: {WHOLE}"


def test_who_may_see_the_claim_is_shown_the_sentence(look: Look) -> None:
    artifacts = [*everything(claim(SECOND, scope=PRIVATE))]
    assert said(look(artifacts, ADA), FIRST) == f"Long heading: {WHOLE}"
    assert look(artifacts, ADA).texts.shown(claim(FIRST)).claims == ("c1", "c2", "c3")


@pytest.mark.parametrize(
    ("cited", "fields", "is_closed"),
    [
        ("source", {"status": "redacted"}, True),
        ("receipt", {"status": "redacted"}, True),
        ("source", {"scope": PRIVATE}, True),
        ("bare", {"scope": PRIVATE}, True),
        ("receipt", {"scope": PRIVATE}, False),
        ("source", {"scope": PRIVATE, "status": "superseded"}, True),
        ("source", {"status": "superseded"}, False),
        ("bare", {"status": "archived"}, False),
    ],
)
def test_what_closes_a_source_as_a_whole(
    look: Look, cited: str, fields: dict[str, object], is_closed: bool
) -> None:
    bare = replace(receipt(OTHER), id="bare", path="evidence/bare.yaml", byte_start=None)
    ref = {"source": SOURCE_ID, "receipt": f"ev{OTHER}", "bare": "bare"}[cited]
    hiding = Claim("h", "claims/h.yaml", "Nobody is told.", evidence=(ref,), **fields)  # type: ignore[arg-type]
    view = look(everything(bare, hiding))
    assert said(view, FIRST) == (QUOTES[FIRST] if is_closed else f"Long heading: {WHOLE}")


def test_the_text_of_a_source_is_for_those_who_may_see_it(look: Look) -> None:
    artifacts = [*everything(source(scope=PRIVATE))]
    assert said(look(artifacts), FIRST) == QUOTES[FIRST]
    assert said(look(artifacts, ADA), FIRST) == f"Long heading: {WHOLE}"


@pytest.mark.parametrize("content", [None, b"Other words.\n", b"\xff\xfe"])
def test_a_source_that_is_not_kept_gives_no_sentences(
    look: Look, tmp_path: Path, content: bytes | None
) -> None:
    kept = tmp_path / ".vouch" / f"sources/{SOURCE_ID}/content"
    whole = kept.read_bytes()
    kept.unlink()
    if content is not None:
        kept.write_bytes(content)
    artifacts = [*everything(source(path=f"sources/{SOURCE_ID}/./meta.yaml"))]
    assert said(look(artifacts), FIRST) == QUOTES[FIRST]
    kept.write_bytes(whole)
    assert said(look(artifacts), FIRST) == f"Long heading: {WHOLE}"


def test_a_range_over_much_of_a_document_costs_no_walk_through_it(tmp_path: Path) -> None:
    data = b"Say so.\n\n" * 4_000
    digest = sha256(data).hexdigest()
    put(make_kb(tmp_path), f"sources/{digest}/content", data)
    kept = Source(digest, f"sources/{digest}/meta.yaml", "a.md", kept=True)
    ends = {"one": 7, "all": len(data)}
    cited = [Evidence(f"ev-{i}", f"evidence/{i}.yaml", digest, "b", None, 0, ends[i]) for i in ends]
    one, every = (Claim(i, f"claims/{i}.yaml", "Say so.", evidence=(f"ev-{i}",)) for i in ends)
    view = View("kb", knowledge_of([kept, *cited, one, every]), EVERYBODY, tmp_path)
    assert view.texts.shown(one).sentence == "Say so."
    assert lines_run(lambda: view.texts.shown(every)) < 1_000
    assert view.texts.shown(every).text == "Say so."


def test_a_forged_receipt_is_none(look: Look) -> None:
    forged = replace(receipt(FIRST), quote="Something else.")
    view = look(everything(forged))
    assert view.texts.shown(claim(FIRST)).sentence is None
    assert said(view, FIRST) == QUOTES[FIRST]


def test_a_part_that_nobody_approved_is_said_in_its_sentence_or_not_at_all(look: Look) -> None:
    part = claim(FIRST, auto_approved=True)
    assert not look(everything(part)).texts.shown(part).lacks_context
    hidden = look(everything(part, claim(SECOND, status="archived")))
    assert hidden.texts.shown(part).lacks_context


def test_evidence_that_retired_claims_alone_cite_has_no_quote(look: Look) -> None:
    view = look(everything(claim(OTHER, status="archived")))
    found = view.knowledge.evidence(f"ev{OTHER}")
    assert found == replace(receipt(OTHER), quote=None)
    assert view.knowledge.evidence(f"ev{FIRST}") == receipt(FIRST)
