"""Sentences around receipts: who is told them, and that any history of changes gives the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.index.builder import Builder, knowledge_of
from vouch_sidecar.index.document_schema import QUESTION, SENTENCE_STEMS
from vouch_sidecar.index.incremental import after
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import in_memory
from vouch_sidecar.index.quoted_sentences import NEGATION
from vouch_sidecar.index.receipts import Disk, names_place
from vouch_sidecar.index.withheld_texts import Withheld, texts_of
from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.artifact_files import slug_of
from vouch_sidecar.kb.records import (
    Artifact,
    Change,
    Claim,
    Entity,
    Evidence,
    Key,
    Kind,
    Page,
    Scope,
    Source,
    key_of,
)
from vouch_sidecar.operations.artifacts import ArtifactViews
from vouch_sidecar.operations.claim import WITHOUT_CONTEXT, ClaimResult, table
from vouch_sidecar.operations.table import for_model, show
from vouch_sidecar.retrieval.files.file_ties import mark_of, visible_ties
from vouch_sidecar.retrieval.people.experts import Question, rank
from vouch_sidecar.retrieval.people.topic_matches import matching
from vouch_sidecar.retrieval.people.weights import WEIGHTS
from vouch_sidecar.retrieval.search import search
from vouch_sidecar.retrieval.statements.entity_claims import best_claim_id
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.content_words import terms
from vouch_sidecar.text.document_layout import Layout, Place
from vouch_sidecar.workspace.ties import Tie

from tests.soak import examples

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
LEAD_IN, ITEM = 6, 7
WHOLE = "The first part is in a.md and the second in b.md, as it was."
LATER = CONTENT.replace("as it was", "as it is") + "\nA new line is here.\n"
LATER_ID = sha256(LATER.encode()).hexdigest()
ELSE = "Nothing of that other document is here.\n"
ELSE_ID = sha256(ELSE.encode()).hexdigest()
KEPT = {SOURCE_ID: CONTENT, LATER_ID: LATER, ELSE_ID: ELSE}
PRIVATE = Scope("private", agent="ada")
ADA = frozenset({OPEN, "agent:ada"})
EVERYBODY = frozenset({OPEN})


def source(
    kept: bool = True, scope: Scope | None = None, source_id: str = SOURCE_ID, **fields: object
) -> Source:
    made = Source(
        source_id,
        f"sources/{source_id}/meta.yaml",
        "a.md",
        title="Where it is",
        scope=scope or Scope(),
        question="what is where?",
        kept=kept,
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def receipt(number: int, source_id: str = SOURCE_ID, name: str = "ev") -> Evidence:
    quote = QUOTES[number].encode()
    start = KEPT[source_id].encode().find(quote)
    return Evidence(
        f"{name}{number}",
        f"evidence/{name}{number}.yaml",
        source_id,
        "b",
        quote.decode(),
        max(start, 0),
        max(start, 0) + len(quote),
    )


def bare(number: int, source_id: str = SOURCE_ID) -> Evidence:
    """Evidence without bytes."""
    return replace(receipt(number, source_id, "bare"), byte_start=None, byte_end=None, quote=None)


def page(body: str = "", **fields: object) -> Page:
    made = Page("page", "pages/page.md", "Where", body=body)
    return replace(made, **fields)  # type: ignore[arg-type]


def claim(number: int, **fields: object) -> Claim:
    text = QUOTES[number]
    name = slug_of(text)
    made = Claim(name, f"claims/{name}.yaml", text, evidence=(f"ev{number}",))
    return replace(made, **fields)  # type: ignore[arg-type]


def everything() -> list[Artifact]:
    numbers = range(len(QUOTES))
    return [source(), *map(receipt, numbers), *map(claim, numbers)]


class World:
    """Artifacts as files say them, and what is known of them, step by step and anew."""

    def __init__(self, *artifacts: Artifact) -> None:
        self.files: dict[Key, Artifact] = {}
        self.known = Knowledge()
        self.disk = Disk(
            lambda one: KEPT[one.id].encode() if one.kept else None, self._reread, self._hidden
        )
        self.take(*artifacts)

    def _reread(self, path: str) -> Artifact:
        found = next((artifact for artifact in self.files.values() if artifact.path == path), None)
        if found is None:
            raise LookupError(path)
        return found

    def _hidden(self, kind: Kind, is_hidden: Callable[[Key], bool]) -> Iterator[Artifact]:
        for key, one in self.files.items():
            if key[0] is kind and is_hidden(key):
                yield one

    def restart(self) -> None:
        """Know only what a base on disk holds."""
        names = self.known.pseudonyms
        self.known = Knowledge(in_memory(self.known.documents()), pseudonyms=names)

    def take(self, *artifacts: Artifact, gone: frozenset[Key] = frozenset()) -> None:
        self.files = {key: artifact for key, artifact in self.files.items() if key not in gone}
        self.files |= {key_of(artifact): artifact for artifact in artifacts}
        self.known = after(self.known, Change(artifacts, gone - self.files.keys()), self.disk)

    @property
    def anew(self) -> Knowledge:
        return knowledge_of(self.files.values(), self.disk)


def shown(known: Knowledge, gates: frozenset[str]) -> dict[str, object]:
    """All that a viewer is told of sentences."""
    view = View("kb", known, gates)
    found: dict[str, object] = {}
    for one in known.all_of(Kind.CLAIM):
        assert isinstance(one, Claim)
        if view.visible.sees(one):
            found[one.id] = (
                view.texts.shown(one),
                view.texts.sentence(one),
                view.texts.is_sayable(one),
            )
    for one in known.all_of(Kind.EVIDENCE):
        if view.visible.sees(one):
            found[one.id] = one
    for one in known.all_of(Kind.SOURCE):
        if isinstance(one, Source) and view.visible.sees(one):
            found[one.id] = (
                [each.id for each in view.texts.statements_of(one)],
                view.visible.artifact((Kind.SOURCE, one.id)),
            )
    found["page"] = view.visible.artifact((Kind.PAGE, "page"))
    for kind in (Kind.PAGE, Kind.SOURCE, QUESTION):
        places = [view.search.frequency(word, kind) for word in terms(f"{CONTENT} Where")]
        found[kind] = places, view.search.total(kind)
    words = terms(CONTENT)
    found["total"] = view.search.total(SENTENCE_STEMS), view.search.length(SENTENCE_STEMS)
    found["words"] = [view.search.frequency(word, SENTENCE_STEMS) for word in words]
    return found


def said(known: Knowledge, number: int, gates: frozenset[str] = EVERYBODY) -> str:
    view = View("kb", known, gates)
    found = view.visible.claim(slug_of(QUOTES[number]))
    assert found is not None
    return view.texts.shown(found).text


def test_parts_of_one_sentence_are_said_whole_and_found_once() -> None:
    view = View("kb", World(*everything()).known, EVERYBODY)
    for number in (1, 2, 3):
        found = view.visible.claim(slug_of(QUOTES[number]))
        assert found is not None
        assert view.texts.shown(found).text == f"Long heading: {WHOLE}"
        assert view.texts.shown(found).fact == WHOLE
        assert view.texts.shown(found).claims == tuple(
            sorted(slug_of(QUOTES[n]) for n in (1, 2, 3))
        )
    assert view.search.frequency(terms("second")[0], SENTENCE_STEMS) == 1
    assert view.search.total(SENTENCE_STEMS) == 4, "heading and lead-in are no statements"
    assert view.search.frequency(terms("second")[0], Kind.CLAIM) == 1
    assert view.search.frequency(terms("heading")[0], SENTENCE_STEMS) == 4
    (exchange,) = (
        artifact for artifact in view.knowledge.all_of(Kind.SOURCE) if isinstance(artifact, Source)
    )
    statements = [view.texts.shown(one).text for one in view.texts.statements_of(exchange)]
    assert statements == [f"Long heading: {WHOLE}", f"Long heading: {QUOTES[4]}",
                          f"Long heading: {QUOTES[5]}",
                          f"Long heading: {QUOTES[6]} {QUOTES[7]}"]  # fmt: skip


def test_an_item_of_a_list_is_said_with_what_leads_in_the_list() -> None:
    view = View("kb", World(*everything()).known, EVERYBODY)
    item = claim(ITEM)
    assert view.texts.is_sayable(item)
    assert (
        view.texts.shown(item).text
        == "Long heading: At night it does *not*: send mails to the team."
    )


@pytest.mark.parametrize("hides", [{"status": "superseded"}, {"scope": PRIVATE}])
def test_an_item_whose_lead_in_is_withheld_is_not_said_at_all(hides: dict[str, object]) -> None:
    others = [artifact for artifact in everything() if key_of(artifact) != key_of(claim(LEAD_IN))]
    view = View("kb", World(*others, claim(LEAD_IN, **hides)).known, EVERYBODY)
    assert not view.texts.is_sayable(claim(ITEM))
    assert view.texts.lacks_context(claim(ITEM))
    hits = search([view], "mails to the team", (Kind.CLAIM,), 10)
    assert claim(ITEM).id not in [hit.artifact.id for hit in hits]
    mark = mark_of(claim(ITEM), view.visible.quoted(claim(ITEM).id))
    assert visible_ties(view, [("a.md", Tie(claim(ITEM).id, mark, "quotes", 0.9))]) == []


@pytest.mark.parametrize("hidden", [False, True])
def test_an_item_whose_lead_in_is_withheld_is_no_top_claim(
    hidden: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    mailer = Entity("mailer", "entities/mailer.yaml", "Mailer", "system")
    item, lead_in = claim(ITEM, entities=("mailer",)), claim(LEAD_IN)
    if hidden:
        lead_in = replace(lead_in, scope=PRIVATE)
    others = [
        artifact for artifact in everything() if artifact not in (claim(ITEM), claim(LEAD_IN))
    ]
    view = View("kb", World(*others, mailer, item, lead_in).known, EVERYBODY)
    top = [] if hidden else [item.id]
    for weight in WEIGHTS:
        question = Question(topic="Mailer", now=0.0, weight=weight)
        (row,) = rank(matching([view], question))
        assert (row.claim_count, row.top_claim_ids) == (1, top)
    assert best_claim_id(view, mailer, "Mailer") == next(iter(top), None)
    shown = ArtifactViews(view, Path("/kb")).claim(item)
    result = ClaimResult(
        claim=shown,
        approved_by=None,
        auto_approved=False,
        contested_by=[],
        people=[],
        pages=[],
        relations=[],
        collection="kb",
    )
    assert (WITHOUT_CONTEXT in for_model(table(result))) == hidden
    show(table(result))
    assert (WITHOUT_CONTEXT in capsys.readouterr().out) == hidden


@pytest.mark.parametrize("hides", [{"status": "redacted"}, {"scope": PRIVATE}])
def test_a_part_of_a_sentence_that_nobody_approved_is_said_in_it_or_not_at_all(
    hides: dict[str, object],
) -> None:
    part, whole = claim(1, auto_approved=True), claim(5, auto_approved=True)
    others = [
        artifact
        for artifact in everything()
        if key_of(artifact) not in map(key_of, (part, claim(2)))
    ]
    view = View("kb", World(*others, part, claim(2)).known, EVERYBODY)
    assert view.texts.is_sayable(part)
    hidden = View("kb", World(*others, part, whole, claim(2, **hides)).known, EVERYBODY)
    assert not hidden.texts.is_sayable(part)
    assert hidden.texts.is_sayable(whole)
    approved = View("kb", World(*others, claim(1), claim(2, **hides)).known, EVERYBODY)
    assert approved.texts.is_sayable(claim(1)), "somebody approved it as it is"


def test_a_receipt_that_begins_within_a_word_is_said_in_its_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cut = "md is in `.github/`, which the team owns.\n"
    source_id = sha256(cut.encode()).hexdigest()
    quote = "github/`, which the team owns."
    start = cut.index(quote)
    evidence = Evidence("ev", "evidence/ev.yaml", source_id, "b", quote, start, start + len(quote))
    made = Claim("cut", "claims/cut.yaml", quote, evidence=("ev",), auto_approved=True)
    monkeypatch.setitem(KEPT, source_id, cut)
    view = View("kb", World(source(source_id=source_id), evidence, made).known, EVERYBODY)
    assert view.texts.shown(made).text == cut.strip()


def quoting(text: str, quote: str, monkeypatch: pytest.MonkeyPatch) -> tuple[View, Claim]:
    """A claim that vouch made of a part of a document."""
    source_id, start = sha256(text.encode()).hexdigest(), text.encode().index(quote.encode())
    end = start + len(quote.encode())
    evidence = Evidence("ev", "evidence/ev.yaml", source_id, "b", quote, start, end)
    quoted = Claim("made", "claims/made.yaml", quote, evidence=("ev",), auto_approved=True)
    monkeypatch.setitem(KEPT, source_id, text)
    return View("kb", World(source(source_id=source_id), evidence, quoted).known, EVERYBODY), quoted


@pytest.mark.parametrize("mark", ["-", "1)", "a)", "(b)", "- [x]", "❌", "<li>"])
def test_an_item_that_is_quoted_with_its_mark_is_led_in_and_a_passage(
    mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    quote = f"{mark} restart boilers"
    view, item = quoting(f"The plant does not:\n\n{quote}\n", quote, monkeypatch)
    assert view.texts.shown(item).text == "The plant does not: restart boilers"
    assert view.texts.kind_of(item) == "passage"


def test_a_long_item_whose_lead_in_may_reverse_it_is_not_said_without_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    item = f"- restart boilers. {'And so on. ' * 100}".rstrip()
    view, quoted = quoting(f"The plant does not:\n\n{item}\n", item, monkeypatch)
    assert view.texts.lacks_context(quoted)


@pytest.mark.parametrize("text", ["It does not:", "You don't:", "it shouldn’t:", "Neither may:"])
def test_a_lead_in_may_turn_its_items_round(text: str) -> None:
    assert NEGATION.search(text)
    assert not NEGATION.search("It notes and knows these:")


def test_what_stands_around_a_sentence_counts_as_far_as_it_may_be_seen() -> None:
    view = View("kb", World(*everything()).known, EVERYBODY)
    sentence = view.texts.sentence(claim(4))
    assert sentence is not None
    assert {"head", "second"} <= set(sentence.context_stems)
    others = [artifact for artifact in everything() if key_of(artifact) != key_of(claim(2))]
    hidden = View("kb", World(*others, claim(2, status="redacted")).known, EVERYBODY)
    sentence = hidden.texts.sentence(claim(4))
    assert sentence is not None
    assert "second" not in sentence.context_stems


def test_a_retired_part_leaves_the_others_with_their_own_text() -> None:
    for status in ("redacted", "superseded", "archived"):
        world = World(*everything())
        world.take(claim(2, status=status))
        assert said(world.known, 1) == QUOTES[1]
        assert said(world.known, 3) == QUOTES[3]
        assert said(world.known, 4) == f"Long heading: {QUOTES[4]}"
        evidence = world.known.evidence("ev2")
        assert evidence is not None
        assert evidence.quote is None, "no claim cites it"
        world.take(claim(2))
        assert said(world.known, 1) == f"Long heading: {WHOLE}"
        evidence = world.known.evidence("ev2")
        assert evidence is not None
        assert evidence.quote == QUOTES[2]


def test_what_a_retired_claim_quotes_is_not_said_where_it_stands_again() -> None:
    world = World(*everything())
    world.take(claim(1, status="redacted"))
    start = CONTENT.encode().rindex(b"first part")
    again = Evidence(
        "again", "evidence/again.yaml", SOURCE_ID, "b", "first part", start, start + 10
    )
    part = Claim("part", "claims/part.yaml", "first part", evidence=("again",))
    world.take(again, part)
    view = View("kb", world.known, EVERYBODY)
    assert view.texts.shown(part).text == "first part"


def test_a_retired_heading_is_left_out() -> None:
    world = World(*everything())
    world.take(claim(0, status="redacted"))
    assert said(world.known, 4) == QUOTES[4]


def test_a_receipt_of_a_claim_that_retired_shares_with_a_live_one_is_not_widened() -> None:
    newer = Claim("newer", "claims/newer.yaml", QUOTES[4], evidence=("ev4",))
    world = World(*everything(), newer)
    world.take(claim(4, status="superseded"))
    view = View("kb", world.known, EVERYBODY)
    assert view.texts.sentence(newer) is None


def test_receipts_of_what_vouch_refused_as_a_duplicate_hide_nothing() -> None:
    world = World(*everything())
    start = CONTENT.encode().rindex(QUOTES[1].encode())
    world.take(replace(receipt(1), id="dup", path="evidence/dup.yaml", byte_start=start,
                       byte_end=start + len(QUOTES[1])))  # fmt: skip
    last = world.known.evidence("dup")
    assert last is not None
    assert said(world.known, 1) == f"Long heading: {WHOLE}"
    world.take(claim(1, status="redacted"))
    assert said(world.known, 2) == QUOTES[2]
    world.take(claim(1))
    assert said(world.known, 5) == f"Long heading: {QUOTES[5]}"
    assert said(world.known, 1) == f"Long heading: {WHOLE}"


def test_a_claim_in_other_words_is_said_in_its_own() -> None:
    other = Claim("other", "claims/other.yaml", "It stands in two files.", evidence=("ev1",))
    world = World(*everything(), other)
    view = View("kb", world.known, EVERYBODY)
    assert view.texts.shown(other).text == other.text
    sentence = view.texts.sentence(other)
    assert sentence is not None
    assert sentence.text == f"Long heading: {WHOLE}"
    assert view.search.frequency(terms("files")[0], SENTENCE_STEMS) == 1
    assert view.search.frequency(terms("second")[0], SENTENCE_STEMS) == 2


def test_a_forged_receipt_is_none() -> None:
    forged = replace(receipt(1), byte_start=0, byte_end=9)
    world = World(source(), forged, claim(1))
    assert said(world.known, 1) == QUOTES[1]


_CITED = [
    ("ev1",), ("ev2", "ev3"), ("ev4",), ("ev5",), ("none",), ("later4",), ("bare1",),
    (SOURCE_ID,), (LATER_ID,), ("ev4", SOURCE_ID), ("ev5", "later4"),
]  # fmt: skip
_changes = st.lists(
    st.one_of(
        st.builds(
            claim,
            st.integers(0, 5),
            status=st.sampled_from(["working", "working", "redacted", "superseded"]),
            scope=st.sampled_from([Scope(), Scope(), PRIVATE, Scope("project", project="p")]),
            evidence=st.sampled_from(_CITED),
        ),
        st.builds(
            Claim,
            st.just("other"),
            st.just("claims/other.yaml"),
            st.sampled_from([*QUOTES[4:], "md and the second in b.md", "Where 2 is"]),
            status=st.sampled_from(["working", "redacted", "superseded"]),
            scope=st.sampled_from([Scope(), PRIVATE, Scope("project", project="p")]),
            evidence=st.sampled_from(_CITED),
        ),
        st.builds(receipt, st.integers(0, 5)),
        st.builds(receipt, st.integers(0, 5), st.just(LATER_ID), st.just("later")),
        st.builds(bare, st.just(1), st.sampled_from([SOURCE_ID, LATER_ID])),
        st.builds(source, st.booleans(), st.sampled_from([Scope(), PRIVATE])),
        st.builds(
            source,
            st.booleans(),
            source_id=st.sampled_from([LATER_ID, ELSE_ID]),
            locator=st.sampled_from(["a.md", "b.md"]),
            title=st.sampled_from([None, f"On {QUOTES[4]}"]),
            question=st.sampled_from([None, QUOTES[5]]),
        ),
        st.builds(
            page,
            st.sampled_from(
                [
                    f"It is so: {QUOTES[4]} Yes.\n\n# Last\n\n{QUOTES[5]}\n",
                    f"- One {CONTENT.splitlines()[2]}\n- Two [claim: {slug_of(QUOTES[1])}]\n",
                ]
            ),
            scope=st.sampled_from([Scope(), PRIVATE]),
        ),
    ),
    max_size=4,
    unique_by=key_of,
)
_gone = st.frozensets(
    st.one_of(
        st.tuples(st.just(Kind.CLAIM), st.sampled_from([slug_of(quote) for quote in QUOTES])),
        st.tuples(st.just(Kind.EVIDENCE), st.sampled_from([f"ev{n}" for n in range(6)])),
        st.tuples(st.just(Kind.SOURCE), st.sampled_from(list(KEPT))),
        st.just((Kind.CLAIM, "other")),
        st.just((Kind.EVIDENCE, "later4")),
    ),
    max_size=2,
)


@examples(30)
@given(st.lists(st.tuples(_changes, _gone, st.booleans()), min_size=1, max_size=5))
def test_any_history_says_what_a_look_at_all_files_says(
    history: list[tuple[list[Artifact], frozenset[Key], bool]],
) -> None:
    world = World(*everything())
    for changes, gone, restarts in history:
        if restarts:
            world.restart()
        world.take(*changes, gone=gone - {key_of(artifact) for artifact in changes})
        anew = world.anew
        for gates in (EVERYBODY, ADA, ADA | {"project:p"}):
            assert shown(world.known, gates) == shown(anew, gates)


def test_a_quote_whose_bytes_are_not_known_closes_with_its_source_and_comes_back() -> None:
    world = World(*everything())
    citing = claim(0, evidence=("ev1",))
    world.take(source(kept=False), citing, gone=frozenset({key_of(claim(1))}))
    for status, quote in [("redacted", None), ("working", QUOTES[1])]:
        world.take(claim(2, status=status))
        told = View("kb", world.known, EVERYBODY).visible.artifact((Kind.EVIDENCE, "ev1"))
        assert isinstance(told, Evidence)
        assert told.quote == quote
        assert shown(world.known, EVERYBODY) == shown(world.anew, EVERYBODY)


def test_a_quote_is_closed_once_the_content_of_its_closed_source_is_gone() -> None:
    world = World(*everything(), secret((SOURCE_ID,), status="redacted"))
    citing = claim(0, evidence=("ev1",), text="Other words are here.")
    world.take(citing, gone=frozenset({key_of(claim(1))}))
    for kept in (True, False, True):
        world.take(source(kept=kept))
        told = View("kb", world.known, EVERYBODY).visible.artifact((Kind.EVIDENCE, "ev1"))
        assert isinstance(told, Evidence)
        assert (told.quote is not None) is kept
        assert shown(world.known, EVERYBODY) == shown(world.anew, EVERYBODY)


def test_what_nobody_is_told_about_a_closed_source_leaves_it_closed_to_the_same() -> None:
    asked = source(source_id=ELSE_ID, locator="c.md", title=QUOTES[4], question=None)
    evidence = Evidence("ev", "evidence/ev.yaml", ELSE_ID, "b", ELSE.strip(), 0, len(ELSE) - 1)
    quoting = Claim("quoting", "claims/quoting.yaml", "Other words.", evidence=("ev",))
    secrets = secret((ELSE_ID,), scope=PRIVATE), secret(("none",), status="redacted")
    world = World(asked, evidence, quoting, secrets[0])
    world.take(replace(secrets[1], id="other", text=QUOTES[4]))
    world.take(gone=frozenset({key_of(secrets[0])}))
    for gates in (EVERYBODY, ADA):
        assert shown(world.known, gates) == shown(world.anew, gates)
    assert View("kb", world.known, EVERYBODY).texts.sentence(quoting) is not None


@pytest.mark.parametrize(
    "said",
    [
        "Couriers carry 1,000 parcels by day.",
        "Couriers c**arr**y 1 000 parcels by day.",
        "Couriers c&#97;rry 1000 parcels by day.",
        "Couriers\u200bcarry\u200b1000\u200bparcels\u200bby\u200bday.",
        "Couriers ca\ufeffrry 1000 parcels by day.",
    ],
)
def test_words_that_a_search_does_not_find_are_closed_while_a_server_runs(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a page and its title, the sentence of a receipt, a quote, a title and a description."""
    text = "Couriers carry 1000 parcels by day."
    content = f"# On it\n\nSo it is, and {said[:-1]} always. Next.\n"
    source_id = sha256(content.encode()).hexdigest()
    monkeypatch.setitem(KEPT, source_id, content)
    evidence = Evidence("ev", "evidence/ev.yaml", source_id, "b", "So it is", 9, 17)
    quoting = Claim("quoting", "claims/quoting.yaml", "So it is", evidence=("ev",))
    quoted = replace(evidence, id="ev-b", path="b", quote=said, byte_start=None, byte_end=None)
    other = replace(quoting, id="b", path="claims/b.yaml", text="Else.", evidence=("ev-b",))
    entity = Entity("depot", "entities/depot.yaml", "Depot", "place", description=said)
    world = World(
        source(source_id=source_id, title=said, question=None), evidence, quoting, quoted, other,
        entity, page(f"# One\n\n{said}\n"), replace(page(title=said), id="titled", path="t.md"),
        secret(("none",), text=text),
    )  # fmt: skip

    def told(known: Knowledge) -> str:
        view = View("kb", known, EVERYBODY)
        keys = [(Kind.EVIDENCE, "ev-b"), (Kind.SOURCE, source_id), (Kind.ENTITY, "depot"),
                (Kind.PAGE, "page"), (Kind.PAGE, "titled")]  # fmt: skip
        return f"{view.texts.shown(quoting).text} {[*map(view.visible.artifact, keys)]}"

    assert told(world.known).count("parcels") == 6
    world.take(secret(("none",), text=text, status="redacted"))
    for known in (world.known, world.anew):
        assert "parcels" not in told(known)


