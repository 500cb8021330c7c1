"""Every answer after any sequence of changes is that of an index made anew."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tantivy import Query
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import Layer, in_memory
from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.records import (
    Artifact,
    Key,
    Kind,
    Page,
    Scope,
    key_of,
)
from vouch_sidecar.names.matcher import Names
from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.retrieval.people.experts import Question, rank
from vouch_sidecar.retrieval.people.topic_matches import matching
from vouch_sidecar.retrieval.search import search
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.content_words import terms

from tests.index.worlds import GATES, Change, after, in_new_base, knowledge_of, steps, texts
from tests.retrieval.samples import claim, entity, evidence, source
from tests.soak import examples

NOW = 1.8e9
KINDS = (Kind.CLAIM, Kind.PAGE, Kind.ENTITY, Kind.SOURCE)
Step = tuple[list[Artifact], frozenset[Key], str]
Answers = dict[object, object]


class Changing:
    """A knowledge base with its history of changes, and the plain list of what there is."""

    def __init__(self) -> None:
        self.knowledge = Knowledge()
        self.artifacts: dict[Key, Artifact] = {}

    def take(self, step: Step) -> None:
        """One change: to what there is, to a base of it, or with all in a base afterwards."""
        new, gone, to = step
        change = change_of(new, gone)
        before = self.knowledge
        if to == "base":
            before = in_new_base(before)
        for key in change.removals:
            self.artifacts.pop(key, None)
        self.artifacts |= {key_of(artifact): artifact for artifact in change.upserts}
        self.knowledge = after(before, change)
        if to == "moved":
            self.knowledge = self.knowledge.on_base(in_memory(self.knowledge.documents()))


def change_of(new: list[Artifact], gone: Iterable[Key] = ()) -> Change:
    unique = {key_of(artifact): artifact for artifact in new}
    return Change(tuple(unique.values()), frozenset(gone) - unique.keys())


def answers(knowledge: Knowledge, topics: list[str], gates: frozenset[str]) -> Answers:
    view = View("kb", knowledge, gates)
    found: Answers = {
        "links": {
            a.id: tuple(knowledge.links(a.id)[0])
            for a in knowledge.all_of(Kind.CLAIM)
            if view.visible.sees(a)
        },
    }
    for topic in topics:
        found["mentions", topic] = [
            (m.start, m.end, m.entity_id, m.form, m.ambiguous, m.nested)
            for m in view.names.mentions(topic)
        ]
        for kind in KINDS:
            for limit in (1, 100):
                rows = search([view], topic, [kind], limit)
                found[limit, kind, topic] = [(row.artifact.id, row.score) for row in rows]
            found["frequency", kind, topic] = [view.search.frequency(n, kind) for n in terms(topic)]
        for weight in ("count", "recency", "citation"):
            found["auto", weight, topic] = _experts(view, topic, weight, "auto")
            found["declared", weight, topic] = _experts(view, topic, weight, "declared")
    return found


def _experts(view: View, topic: str, weight: str, linking: str) -> list[tuple[object, ...]]:
    question = Question(topic, NOW, weight, "declared" if linking == "declared" else "auto", 100)
    return [
        (
            row.entity.id,
            row.claim_count,
            row.citation_count,
            row.score,
            tuple(row.top_claim_ids),
        )
        for row in rank(matching([view], question))
    ]


@examples(60)
@given(
    history=st.lists(steps, min_size=1, max_size=5),
    topics=st.lists(texts, min_size=1, max_size=3),
    gates=st.sampled_from(GATES),
)
def test_any_history_gives_what_is_read_anew(
    history: list[Step], topics: list[str], gates: frozenset[str]
) -> None:
    """A change leaves what was known before as it was."""
    world = Changing()
    for step in history:
        before, said = world.knowledge, answers(world.knowledge, topics, gates)
        world.take(step)
        assert answers(before, topics, gates) == said
    anew = knowledge_of(world.artifacts.values())
    assert answers(world.knowledge, topics, gates) == answers(anew, topics, gates)


def test_a_document_keeps_every_field_when_it_is_copied_to_another_base() -> None:
    known = knowledge_of(
        [
            entity("e", "Vault"),
            claim("c", "The vault rotates keys.", entities=("e",), updated_at=NOW),
        ]
    )
    again = in_new_base(known)
    assert [one.to_dict() for one in again.documents()] == [
        one.to_dict() for one in known.documents()
    ]


def page(page_id: str, **fields: object) -> Page:
    return Page(page_id, f"pages/{page_id}.md", "A page", **fields)  # type: ignore[arg-type]


def knowing(*artifacts: Artifact) -> Knowledge:
    """Knowledge that learned the artifacts one after the other."""
    knowledge = Knowledge()
    for artifact in artifacts:
        knowledge = after(knowledge, change_of([artifact]))
    return knowledge


ONLY_OPEN = frozenset({OPEN})
ADA = frozenset({OPEN, "agent:ada"})


def test_a_page_links_claims_only_where_all_who_see_these_see_it() -> None:
    private = Scope("private", agent="ada")
    knowledge = knowing(
        entity("e", "Vault"),
        claim("open", "Keys rotate weekly."),
        claim("hers", "Keys leaked.", scope=private),
        page("p", claims=("open", "hers"), entities=("e",), scope=private),
    )
    assert knowledge.links("open")[0] == []
    assert knowledge.links("hers") == (["e"], "page")
    assert View("kb", knowledge, ONLY_OPEN).search.claim_count("e") == 0
    assert View("kb", knowledge, ADA).search.claim_count("e") == 1
    knowledge = after(knowledge, change_of([page("p", claims=("open",), scope=private)]))
    assert View("kb", knowledge, ADA).search.claim_count("e") == 0


def test_what_a_retired_claim_alone_quotes_goes_though_nobody_saw_the_claim() -> None:
    unseen = Scope("private")
    cited = source("s", "Notes", Scope()), evidence("v", "s")
    knowledge = knowing(*cited, claim("c", "Keys leaked.", evidence=("v",), scope=unseen))
    assert not knowledge.state((Kind.EVIDENCE, "v")).hides_quote
    retired = claim("c", "", evidence=("v",), scope=unseen, status="redacted")
    knowledge = after(knowledge, change_of([retired]))
    assert knowledge.state((Kind.EVIDENCE, "v")).hides_quote


def test_what_nobody_sees_differs_as_well() -> None:
    """Of a source that an archived claim cites other parts are shown, of a redacted one's none."""
    knowledge = knowing(claim("c", "Keys leaked.", status="archived"))
    changed = after(knowledge, change_of([claim("c", "", status="redacted")]))
    assert changed.changed_since(knowledge) == [(Kind.CLAIM, "c")]


