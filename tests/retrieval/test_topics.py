"""Topics: names that are there without being declared, and what they are good for."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.artifact_files import slug_of
from vouch_sidecar.kb.records import Artifact, Claim, Kind, Scope, Source
from vouch_sidecar.kb.settings_model import Naming, Settings
from vouch_sidecar.retrieval.evidence.name_strength import weigh
from vouch_sidecar.retrieval.people.experts import matching
from vouch_sidecar.retrieval.people.experts import ranked_experts as experts
from vouch_sidecar.retrieval.salience import listed_topics, rank
from vouch_sidecar.retrieval.search import search
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.breath import Breath, Breathe
from vouch_sidecar.workspace.topics import FEW_SPEAK, TopicFinder
from vouch_sidecar.workspace.world import Inputs, World

from tests.retrieval import samples
from tests.retrieval.samples import ADA, NOBODY, PRIVATE, claim, entity, evidence, page

OTHERS = [
    claim(f"other-{n}", f"The {word} is painted once in a while.")
    for n, word in enumerate("door roof wall gate shed barn mill pump well yard path hedge".split())
]
"""Claims that share no name, so that three claims are not too many."""
NOTES = b"# Notes\n\n## Big wheel cache\n\nWheels stay.\n\nBuild isolation\n-----\n\nAlone.\n"
BOTH = {"Big wheel cache", "Build isolation"}


def seen(*artifacts: Artifact, who: Viewer = NOBODY, **around: Any) -> View:
    """What somebody sees of a knowledge base with these artifacts and others that share nothing."""
    knowledge = samples.knowledge_of([*artifacts, *OTHERS])
    around = {"content": lambda _: None, "own": frozenset(), **around}
    topics = TopicFinder(knowledge, who.gates, **around, breathe=Breathe(Breath())).topics()
    world = World(Path(), inputs=Inputs(knowledge.serial), topics={who.gates: topics})
    return View("kb", knowledge, who.gates, world=world)


def names(view: View) -> set[str]:
    return {topic.entity.name for topic in view.derived}


def claims(*texts: str, **fields: object) -> list[Claim]:
    return [claim(f"{slug_of(text)}-{n}", text, **fields) for n, text in enumerate(texts)]


def tagged(tag: str) -> list[Claim]:
    return claims("Doors close.", "Gates open.", tags=(tag,))


def times(count: int, text: str, **fields: object) -> list[Claim]:
    """So many claims, each with its own number in the text."""
    return claims(*(text.format(n) for n in range(count)), **fields)


KEYRINGS = [
    claim("asked", "A keyring is asked before netrc."),
    claim("import", "The keyring can be imported or run."),
    claim("off", "Without a keyring the password is asked for."),
]
MANY = times(FEW_SPEAK, "Door {} is painted once in a while.")
"""So many claims that three of them have to say a word; they share no name."""
VAULT = entity("vault", "Key Vault", description="A box of iron.")
DESK = times(2, "After {} hours the Night Desk calls.")
PAGED = claim("one", "Doors close.")

TICKETS = claims("By #4711.", "CVE-2026-1234 and ADR-0007.", "It is UTF-8, not #.")
TOPICS: dict[str, tuple[Sequence[Artifact], str]] = {
    "a word that English lacks, in two claims of few": (KEYRINGS[:2], "keyring"),
    "in three of many": ([*KEYRINGS, *MANY], "keyring"),
    "a phrase in capitals": (DESK, "Night Desk"),
    "a tag on two claims": (tagged("night shift"), "night shift"),
    "a tag that is an ordinary word": (tagged("release"), "release"),
    "a tag in a script without blanks": (tagged("日本語"), "日本語"),
    "tickets and decisions": (TICKETS, "#4711, ADR-0007, CVE-2026-1234"),
}
NONE: dict[str, Sequence[Artifact]] = {
    "in one claim": KEYRINGS[:1],
    "in two of many": [*KEYRINGS[:2], *MANY],
    "in too many": times(20, "The keyring has place {}."),
    "an English word": times(3, "The table {} is set, they weren't there."),
    "a tag on one": tagged("night shift")[:1],
    "a tag of an import": tagged("origin:carpenters"),
    "a long title": [page("long", "What we do when nobody has closed the doors at night")],
    "the page that vouch writes": [PAGED, page("edit-in-obsidian", claims=("one",))],
    "a phrase in capitals once": [DESK[0], *claims("Some desk at night.")],
    "a phrase in two of many": [*DESK, *MANY],
    "a phrase that begins sentences": [DESK[0], *times(2, "Night Desk calls at {}.")],
    "of claims with an entity": [VAULT, *(replace(c, entities=("vault",)) for c in KEYRINGS)],
    "where half link to one": [VAULT, *KEYRINGS, *times(15, "Door {}.", entities=("vault",))],
    "what an entity declares": [*KEYRINGS, entity("ring", "keyrings")],
}


@pytest.mark.parametrize("case", [*TOPICS, *NONE])
def test_what_is_a_topic_and_what_is_none(case: str) -> None:
    artifacts, found = TOPICS.get(case) or (NONE[case], "")
    assert ", ".join(sorted(names(seen(*artifacts)))) == found


def test_words_of_code_with_a_prefix_and_the_own_name_are_no_topics() -> None:
    for word in "json Utils readme kb website online October unpainted non-smoker".split():
        assert names(seen(*times(3, f"A {word} at {{}}."), own=frozenset({"kb"}))) == set(), word


def test_what_a_topic_knows_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    resolver = claims("It backtracks.", "It prefers pins.", tags=["resolver"])
    others = claims("Resolvers ask once.", "Links that resolve outside are refused.")
    (topic,) = seen(*resolver, *others).derived
    assert topic.claims == {resolver[0].id, resolver[1].id, others[0].id}
    (topic,) = seen(PAGED, page("how", "Closing at night", claims=("one",))).derived
    assert (set(topic.claims), set(topic.pages)) == ({"one"}, {"how"})
    (mention,) = seen(*tagged("日本語")).topic_mentions("これは日本語です")
    assert mention.name == "日本語"
    assert search([seen(*tagged("origin:carpenters"))], "carpenters", [Kind.CLAIM], 10) == []
    monkeypatch.setattr("vouch_sidecar.workspace.topics.MAX_TOPICS", 9)
    assert len(seen(*times(12, "Fixed by #1{}.")).derived) == 9


def test_words_that_name_nothing_name_no_topic_in_another_form() -> None:
    silenced = Settings(naming=Naming(never=("gull tower",)))
    view = replace(seen(*tagged("gull towers")), settings=silenced)
    said = ("Is the gull tower slow?", "Are the gull towers slow?")
    assert [len(view.topic_mentions(text)) for text in said] == [0, 1]


def cited_by(*refs: str, at: str = "docs/notes.md", asked: str | None = None) -> list[Artifact]:
    source = Source("s", "sources/s/meta.yaml", at, kept=True, question=asked)
    texts = ("The cache keeps a big wheel.", "Build works in isolation.")
    return [source, *[claim(f"c{n}", text, evidence=(refs[n],)) for n, text in enumerate(texts)]]


def test_headings_of_cited_documents_are_topics() -> None:
    below = replace(evidence("e", "s"), byte_start=NOTES.index(b"Alone"), byte_end=len(NOTES) - 1)
    more = claim("more", "The cache keeps a big wheel as well.")
    view = seen(*cited_by("s", "e"), below, more, content=lambda _: NOTES)
    found = {topic.entity.name: topic.claims for topic in view.derived}
    assert found == {"Big wheel cache": {"c0", "more"}, "Build isolation": {"c1"}}
    assert names(seen(*cited_by("s", "e"), below, more)) == set()  # its content is not kept
    talk = cited_by("s", "s", asked="summarize docs/notes.md")
    assert names(seen(*talk, content=lambda _: NOTES)) == set()


@pytest.mark.parametrize(
    ("heading", "locator"),
    [
        ("```sh\n# Build isolation\n```\n", "docs/notes.md"),
        ("```sh\n# Build isolation\n~~~\n# Build isolation\n```\n", "docs/notes.md"),
        ("---\nBuild isolation\n---\n", "docs/notes.md"),
        ("Build isolation\n```\nbuild: 1\n```\n", "docs/notes.md"),
        (".. code::\n\n   # Build isolation\n", "docs/notes.rst"),
        ("Build | isolation\n-----\n", "docs/notes.md"),
        ("# {{build}} isolation\n", "docs/notes.md"),
        ("# [Build isolation]\n", "docs/notes.md"),
        ("# build_isolation\n", "docs/notes.md"),
    ],
)
def test_headings_of_code_of_tables_and_of_templates_are_none(heading: str, locator: str) -> None:
    text = f"{heading}\nNothing.\n\nBig wheel [cache](a.md)\n-----\n\nWheels stay.\n".encode()
    cited = cited_by("s", "s", at=locator)
    assert names(seen(*cited, content=lambda _: text)) == {"Big wheel cache"}


@pytest.mark.parametrize(
    ("withheld", "everybodys", "adas"),
    [
        ({"evidence": ("s",), "status": "redacted"}, set(), set()),
        ({"evidence": ("s",), "scope": PRIVATE}, set(), BOTH),
        ({"evidence": ("s",), "status": "superseded"}, BOTH, BOTH),
        ({"evidence": ("h",), "status": "superseded"}, {"Build isolation"}, {"Build isolation"}),
        ({"evidence": ("h",), "scope": PRIVATE}, {"Build isolation"}, BOTH),
    ],
)
def test_withheld_headings(withheld: dict[str, Any], everybodys: set[str], adas: set[str]) -> None:
    quote = "Big wheel cache"
    heading = replace(evidence("h", "s"), quote=quote)
    if withheld["evidence"] == ("h",):
        start = NOTES.index(quote.encode())
        heading = replace(heading, byte_start=start, byte_end=start + len(quote))
    artifacts = [*cited_by("s", "s"), heading, claim("withheld", "Else.", **withheld)]
    for who, found in ((NOBODY, everybodys), (ADA, adas)):
        assert names(seen(*artifacts, who=who, content=lambda _: NOTES)) == found


def test_what_is_private_or_of_a_project_counts_for_its_readers_alone() -> None:
    mixed = [KEYRINGS[0], *(replace(one, scope=PRIVATE) for one in KEYRINGS[1:])]
    assert names(seen(*mixed)) == names(seen(*mixed, who=samples.COURIER)) == set()
    (topic,) = seen(*mixed, who=ADA).derived
    assert topic.claims == {"asked", "import", "off"}
    ours = [replace(one, scope=Scope("project", project="courier")) for one in KEYRINGS]
    both = [*ours, *claims("Fixed by #4711.", scope=PRIVATE)]
    ada_at_courier = Viewer(project="courier", agent="ada")
    told = {samples.COURIER: {"keyring"}, ADA: {"#4711"}, ada_at_courier: {"keyring", "#4711"}}
    assert {who: names(seen(*both, who=who)) for who in told} == told


def test_what_rests_on_a_claim_that_changed_is_not_told() -> None:
    view = seen(*KEYRINGS, *tagged("night shift"))
    retired = replace(KEYRINGS[0], status="redacted")
    now = replace(view, knowledge=samples.after(view.knowledge, retired))
    assert names(now) == {"night shift"}
    assert "keyring" not in {row.entity.name for row in rank(now, ["keyring"], 9)}
    assert names(replace(view, knowledge=samples.after(view.knowledge, VAULT))) == set()


def test_it_is_listed_behind_every_entity() -> None:
    rows = rank(seen(*KEYRINGS, VAULT), ["the keyring of the Key Vault", "any box of iron?"], 9)
    assert [(r.entity.id, r.arm) for r in rows] == [("vault", "name"), ("topic:keyring", "derived")]
    assert rows[1].score < rows[0].score
    assert rows[1].claim_count == 3
    assert rows[1].top_claim_id in {"asked", "import", "off"}


def test_a_ticket_needs_its_sign() -> None:
    view = seen(*claims("Fixed by #4711."))
    assert [m.entity_id for m in listed_topics(view, "see #4711 for that")] == ["topic:4711"]
    assert listed_topics(view, "4711 bottles of perfume") == []


def test_experts_stand_before_topics_and_tickets_are_none() -> None:
    both = [
        replace(one, tags=("oakwork",))
        for one in claims("Doors close, see #14227.", "#14227 and PAY-9 follow ADR-0007.")
    ]
    matches, _ = matching([seen(*both)], "#14227")
    assert {row.entity.name for row in experts(matches)} == {"oakwork"}
    view = seen(VAULT, *KEYRINGS, claim("v", "Some keyring.", entities=("vault",)))
    matches, _ = matching([view], "keyring")
    declared, _ = matching([view], "keyring", "declared")
    for rows, found in (
        (experts(matches), ["vault", "topic:keyring"]),
        (experts(matches, types={"topic"}), ["topic:keyring"]),
        (experts(declared), ["vault"]),
    ):
        assert [row.entity.id for row in rows] == found


def test_a_declared_name_covers_a_topic() -> None:
    view = seen(*KEYRINGS, entity("ring", "Keyring Service", aliases=("blue keyring",)))
    for text in ("the blue keyring there", "a keyring there"):
        assert {e.entity_id for e in weigh(view, text)} == {"ring"}