def test_evidence_that_comes_counts_for_what_repeats_the_claim_that_cites_it() -> None:
    world = World(*everything())
    world.take(gone=frozenset({(Kind.EVIDENCE, "ev4")}))
    world.take(claim(0, evidence=("ev4",)))
    assert said(world.known, 2) == WHOLE
    world.take(receipt(4))
    assert said(world.known, 2) == f"Long heading: {WHOLE}"


# What withheld claims close

SECRETS: list[dict[str, object]] = [
    {"status": "redacted", "text": "[redacted]"},
    {"scope": PRIVATE, "text": "Other words."},
    {"scope": Scope("project", project="p"), "text": "Other words."},
    {"scope": PRIVATE, "status": "superseded", "text": "Other words."},
]
LOOSE = [(SOURCE_ID,), ("bare1",), (LATER_ID,), ("later4",), ("bare1", "ev-gone")]
"""Citations without exact bytes in the source, or of a revision of it."""
WITHHELD: list[dict[str, object]] = [*SECRETS, {"status": "superseded"}, {"status": "archived"}]


def revisions() -> list[Artifact]:
    later = source(source_id=LATER_ID, title=None, question=None)
    return [*everything(), later, receipt(4, LATER_ID, "later"), bare(1)]


def secret(cited: tuple[str, ...], **fields: object) -> Claim:
    made = Claim("secret", "claims/secret.yaml", "Other words.", evidence=cited)
    return replace(made, **fields)  # type: ignore[arg-type]


