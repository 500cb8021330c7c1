"""The whole sentence around a receipt: what is shown of it, and to whom."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.kb.records import Artifact, Claim, Evidence, Source
from vouch_sidecar.retrieval.blocks.touched_files import met_by
from vouch_sidecar.retrieval.constants import MAX_CONSIDERED
from vouch_sidecar.retrieval.statements.answers import answers
from vouch_sidecar.retrieval.view import View

from tests.conftest import lines_run
from tests.kb.samples import make_kb, put, source_of
from tests.retrieval.samples import ADA, NOBODY, PRIVATE, knowledge_of

CONTENT = """\
# Long heading

The first part is in a.md and the second in b.md, as it was. Another sentence stands here.

The last one is alone in a café. The first part is in a.

At night it does *not*:

- send mails to the team.
- delete old rows. Ask first.
"""
SOURCE_ID = source_of(CONTENT.encode())
QUOTES = {
    "heading": "# Long heading",
    "first": "The first part is in a.",
    "second": "md and the second in b.",
    "third": "md, as it was.",
    "other": "Another sentence stands here.",
    "alone": "The last one is alone in a café.",
    "lead-in": "At night it does *not*:",
    "item": "send mails to the team.",
}
WHOLE = "Long heading: The first part is in a.md and the second in b.md, as it was."
Look = Callable[..., View]


def source(**fields: Any) -> Source:
    return replace(Source(SOURCE_ID, f"sources/{SOURCE_ID}/meta.yaml", "a.md", kept=True), **fields)


def receipt(name: str, **fields: Any) -> Evidence:
    quote = QUOTES[name]
    start = CONTENT.encode().find(quote.encode())
    end = start + len(quote.encode())
    made = Evidence(f"ev-{name}", f"evidence/{name}.yaml", SOURCE_ID, "b", quote, start, end)
    return replace(made, **fields)


def claim(name: str, **fields: Any) -> Claim:
    made = Claim(name, f"claims/{name}.yaml", QUOTES[name], evidence=(f"ev-{name}",))
    return replace(made, **fields)


def everything(*others: Artifact) -> list[Artifact]:
    """A claim on each quote, its receipt and the source; others take the place of theirs."""
    made = [source(), *map(receipt, QUOTES), *map(claim, QUOTES), *others]
    return [*{artifact.path: artifact for artifact in made}.values()]


@pytest.fixture
def look(tmp_path: Path) -> Look:
    """A view of all artifacts but for some, for a viewer."""
    put(make_kb(tmp_path), f"sources/{SOURCE_ID}/content", CONTENT.encode())

    def seen(*others: Artifact, who: Any = NOBODY) -> View:
        return View("kb", knowledge_of(everything(*others)), who.gates, root=tmp_path)

    return seen


def said(view: View, name: str) -> str:
    one = view.claim(name)
    assert one is not None
    return view.shown(one).text


def test_a_quote_is_said_in_its_whole_sentence(look: Look) -> None:
    view = look()
    assert said(view, "first") == said(view, "second") == WHOLE
    assert said(view, "alone") == "Long heading: The last one is alone in a café."
    assert said(view, "item") == "Long heading: At night it does *not*: send mails to the team."
    first, second = (view.shown(claim(name)) for name in ("first", "second"))
    assert first.sentence_key == second.sentence_key
    assert first.claims == ("first", "second", "third")
    assert not view.is_sayable(claim("lead-in"))
    assert not view.shown(claim("heading")).says_something


def test_a_claim_is_found_by_the_words_of_its_whole_sentence(look: Look) -> None:
    three_of_four = [*combinations(("first", "part", "md", "second"), 3)] * MAX_CONSIDERED
    others = [
        Claim(f"o{n}", f"claims/o{n}.yaml", f"Row {n}: {' '.join(words)}")
        for n, words in enumerate(three_of_four[: 2 * MAX_CONSIDERED])
    ]
    view = look(*(claim(name, auto_approved=True) for name in QUOTES), *others)
    best, *_ = answers(view, "the first part of the md, as it was, and the second", {})
    assert best.artifact.id in {"first", "second", "third"}


@pytest.mark.parametrize("name", ["first", "second"])
def test_of_claims_of_one_sentence_the_asked_one_gives_its_id(look: Look, name: str) -> None:
    best, *_ = answers(look(), QUOTES[name], {})
    assert best.artifact.id == name


@pytest.mark.parametrize(
    "hides", [{"status": "superseded"}, {"status": "archived"}, {"scope": PRIVATE}]
)
def test_no_shown_part_overlaps_a_withheld_receipt(look: Look, hides: dict[str, object]) -> None:
    part = look(claim("second", **hides))
    assert said(part, "first") == QUOTES["first"]
    assert said(part, "alone").startswith("Long heading: ")
    assert said(look(claim("heading", **hides)), "first") == WHOLE.removeprefix("Long heading: ")
    item = look(claim("lead-in", **hides))
    assert said(item, "item") == QUOTES["item"]
    assert item.shown(claim("item")).lacks_context
    assert said(look(), "first") == WHOLE
    first = claim("first", auto_approved=True)
    assert not look(claim("second", **hides), first).is_sayable(first)
    first = replace(first, last_confirmed_at=1.0)
    assert look(claim("second", **hides), first).is_sayable(first)
    if "scope" in hides:
        hers = look(claim("second", **hides), who=ADA)
        assert said(hers, "first") == WHOLE
        assert hers.shown(claim("first")).claims == ("first", "second", "third")


@pytest.mark.parametrize(
    ("cited", "fields", "closes"),
    [
        (SOURCE_ID, {"status": "redacted"}, True),
        ("ev-other", {"status": "redacted"}, True),
        (SOURCE_ID, {"scope": PRIVATE}, True),
        ("bare", {"scope": PRIVATE}, True),
        ("empty", {"scope": PRIVATE}, True),
        ("ev-other", {"scope": PRIVATE}, False),
        (SOURCE_ID, {"scope": PRIVATE, "status": "superseded"}, True),
        (SOURCE_ID, {"status": "superseded"}, False),
        ("bare", {"status": "archived"}, False),
        ("empty", {"status": "archived"}, False),
    ],
)
def test_what_closes_a_source(look: Look, cited: str, fields: dict[str, Any], closes: bool) -> None:
    bare = receipt("other", id="bare", path="evidence/bare.yaml", byte_start=None)
    empty = replace(bare, id="empty", path="evidence/empty.yaml", byte_start=bare.byte_end)
    hiding = Claim("h", "claims/h.yaml", "Nobody is told.", evidence=(cited,), **fields)
    assert said(look(bare, empty, hiding), "first") == (QUOTES["first"] if closes else WHOLE)
    if fields == {"scope": PRIVATE}:
        assert said(look(bare, empty, hiding, who=ADA), "first") == WHOLE


def test_the_text_of_a_source_is_for_those_who_may_see_it(look: Look) -> None:
    assert said(look(source(scope=PRIVATE)), "first") == QUOTES["first"]
    assert said(look(source(scope=PRIVATE), who=ADA), "first") == WHOLE


def test_a_forged_receipt_and_a_lost_source_give_no_sentence(look: Look, tmp_path: Path) -> None:
    view = look(receipt("first", quote="Something else."))
    assert view.shown(claim("first")).source_id == ""
    assert said(view, "first") == QUOTES["first"]
    kept = tmp_path / ".vouch" / f"sources/{SOURCE_ID}/content"
    for content in (b"Other words.\n", b"\xff\xfe", None, CONTENT.encode()):
        if content is None:
            kept.unlink()
        else:
            kept.write_bytes(content)
        assert said(look(), "first") == (WHOLE if content == CONTENT.encode() else QUOTES["first"])


def test_an_edit_meets_every_claim_of_a_sentence(look: Look) -> None:
    met = met_by(look(), "ops/x.py", "first_part, second = 'a.md', 'b.md'")
    assert {"first", "second", "third"} <= {each.artifact.id for each, _ in met}


def test_a_range_over_much_of_a_document_costs_no_walk_through_it(tmp_path: Path) -> None:
    data = b"Say so.\n\n" * 4_000
    digest = source_of(data)
    put(make_kb(tmp_path), f"sources/{digest}/content", data)
    kept = Source(digest, f"sources/{digest}/meta.yaml", "a.md", kept=True)
    ends = {"one": 7, "all": len(data)}
    cited = [Evidence(f"ev-{i}", f"evidence/{i}.yaml", digest, "b", None, 0, ends[i]) for i in ends]
    one, every = (Claim(i, f"claims/{i}.yaml", "Say so.", evidence=(f"ev-{i}",)) for i in ends)
    view = View("kb", knowledge_of([kept, *cited, one, every]), NOBODY.gates, tmp_path)
    assert view.shown(one).text == "Say so."
    assert lines_run(lambda: view.shown(every)) < 1_000
    assert view.shown(every).text == "Say so."
