"""Topics: names that are there without being declared, and what they are good for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from vouch_sidecar.kb.access import Viewer
from vouch_sidecar.kb.artifact_files import slug_of
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Kind, Scope, Source
from vouch_sidecar.retrieval.evidence.name_strength import weigh
from vouch_sidecar.retrieval.explanations import candidates
from vouch_sidecar.retrieval.people.experts import rank as experts
from vouch_sidecar.retrieval.people.topic_matches import Question, matching
from vouch_sidecar.retrieval.salience import listed_topics, rank, volunteered_by
from vouch_sidecar.retrieval.search import search
from vouch_sidecar.retrieval.statements.answers import claims_about
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.topics import FEW_SPEAK, MAX_TOPICS, TopicFinder, Topics

from tests.index.worlds import Change, after, knowledge_of
from tests.retrieval.samples import ADA, COURIER, NOBODY, PRIVATE, claim, entity, evidence, page

OTHERS = [
    claim(f"other-{n}", f"The {word} is painted once in a while.")
    for n, word in enumerate("door roof wall gate shed barn mill pump well yard path hedge".split())
]
"""Claims that share no name, so that three claims are not too many."""
OURS = Scope("project", project="courier")


def seen(*artifacts: Artifact, who: Viewer = NOBODY, **around: Any) -> View:
    """What somebody sees of a knowledge base with these artifacts and others that share nothing."""
    knowledge = knowledge_of([*artifacts, *OTHERS])
    topics = TopicFinder(knowledge, who.gates, **around).topics()
    return View("kb", knowledge, who.gates, topics=Topics(knowledge, {who.gates: topics}))


def names(view: View) -> set[str]:
    return {topic.entity.name for topic in view.derived}


def claims(*texts: str, **fields: object) -> list[Claim]:
    return [claim(f"{slug_of(text)}-{n}", text, **fields) for n, text in enumerate(texts)]


KEYRINGS = [
    claim("asked", "A keyring is asked before netrc."),
    claim("import", "The keyring can be imported or run."),
    claim("off", "Without a keyring the password is asked for."),
]


# What is a topic


def many_others() -> list[Claim]:
    """So many claims that three of them have to say a word; they share no name."""
    return claims(*(f"Door {n} is painted once in a while." for n in range(FEW_SPEAK)))


def test_a_word_that_english_lacks_is_one_in_two_or_three_claims() -> None:
    view = seen(*KEYRINGS)
    (topic,) = view.derived
    assert topic.entity == Entity("topic:keyring", "", "keyring", "topic")
    assert topic.claims == {"asked", "import", "off"}
    assert topic.why == "no English word"
    assert names(seen(*KEYRINGS[:2])) == {"keyring"}
    assert names(seen(*KEYRINGS[:1])) == set()
    assert names(seen(*KEYRINGS[:2], *many_others())) == set()
    assert names(seen(*KEYRINGS, *many_others())) == {"keyring"}
    assert names(seen(*claims(*(f"They weren't there at {n}." for n in range(3))))) == set()
    assert names(seen(*claims(*(f"The table {n} is set." for n in range(3))))) == set()


def test_a_tag_is_one_on_two_claims() -> None:
    tagged = claims("Doors close.", "Gates open.", tags=("night shift",))
    assert names(seen(*tagged)) == {"night shift"}
    assert names(seen(tagged[0])) == set()
    imported = claims("Doors close.", "Gates open.", tags=("origin:carpenters",))
    assert names(seen(*imported)) == set()
    assert search([seen(*imported)], "carpenters", [Kind.CLAIM], 10) == []
    spaceless = seen(*claims("Doors close.", "Gates open.", tags=("日本語",)))
    assert names(spaceless) == {"日本語"}
    assert [mention.name for mention in spaceless.names.topic_mentions("これは日本語です")] == [
        "日本語"
    ]
    generic = claims("Doors close.", "Gates open.", tags=("release",))
    assert names(seen(*generic)) == {"release"}
    paths = claims("Doors close.", "Gates open.", tags=("src/doors/",))
    assert names(seen(*paths)) == set()


def test_a_claim_with_another_word_of_the_same_stem_is_not_of_a_topic() -> None:
    tagged = claims("It backtracks.", "It prefers pins.", tags=["resolver"])
    held = claims("Resolvers ask once.", "Links that resolve outside are refused.")
    (topic,) = seen(*tagged, *held).derived
    assert topic.claims == {tagged[0].id, tagged[1].id, held[0].id}


def test_the_title_of_a_page_is_one() -> None:
    one = claim("one", "Doors close.")
    view = seen(one, page("how", "Closing at night", claims=("one",)))
    (topic,) = view.derived
    assert topic.entity.name == "Closing at night"
    assert (set(topic.claims), set(topic.pages)) == ({"one"}, {"how"})
    assert names(seen(one, page("edit-in-obsidian", "Edit in Obsidian", claims=("one",)))) == set()
    long = page("long", "What we do when nobody has closed the doors at night")
    assert names(seen(one, long)) == set()


def test_tickets_and_decisions_are_topics() -> None:
    view = seen(*claims("Fixed by #4711.", "CVE-2026-1234 and ADR-0007.", "It is UTF-8, not #."))
    assert names(view) == {"#4711", "CVE-2026-1234", "ADR-0007"}


def test_a_phrase_in_capitals_is_one_in_two_or_three_claims() -> None:
    texts = [f"After {n} hours the Night Desk calls." for n in range(3)]
    opened = [f"Night Desk calls at {n}." for n in range(2)]
    assert names(seen(*claims(*texts))) == {"Night Desk"}
    assert names(seen(*claims(*texts[:2], "Some desk at night."))) == {"Night Desk"}
    assert names(seen(*claims(*texts[:1], "Some desk at night."))) == set()
    assert names(seen(*claims(*texts[:2]), *many_others())) == set()
    assert names(seen(*claims(*texts[:1], *opened))) == set()  # a sentence begins with a capital


def test_headings_of_cited_documents_are_topics() -> None:
    text = (
        b"# Notes\n\n## Wheel cache\n\nWheels stay.\n\nBuild isolation\n---------------\n\nAlone.\n"
    )
    source = Source("s", "sources/s/meta.yaml", "docs/notes.md", kept=True)
    below = replace(evidence("e", "s"), byte_start=text.index(b"Alone"), byte_end=len(text) - 1)
    cited = [
        claim("kept", "The cache keeps a wheel.", evidence=("s",)),
        claim("alone", "Nobody else is there.", evidence=("e",)),
        claim("else", "The cache keeps a wheel as well."),
    ]
    view = seen(*cited, source, below, content=lambda _: text)
    found = {topic.entity.name: topic.claims for topic in view.derived}
    assert found == {"Wheel cache": {"kept", "else"}, "Build isolation": {"alone"}}
    assert names(seen(*cited, source, below)) == set()  # its content is not kept


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
    text = (
        heading + "\nNothing.\n\nWheel [cache](a.md)\n-------------------\n\nWheels stay.\n"
    ).encode()
    source = Source("s", "sources/s/meta.yaml", locator, kept=True)
    cited = claim("cited", "The isolation of a build and the cache of a wheel.", evidence=("s",))
    assert names(seen(cited, source, content=lambda _: text)) == {"Wheel cache"}


@pytest.mark.parametrize(
    ("withheld", "everybodys", "adas"),
    [
        (claim("secret", "Else.", evidence=("s",), status="redacted"), set(), set()),
        (claim("secret", "Else.", evidence=("s",), scope=PRIVATE), set(), {"all"}),
        (claim("old", "Else.", evidence=("s",), status="superseded"), {"all"}, {"all"}),
        (claim("old", "Else.", evidence=("h",), status="superseded"), {"rest"}, {"rest"}),
        (claim("hers", "Else.", evidence=("h",), scope=PRIVATE), {"rest"}, {"all"}),
    ],
)
def test_headings_that_somebody_may_not_see_are_no_topics_for_him(
    withheld: Claim, everybodys: set[str], adas: set[str]
) -> None:
    text = b"# Notes\n\n## Big wheel cache\n\nWheels stay.\n\n## Build isolation\n\nAlone.\n"
    source = Source("s", "sources/s/meta.yaml", "docs/notes.md", kept=True)
    start = text.index(b"Big wheel")
    heading = replace(
        evidence("h", "s"), byte_start=start, byte_end=start + 15, quote="Big wheel cache"
    )
    cited = [
        claim("kept", "The cache keeps a big wheel.", evidence=("s",)),
        claim("alone", "Build works in isolation.", evidence=("s",)),
    ]
    if withheld.evidence != ("h",):
        heading = replace(heading, byte_start=None, byte_end=None)
    wanted = {"all": {"Big wheel cache", "Build isolation"}, "rest": {"Build isolation"}}
    for who, part in ((NOBODY, everybodys), (ADA, adas)):
        found = names(seen(*cited, source, heading, withheld, who=who, content=lambda _: text))
        assert found == set().union(*(wanted[word] for word in part))


@pytest.mark.parametrize(
    "word",
    ["json", "Utils", "readme", "kb", "website", "online", "October", "unpainted", "non-smoker"],
)
def test_words_of_code_with_a_prefix_and_the_own_name_are_no_topics(word: str) -> None:
    own = frozenset({"kb"})
    assert names(seen(*claims(*(f"A {word} at {n}." for n in range(3))), own=own)) == set()


def test_what_stands_in_many_claims_is_no_topic() -> None:
    many = claims(*(f"The keyring has place {n}." for n in range(20)))
    assert names(seen(*many)) == set()
    assert names(seen(*many[:4])) == {"keyring"}
    tickets = claims(*(f"Fixed by #{n + 10}." for n in range(MAX_TOPICS + 5)))
    assert len(seen(*tickets).derived) == MAX_TOPICS


def test_claims_that_link_to_entities_make_none_and_where_most_do_there_are_none() -> None:
    vault = entity("vault", "Key Vault")
    linked = [replace(one, entities=("vault",)) for one in KEYRINGS]
    assert names(seen(vault, *linked)) == set()
    assert names(seen(vault, *linked[:2], *claims("A keyring.", "The keyring.", "Keyrings."))) == {
        "keyring"
    }
    many = claims(*(f"The vault has {n} doors." for n in range(20)), entities=("vault",))
    assert names(seen(vault, *KEYRINGS, *many)) == set()


@pytest.mark.parametrize("declared", ["Keyring", "keyrings"])
def test_a_declared_entity_of_that_name_replaces_it(declared: str) -> None:
    assert names(seen(*KEYRINGS, entity("ring", declared))) == set()


# Who is told of it


def test_what_is_private_counts_for_its_reader_alone() -> None:
    mixed = [KEYRINGS[0], *(replace(one, scope=PRIVATE) for one in KEYRINGS[1:])]
    assert names(seen(*mixed)) == names(seen(*mixed, who=COURIER)) == set()
    (topic,) = seen(*mixed, who=ADA).derived
    assert topic.claims == {"asked", "import", "off"}
    mine = claims("Fixed by #4711.", scope=PRIVATE)
    ours = [replace(one, scope=OURS) for one in KEYRINGS]
    both = Viewer(project="courier", agent="ada")
    assert names(seen(*ours, *mine, who=COURIER)) == {"keyring"}
    assert names(seen(*ours, *mine, who=ADA)) == {"#4711"}
    assert names(seen(*ours, *mine, who=both)) == {"keyring", "#4711"}


# What changed since


def test_what_rests_on_a_claim_that_changed_is_not_told() -> None:
    tagged = claims("Doors close.", "Gates open.", tags=("night shift",))
    view = seen(*KEYRINGS, *tagged)
    retired = replace(KEYRINGS[0], status="redacted")
    now = replace(view, knowledge=after(view.knowledge, Change((retired,), frozenset())))
    assert names(now) == {"night shift"}
    assert "keyring" not in {row.entity.name for row in rank(now, ["keyring"], 9)}


# What it is good for


def test_it_is_listed_behind_every_entity() -> None:
    view = seen(*KEYRINGS, entity("vault", "Key Vault", description="A box of iron."))
    rows = rank(view, ["the keyring of the Key Vault", "any box of iron?"], 9)
    assert [(row.entity.id, row.arm) for row in rows] == [
        ("vault", "name"),
        ("topic:keyring", "derived"),
    ]
    assert rows[1].score < rows[0].score
    assert rows[1].claim_count == 3
    assert rows[1].top_claim_id in {"asked", "import", "off"}


def test_it_is_never_volunteered_beside_other_words() -> None:
    view = seen(*KEYRINGS)
    assert [r.entity.id for r in rank(view, ["is the keyring broken"], 9)] == ["topic:keyring"]
    for text in ("is the keyring broken", "does the keyring go before netrc"):
        assert volunteered_by([replace(view, name_threshold=0.0)], [text]) == []
    (told,) = candidates(replace(view, name_threshold=0.0), "is the keyring broken")
    assert told.verdict == "listed"
    assert "nobody declared it" in told.why


def test_a_ticket_needs_its_sign() -> None:
    view = seen(*claims("Fixed by #4711."))
    assert [m.entity_id for m in listed_topics(view, "see #4711 for that")] == ["topic:4711"]
    assert listed_topics(view, "4711 bottles of perfume") == []


def test_experts_stand_before_topics_and_tickets_are_none() -> None:
    both = claims(
        "Doors close, see #14227.", "#14227 and PAY-9 follow ADR-0007.", tags=("oakwork",)
    )
    rows = experts(matching([seen(*both)], Question("#14227", 1.8e9)))
    assert {row.entity.name for row in rows} == {"oakwork", "ADR-0007"}
    vault = entity("vault", "Key Vault")
    view = seen(vault, *KEYRINGS, claim("v", "Some keyring.", entities=("vault",)))
    rows = experts(matching([view], Question("keyring", 1.8e9)))
    assert [row.entity.id for row in rows] == ["vault", "topic:keyring"]
    only = experts(matching([view], Question("keyring", 1.8e9, types=frozenset({"topic"}))))
    assert [row.entity.id for row in only] == ["topic:keyring"]
    declared = experts(matching([view], Question("keyring", 1.8e9, linking="declared")))
    assert [row.entity.id for row in declared] == ["vault"]


def test_a_declared_name_covers_a_topic() -> None:
    ring = entity("ring", "Keyring Service", aliases=("blue keyring",))
    view = seen(*KEYRINGS, ring)
    assert [e.entity_id for e in weigh(view, "the blue keyring there")] == ["ring"]
    assert {e.entity_id for e in weigh(view, "a keyring there")} == {"ring"}  # a part of it


def test_claims_of_a_topic_are_no_rivals_within_it() -> None:
    view = seen(*KEYRINGS)
    (topic,) = view.derived
    best, *others = claims_about(
        view, topic.entity.id, "is the keyring asked before netrc?", {topic.entity.id: 1.0}
    )
    assert best.artifact.id == "asked"
    assert best.words == ("asked", "netrc")  # not the name, which all of them hold
    assert best.features.rivals == 0.0
    assert all(answer.likelihood < best.likelihood for answer in others)