def is_closed(world: World, gates: frozenset[str] = EVERYBODY) -> bool:
    """Whether nothing of the source but receipts is shown, found or counted."""
    view = View("kb", world.known, gates)
    claims = [view.visible.claim(slug_of(quote)) for quote in QUOTES]
    said = {view.texts.shown(one).text for one in claims if one is not None}
    kept = view.visible.artifact((Kind.SOURCE, SOURCE_ID))
    assert isinstance(kept, Source)
    found = view.search.frequency(terms("heading")[0], SENTENCE_STEMS), view.search.total(QUESTION)
    if said == set(QUOTES):
        assert all(view.texts.sentence(one) is None for one in claims if one is not None)
        assert (kept.title, kept.question, kept.locator) == (None, None, "a.md")
        assert found == (0, 0)
        return True
    assert kept.question is not None
    assert found[0] >= 3
    assert found[1] == 1
    return False


@pytest.mark.parametrize("cited", LOOSE)
@pytest.mark.parametrize("fields", SECRETS)
def test_a_secret_without_exact_bytes_closes_its_source_and_revisions(
    cited: tuple[str, ...], fields: dict[str, object]
) -> None:
    world = World(*revisions())
    assert not is_closed(world)
    world.take(secret(cited, **fields))
    assert is_closed(world)
    assert shown(world.known, ADA) == shown(world.anew, ADA)
    assert is_closed(world, ADA) is (fields not in (SECRETS[1], SECRETS[3]))
    world.restart()
    world.take(gone=frozenset({(Kind.CLAIM, "secret")}))
    assert not is_closed(world)


