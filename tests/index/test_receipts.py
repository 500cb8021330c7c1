"""Sentences around receipts: who is told them, and that any history of changes gives the same."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.index.builder import knowledge_of
from vouch_sidecar.index.content_words import terms
from vouch_sidecar.index.incremental import after
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.receipts import Disk, slug_of
from vouch_sidecar.index.schema import SAID
from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.records import (
    Artifact,
    Change,
    Claim,
    Evidence,
    Key,
    Kind,
    Scope,
    Source,
    key_of,
)
from vouch_sidecar.retrieval.view import View

from tests.soak import examples

CONTENT = """\
# Long heading

The first part is in a.md and the second in b.md, as it was. Another sentence stands here.

The last one is alone in a café. The first part is in a.
"""
SOURCE_ID = sha256(CONTENT.encode()).hexdigest()
QUOTES = (
    "# Long heading",
    "The first part is in a.",
    "md and the second in b.",
    "md, as it was.",
    "Another sentence stands here.",
    "The last one is alone in a café.",
)
WHOLE = "The first part is in a.md and the second in b.md, as it was."
PRIVATE = Scope("private", agent="ada")
ADA = frozenset({OPEN, "agent:ada"})
EVERYBODY = frozenset({OPEN})


def source(kept: bool = True, scope: Scope | None = None) -> Source:
    return Source(
        SOURCE_ID,
        f"sources/{SOURCE_ID}/meta.yaml",
        "a.md",
        scope=scope or Scope(),
        question="what is where?",
        kept=kept,
    )


def receipt(number: int) -> Evidence:
    quote = QUOTES[number].encode()
    start = CONTENT.encode().index(quote)
    return Evidence(
        f"ev{number}",
        f"evidence/ev{number}.yaml",
        SOURCE_ID,
        "b",
        quote.decode(),
        start,
        start + len(quote),
    )


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
        self.disk = Disk(lambda one: CONTENT.encode() if one.kept else None, self._reread)
        self.take(*artifacts)

    def _reread(self, path: str) -> Artifact:
        found = next((one for one in self.files.values() if one.path == path), None)
        if found is None:
            raise LookupError(path)
        return found

    def take(self, *artifacts: Artifact, gone: frozenset[Key] = frozenset()) -> None:
        self.files = {key: one for key, one in self.files.items() if key not in gone}
        self.files |= {key_of(one): one for one in artifacts}
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
        if view.sees(one):
            found[one.id] = view.said(one), view.sentence(one), view.sayable(one)
    for one in known.all_of(Kind.EVIDENCE):
        if view.sees(one):
            found[one.id] = one
    for one in known.all_of(Kind.SOURCE):
        if isinstance(one, Source) and view.sees(one):
            found[one.id] = [each.id for each in view.statements(one)]
    words = terms(CONTENT)
    found["total"] = view.search.total(SAID), view.search.length(SAID)
    found["words"] = [view.search.frequency(word, SAID) for word in words]
    return found


def said(known: Knowledge, number: int, gates: frozenset[str] = EVERYBODY) -> str:
    view = View("kb", known, gates)
    found = view.claim(slug_of(QUOTES[number]))
    assert found is not None
    return view.said(found).text


def test_parts_of_one_sentence_are_said_whole_and_found_once() -> None:
    view = View("kb", World(*everything()).known, EVERYBODY)
    for number in (1, 2, 3):
        found = view.claim(slug_of(QUOTES[number]))
        assert found is not None
        assert view.said(found).text == f"Long heading: {WHOLE}"
        assert view.said(found).claims == tuple(sorted(slug_of(QUOTES[n]) for n in (1, 2, 3)))
    assert view.search.frequency(terms("second")[0], SAID) == 1
    assert view.search.total(SAID) == 3, "the heading is no statement"
    assert view.search.frequency(terms("second")[0], Kind.CLAIM) == 1
    assert view.search.frequency(terms("heading")[0], SAID) == 3
    (exchange,) = (one for one in view.knowledge.all_of(Kind.SOURCE) if isinstance(one, Source))
    statements = [view.said(one).text for one in view.statements(exchange)]
    assert statements == [f"Long heading: {WHOLE}", f"Long heading: {QUOTES[4]}",
                          f"Long heading: {QUOTES[5]}"]  # fmt: skip


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
    assert view.said(part).text == "first part"


def test_a_retired_heading_is_left_out() -> None:
    world = World(*everything())
    world.take(claim(0, status="redacted"))
    assert said(world.known, 4) == QUOTES[4]


def test_a_receipt_of_a_claim_that_retired_shares_with_a_live_one_is_not_widened() -> None:
    newer = Claim("newer", "claims/newer.yaml", QUOTES[4], evidence=("ev4",))
    world = World(*everything(), newer)
    world.take(claim(4, status="superseded"))
    view = View("kb", world.known, EVERYBODY)
    assert view.sentence(newer) is None


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
    assert view.said(other).text == other.text
    sentence = view.sentence(other)
    assert sentence is not None
    assert sentence.text == f"Long heading: {WHOLE}"
    assert view.search.frequency(terms("files")[0], SAID) == 1
    assert view.search.frequency(terms("second")[0], SAID) == 2


def test_a_forged_receipt_is_none() -> None:
    forged = replace(receipt(1), byte_start=0, byte_end=9)
    world = World(source(), forged, claim(1))
    assert said(world.known, 1) == QUOTES[1]


_changes = st.lists(
    st.one_of(
        st.builds(
            claim,
            st.integers(0, 5),
            status=st.sampled_from(["working", "working", "redacted", "superseded"]),
            scope=st.sampled_from([Scope(), Scope(), PRIVATE, Scope("project", project="p")]),
            evidence=st.sampled_from([("ev1",), ("ev2", "ev3"), ("ev4",), ("ev5",), ("none",)]),
        ),
        st.builds(receipt, st.integers(0, 5)),
        st.builds(source, st.booleans(), st.sampled_from([Scope(), PRIVATE])),
    ),
    max_size=4,
    unique_by=key_of,
)
_gone = st.frozensets(
    st.one_of(
        st.tuples(st.just(Kind.CLAIM), st.sampled_from([slug_of(one) for one in QUOTES])),
        st.tuples(st.just(Kind.EVIDENCE), st.sampled_from([f"ev{n}" for n in range(6)])),
        st.tuples(st.just(Kind.SOURCE), st.just(SOURCE_ID)),
    ),
    max_size=2,
)


@examples(60)
@given(st.lists(st.tuples(_changes, _gone), min_size=1, max_size=5))
def test_any_history_says_what_a_look_at_all_files_says(
    history: list[tuple[list[Artifact], frozenset[Key]]],
) -> None:
    world = World(*everything())
    for changes, gone in history:
        world.take(*changes, gone=gone - {key_of(one) for one in changes})
        anew = world.anew
        for gates in (EVERYBODY, ADA, ADA | {"project:p"}):
            assert shown(world.known, gates) == shown(anew, gates)


def test_evidence_that_comes_counts_for_what_repeats_the_claim_that_cites_it() -> None:
    world = World(*everything())
    world.take(gone=frozenset({(Kind.EVIDENCE, "ev4")}))
    world.take(claim(0, evidence=("ev4",)))
    assert said(world.known, 2) == WHOLE
    world.take(receipt(4))
    assert said(world.known, 2) == f"Long heading: {WHOLE}"