@example(count=450)
@examples(3)
@given(count=st.integers(201, 300))
def test_more_equal_hits_than_any_preselection_come_in_one_order(count: int) -> None:
    many = [claim(f"c{i:03}", f"latency figure {i:03}") for i in range(count)]
    for artifacts in (many, many[::-1]):
        knowledge = knowledge_of(artifacts)
        hits = search([View("kb", knowledge, GATES[0])], "latency", [Kind.CLAIM], 100)
        assert [hit.artifact.id for hit in hits] == [f"c{i:03}" for i in range(100)]


@pytest.mark.parametrize("limit", [1, 4, 5])
def test_however_few_are_asked_for_what_is_gone_takes_nobodys_place(limit: int) -> None:
    known = knowledge_of([claim(f"c{i:02}", "latency figure") for i in range(12)])
    known = after(known, change_of([claim(f"c{i:02}", "bread") for i in range(8)]))
    hits = search([View("kb", known, GATES[0])], "latency", [Kind.CLAIM], limit)
    assert [hit.artifact.id for hit in hits] == [f"c{i:02}" for i in range(8, 12)][:limit]


def test_what_a_change_leaves_as_it_was_is_no_other_generation() -> None:
    knowledge = knowing(entity("e", "Vault"), claim("c", "The vault rotates keys."))
    assert after(knowledge, change_of([claim("c", "The vault rotates keys.")])) is knowledge
    assert after(knowledge, change_of([], {(Kind.CLAIM, "gone")})) is knowledge


def test_what_is_in_no_base_is_looked_up_there_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise each save would take the longer, the more retired claims there are."""
    known, asked, search = knowledge_of([claim("a", "Bread.")]), list[int](), Layer.search

    def noted(layer: Layer, query: Query, limit: int) -> list[tuple[float, int]]:
        asked.append(limit)
        return search(layer, query, limit)

    retired = [claim(f"old{number}", "", status="archived") for number in range(9)]
    known = after(known, change_of([*retired]))
    monkeypatch.setattr(Layer, "search", noted)
    after(known, change_of([claim("a", "Rye.")]))
    assert len(asked) == 2  # its one document is replaced


def test_what_a_page_is_about_is_worked_out_once_for_all_its_claims(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    find = Names.find

    def noted(names: Names, text: str) -> list[Mention]:
        asked.append(text)
        return find(names, text)

    monkeypatch.setattr(Names, "find", noted)
    claims = [claim(f"c{number}", "It rotates weekly.") for number in range(9)]
    page = Page(
        "p",
        "pages/p.md",
        "About the vault",
        claims=tuple(one.id for one in claims),
        entities=("vault", "queue"),
    )
    knowledge = knowledge_of([entity("vault", "Vault"), entity("queue", "Queue"), *claims, page])
    assert [knowledge.links(one.id) for one in claims] == [(["vault"], "page")] * 9
    assert asked.count("About the vault") == 1