@pytest.mark.parametrize("status", ["superseded", "archived"])
@pytest.mark.parametrize("cited", LOOSE)
def test_a_claim_that_was_replaced_silences_no_document(
    cited: tuple[str, ...], status: str
) -> None:
    world = World(*revisions(), secret(cited, status=status))
    assert not is_closed(world)


def test_exact_bytes_open_the_rest_of_a_source() -> None:
    world = World(*everything(), secret(("ev4",), status="redacted"))
    assert said(world.known, 4) == QUOTES[4]
    assert said(world.known, 1) == f"Long heading: {WHOLE}"
    world.take(replace(receipt(4), quote="Another sentence stood here."))
    assert is_closed(world), "the quote is not there"
    world.take(receipt(4))
    assert said(world.known, 1) == f"Long heading: {WHOLE}"


def test_many_sources_at_one_place_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """README.md, say: each would look at all the others."""
    ids = [sha256(bytes([number])).hexdigest() for number in range(30)]
    several = [source(False, source_id=source_id, question=None) for source_id in ids]
    asked = list[str]()
    evidence_in = Builder.evidence_in

    def counted(builder: Builder, source_id: str) -> Iterable[Evidence]:
        asked.append(source_id)
        return evidence_in(builder, source_id)

    monkeypatch.setattr(Builder, "evidence_in", counted)
    known = knowledge_of([*several, secret((ids[0],), status="redacted")])
    titles = (known.artifact((Kind.SOURCE, source_id)) for source_id in ids)
    assert not any(isinstance(found, Source) and found.title for found in titles)
    assert len(asked) <= 3 * len(ids)


def test_a_namesake_is_no_revision() -> None:
    namesake = source(source_id=ELSE_ID, question=None)
    world = World(*everything(), namesake, secret((ELSE_ID,), status="redacted"))
    assert not is_closed(world)
    elsewhere = source(source_id=LATER_ID, locator="b.md", question=None)
    world.take(elsewhere, secret((LATER_ID,), status="redacted"))
    assert not is_closed(world)
    world.take(replace(elsewhere, locator="a.md"))
    assert is_closed(world)


@pytest.mark.parametrize("fields", WITHHELD[1:])
@pytest.mark.parametrize("cited", [("none",), (ELSE_ID,)])
def test_the_text_of_a_withheld_claim_closes_the_sentence_that_holds_it(
    cited: tuple[str, ...], fields: dict[str, object]
) -> None:
    text = "second in b.md, as"
    world = World(*everything(), source(source_id=ELSE_ID, locator="c.md"))
    for one in (text, f"Two words. {text.capitalize()}", "In b.md"):
        world.take(secret(cited, **{**fields, "text": one}))
        assert said(world.known, 1) == QUOTES[1], one
        assert said(world.known, 4) == f"Long heading: {QUOTES[4]}"
        world.restart()
        world.take(secret(cited, **{**fields, "text": "as it was"}))
        assert said(world.known, 1) == f"Long heading: {WHOLE}", "these words are too few"


def test_the_text_of_a_withheld_claim_closes_headings_titles_questions_and_pages() -> None:
    body = "# Long heading for doors\n\nA page says it. Long heading for doors! And more.\n"
    asked = source(
        source_id=ELSE_ID, locator="c.md", title="On the long heading for doors", question=None
    )
    world = World(
        *everything(), asked, page(body), secret(("none",), text="heading for long doors")
    )
    before = shown(world.known, EVERYBODY)
    for fields in WITHHELD[1:]:
        world.take(secret(("none",), **{**fields, "text": "Long heading for doors"}))
        view = View("kb", world.known, EVERYBODY)
        there, kept = (
            view.visible.artifact(k) for k in ((Kind.PAGE, "page"), (Kind.SOURCE, ELSE_ID))
        )
        assert isinstance(there, Page)
        assert isinstance(kept, Source)
        assert there.body.split() == ["#", "A", "page", "says", "it.", "And", "more."]
        assert kept.title is None
        assert view.search.frequency(terms("heading")[0], Kind.PAGE) == 0
        assert view.search.frequency(terms("heading")[0], Kind.SOURCE) == 0
        world.restart()
        world.take(secret(("none",), text="heading for long doors"))
        assert shown(world.known, EVERYBODY) == before


def test_a_title_that_is_gone_is_closed_by_nothing_else() -> None:
    asked = source(source_id=ELSE_ID, locator="c.md", title=f"On {QUOTES[4]}", question=None)
    world = World(asked, secret((ELSE_ID,), status="redacted"))
    world.take(replace(secret(("none",), scope=PRIVATE, text=QUOTES[4]), id="other"))
    assert shown(world.known, EVERYBODY) == shown(world.anew, EVERYBODY)


def test_a_page_does_not_quote_a_secret() -> None:
    item = "- The key is under the mat. [claim: secret]\n"
    world = World(page(f"Some words.\n\n{item}- Doors are red.\n"), secret(("none",)))
    for fields in SECRETS:
        world.take(secret(("none",), **fields))
        there = View("kb", world.known, EVERYBODY).visible.artifact((Kind.PAGE, "page"))
        assert isinstance(there, Page)
        assert there.body.split() == ["Some", "words.", "-", "Doors", "are", "red."]
        world.restart()
        world.take(secret(("none",)))
        there = View("kb", world.known, EVERYBODY).visible.artifact((Kind.PAGE, "page"))
        assert isinstance(there, Page)
        assert "mat" in there.body


@pytest.mark.parametrize("between", ["\n\n", "\n\n\n \n", "\n\n[claim: other] ", "\n- "])
def test_a_mark_of_a_secret_that_stands_alone_is_of_the_paragraph_before(between: str) -> None:
    body = f"Some words.\n\nThe key is under the mat.{between}[claim: secret]\n\nDoors are red.\n"
    world = World(page(body), secret(("none",)))
    world.take(secret(("none",), **SECRETS[0]))
    for known in (world.known, world.anew):
        there = View("kb", known, EVERYBODY).visible.artifact((Kind.PAGE, "page"))
        assert isinstance(there, Page)
        assert re.findall(r"\w+", there.body) == ["Some", "words", "Doors", "are", "red"]


def test_a_page_shows_no_mark_of_a_claim_that_is_not_told() -> None:
    """Vouch makes an id of the claim's text."""
    marked = "Doors are red. [claim: secret]\n\nIn code: `[claim: secret]`, and [claim: gone].\n"
    world = World(page(marked), secret(("none",)))
    for fields in WITHHELD:
        world.take(secret(("none",), **fields))
        view = View("kb", world.known, EVERYBODY)
        there = view.visible.artifact((Kind.PAGE, "page"))
        assert isinstance(there, Page)
        assert "claim:" not in there.body
        assert view.search.frequency(terms("secret")[0], Kind.PAGE) == 0
        world.restart()
        world.take(secret(("none",)))
        there = View("kb", world.known, EVERYBODY).visible.artifact((Kind.PAGE, "page"))
        assert isinstance(there, Page)
        assert there.body.count("[claim: secret]") == 2
        assert "gone" not in there.body
    world.take(gone=frozenset({(Kind.CLAIM, "secret")}))
    there = View("kb", world.known, EVERYBODY).visible.artifact((Kind.PAGE, "page"))
    assert isinstance(there, Page)
    assert there.body.split() == ["Doors", "are", "red.", "In", "code:", "`", "`,", "and", "."]


def test_a_description_that_some_are_told_is_gone_with_it() -> None:
    entity = Entity("door", "entities/door.yaml", "Door", "thing", description=QUOTES[4])
    world = World(entity, secret(("none",), scope=PRIVATE, text=QUOTES[4]))
    for description in (QUOTES[4], None):
        world.take(replace(entity, description=description))
        view = View("kb", world.known, ADA)
        assert view.visible.description(replace(entity, description=None)) == description


def test_a_base_holds_no_text_of_a_retired_claim_and_no_title_that_nobody_may_see() -> None:
    world = World(*everything(), secret((SOURCE_ID,), status="redacted", text="Nobody knows it."))
    world.take(claim(5, status="superseded"))
    held = json.dumps(
        [document.to_dict() for document in world.known.documents()], default=bytes.decode
    )
    for gone in ("Nobody knows", "Where it is", "what is where", "café", WHOLE):
        assert gone not in held


@pytest.mark.parametrize(
    "text",
    [
        "Tokens live for ninety minutes.",
        "**Tokens** live\n> for `ninety` minutes",
        "TOKENS LIVE FOR [ninety minutes](https://example.org/limits)",
        "Tokens live for [ninety](limits.md) minutes",
        "Tokens live for [ninety][limits] minutes",
        "Tokens live for <b>ninety</b>&nbsp;minutes",
        "Tokens (a < b) tokens live for ninety minutes, c > d",
    ],
)
@pytest.mark.parametrize(
    "said", ["Tokens live for ninety minutes.", "Tokens live for [ninety](x) minutes"]
)
def test_a_text_is_recognised_whatever_markup_stands_between_its_words(
    said: str, text: str
) -> None:
    texts = texts_of(Claim("retired", "claims/retired.yaml", said, status="redacted"))
    assert Withheld().changed({"retired": texts}).gates(text) is None


@pytest.mark.parametrize("secret_text", [
    "At night it does not send mails to the team.",
    "Long heading: another sentence stands here.",
])  # fmt: skip
@pytest.mark.parametrize("fields", [{"status": "redacted"}, {"scope": PRIVATE}])
def test_no_sentence_is_put_together_that_is_withheld(
    secret_text: str, fields: dict[str, object]
) -> None:
    """Of a heading or the sentence above a list, and what stands below."""
    world = World(*everything())
    numbers = (4, ITEM)
    assert "Long heading" in said(world.known, 4)
    assert "At night" in said(world.known, ITEM)
    hidden = secret(("gone",), **{**fields, "text": secret_text})
    world.take(hidden)
    words = set(_folded(secret_text))
    for known in (world.known, world.anew):
        assert not any(words <= set(_folded(said(known, number))) for number in numbers)


def _folded(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


@pytest.mark.parametrize("question", ["Does it open in vault.py", "Is it in a/b c.md?"])
def test_a_question_that_ends_in_a_file_is_no_place(question: str) -> None:
    assert not names_place(source(locator=question, question=question))
    assert names_place(source(locator="docs/a b.md", question=None, title="docs/a b.md"))


def test_a_place_is_looked_for_once_a_claim_however_many_quote_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = 0
    around = Layout.sentences_around

    def counted(layout: Layout, start: int, end: int) -> Place | None:
        nonlocal looked
        looked += 1
        return around(layout, start, end)

    monkeypatch.setattr(Layout, "sentences_around", counted)
    many = 40
    same = [claim(4, id=f"same{n}", path=f"claims/same{n}.yaml") for n in range(many)]
    view = View("kb", World(source(), receipt(4), *same).known, EVERYBODY)
    found = view.visible.claim("same7")
    assert found is not None
    assert len(view.texts.shown(found).claims) == many
    assert looked <= 5 * many
