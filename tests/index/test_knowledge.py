"""Every answer after any sequence of changes is the one that a plain look at everything gives."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyroaring import BitMap
from vouch_sidecar.index.content import content_stems, needles
from vouch_sidecar.index.documents import prepare
from vouch_sidecar.index.frozen import freeze, thaw
from vouch_sidecar.index.knowledge import Knowledge, PreparedChange
from vouch_sidecar.index.packed import BLOCK, Links
from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Key, Kind, Page, Scope, key_of
from vouch_sidecar.retrieval import view as views
from vouch_sidecar.retrieval.experts import Question, rank
from vouch_sidecar.retrieval.phrases import titles_in
from vouch_sidecar.retrieval.search import search
from vouch_sidecar.retrieval.view import View

from tests.index.worlds import GATES, steps, texts
from tests.reference import Reference

NOW = 1.8e9
KINDS = (Kind.CLAIM, Kind.PAGE, Kind.ENTITY, Kind.SOURCE)
Step = tuple[list[Artifact], frozenset[Key], str]
Answers = dict[object, object]


@pytest.fixture(autouse=True, scope="module")
def one() -> Iterator[None]:
    """Only as many claims are looked for as are asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "FEW", 1)
        yield


class Changing:
    """A knowledge base with its history of changes, and the plain list of what there is."""

    def __init__(self) -> None:
        self.knowledge = Knowledge()
        self.artifacts: dict[Key, Artifact] = {}

    def take(self, step: Step) -> None:
        """One change: to what there is, to what was frozen before it, or to what was built anew."""
        new, gone, to = step
        change = change_of(new, gone)
        if to == "frozen":
            self.knowledge = thaw(marshal.loads(marshal.dumps(freeze(self.knowledge))))
        if to == "built":
            self.knowledge = Knowledge.of([prepare(a) for a in self.artifacts.values()])
        self.knowledge.apply(change)
        self.knowledge.memo.clear()
        for key in change.removals:
            self.artifacts.pop(key, None)
        self.artifacts |= {key_of(p.artifact): p.artifact for p in change.upserts}


def change_of(new: list[Artifact], gone: frozenset[Key]) -> PreparedChange:
    unique = {key_of(artifact): artifact for artifact in new}
    removals = frozenset(gone - unique.keys())
    return PreparedChange(tuple(prepare(a) for a in unique.values()), removals)


def answers(knowledge: Knowledge, topics: list[str], gates: frozenset[str]) -> Answers:
    view = View("kb", knowledge, gates)
    found: Answers = {
        "links": {
            a.id: knowledge.links(a.id, gates).entity_ids for a in knowledge.all_of(Kind.CLAIM)
        },
        "titles": set(titles_in([view], _every_title(knowledge.all_of(Kind.PAGE)))),
    }
    for topic in topics:
        found["mentions", topic] = [
            (m.start, m.end, m.entity_id, m.arm, m.ambiguous, m.nested)
            for m in view.mentions(topic)
        ]
        found["nearest", topic] = {
            entity.id: [claim.id for claim in view.nearest(entity.id, topic, 1)]
            for entity in knowledge.all_of(Kind.ENTITY)
        }
        for kind in KINDS:
            rows = search([view], topic, [kind], 100)
            found["search", kind, topic] = [(row.artifact.id, row.score) for row in rows]
            found["frequency", kind, topic] = [
                knowledge.search.frequency(n, kind, gates) for n in needles(topic)
            ]
        for weight in ("count", "recency", "citation"):
            found["auto", weight, topic] = _experts(view, topic, weight, "auto")
            found["declared", weight, topic] = _experts(view, topic, weight, "declared")
    return found


def _every_title(pages: Iterable[Artifact]) -> str:
    return ". ".join(sorted(page.title for page in pages if isinstance(page, Page)))


def _experts(view: View, topic: str, weight: str, linking: str) -> list[tuple[object, ...]]:
    question = Question(topic, NOW, weight, "declared" if linking == "declared" else "auto", 100)
    return [
        (
            row.entity.id,
            row.claim_count,
            row.citation_count,
            row.score,
            tuple(c.claim.id for c in row.contributions[:3]),
        )
        for row in rank([view], question)
    ]


def expected(artifacts: dict[Key, Artifact], topics: list[str], gates: frozenset[str]) -> Answers:
    plain = Reference(artifacts.values())
    found: Answers = {
        "links": {claim_id: plain.links(claim_id, gates) for claim_id in plain.claims},
        "titles": plain.titles(_every_title(plain.pages.values()), gates),
    }
    for topic in topics:
        found["mentions", topic] = [tuple(m) for m in plain.mentions(topic)]
        found["nearest", topic] = {
            entity_id: plain.nearest(entity_id, topic, gates)[:1] for entity_id in plain.entities
        }
        for kind in KINDS:
            found["search", kind, topic] = plain.search(topic, kind, gates)
            found["frequency", kind, topic] = [
                plain.frequency(n, kind, gates) for n in needles(topic)
            ]
        for weight in ("count", "recency", "citation"):
            for linking in ("auto", "declared"):
                rows = plain.experts(topic, NOW, weight, linking, gates)
                found[linking, weight, topic] = [tuple(row) for row in rows]
    return found


topics_of_a_world = st.lists(texts, min_size=1, max_size=3)
histories = st.lists(steps, min_size=1, max_size=5)


@settings(max_examples=60, deadline=None)
@given(history=histories, topics=topics_of_a_world, gates=st.sampled_from(GATES))
def test_any_history_gives_what_a_plain_look_gives(
    history: list[Step], topics: list[str], gates: frozenset[str]
) -> None:
    world = Changing()
    for step in history:
        world.take(step)
        plain = expected(world.artifacts, topics, gates)
        assert answers(world.knowledge, topics, gates) == plain
    anew = Knowledge.of([prepare(a) for a in world.artifacts.values()])
    assert answers(anew, topics, gates) == plain


@settings(max_examples=15, deadline=None)
@given(
    history=histories,
    overlaid=steps,
    topics=topics_of_a_world,
    gates=st.sampled_from(GATES),
)
def test_an_overlay_answers_as_a_change_would_and_leaves_no_trace(
    history: list[Step], overlaid: Step, topics: list[str], gates: frozenset[str]
) -> None:
    world = Changing()
    for step in history:
        world.take(step)
    knowledge = world.knowledge
    before = answers(knowledge, topics, gates)
    change = change_of(overlaid[0], overlaid[1])
    with knowledge.overlay(change, 1):
        changed = {k: a for k, a in world.artifacts.items() if k not in change.removals}
        changed |= {key_of(p.artifact): p.artifact for p in change.upserts}
        assert answers(knowledge, topics, gates) == expected(changed, topics, gates)
    assert answers(knowledge, topics, gates) == before
    with pytest.raises(RuntimeError, match="inside"), knowledge.overlay(change, 2):
        raise RuntimeError("inside")
    assert answers(knowledge, topics, gates) == before


def claim(claim_id: str, text: str, **fields: object) -> Claim:
    return Claim(claim_id, f"claims/{claim_id}.yaml", text, **fields)  # type: ignore[arg-type]


def entity(entity_id: str, name: str, **fields: object) -> Entity:
    return Entity(entity_id, f"entities/{entity_id}.yaml", name, **fields)  # type: ignore[arg-type]


def page(page_id: str, **fields: object) -> Page:
    return Page(page_id, f"pages/{page_id}.md", "A page", **fields)  # type: ignore[arg-type]


def knowing(*artifacts: Artifact) -> Knowledge:
    """Knowledge that learned the artifacts one after the other."""
    knowledge = Knowledge()
    for artifact in artifacts:
        knowledge.apply(change_of([artifact], frozenset()))
    return knowledge


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("Lovelace wrote the first program.", entity("e", "Ada Lovelace", type="person")),
        ("Nobody trusts the other one.", entity("e", "Others")),
        ("ログは認証\n基盤に残る", entity("e", "認証基盤")),
        ("x 基盤", entity("e", "x 基")),
        ("Will decides.", entity("e", "Bob Will", type="person")),
        ("It is written in C.", entity("e", "C")),
        ("What we ask is the who.", entity("e", "The Who")),
        ("The rateLimiter is slow.", entity("e", "rate limiter")),
    ],
)
def test_an_entity_that_comes_later_is_linked_to_the_claims_that_name_it(
    text: str, new: Entity
) -> None:
    knowledge = knowing(claim("c", text), new)
    assert knowledge.links("c") == (("e",), "named")
    knowledge.apply(PreparedChange((), frozenset({key_of(new)})))
    assert knowledge.links("c").entity_ids == ()


def test_a_namesake_makes_a_name_ambiguous_until_it_goes() -> None:
    one, other = (
        entity("e1", "Ada Byron", type="person"),
        entity("e2", "Lord Byron", type="person"),
    )
    knowledge = knowing(claim("c", "Byron agreed."), one, other)
    assert knowledge.links("c").entity_ids == ()
    knowledge.apply(PreparedChange((), frozenset({key_of(other)})))
    assert knowledge.links("c").entity_ids == ("e1",)


def test_a_page_links_claims_only_for_those_who_see_it() -> None:
    private = Scope("private", agent="ada")
    knowledge = knowing(
        entity("e", "Vault"),
        claim("open", "Keys rotate weekly."),
        claim("hers", "Keys leaked.", scope=private),
        page("p", claims=("open", "hers"), entities=("e",), scope=private),
    )
    hers = frozenset({OPEN, "agent:ada"})
    assert knowledge.links("open").entity_ids == ()
    assert knowledge.links("open", hers) == (("e",), "page")
    assert knowledge.links("hers") == (("e",), "page")
    assert len(knowledge.counting("e", frozenset({OPEN}))) == 0
    assert len(knowledge.counting("e", hers)) == 2
    knowledge.apply(change_of([page("p", claims=("open",), scope=private)], frozenset()))
    assert knowledge.links("open", hers).entity_ids == ()
    assert len(knowledge.counting("e", hers)) == 0


def test_two_versions_of_one_artifact_in_a_change_leave_no_trace() -> None:
    knowledge = knowing(claim("c", "alpha"))
    twice = PreparedChange(
        (prepare(claim("c", "gamma")), prepare(claim("c", "delta"))), frozenset()
    )
    gates = GATES[0]

    def frequencies() -> list[int]:
        words = needles("alpha gamma delta")
        return [knowledge.search.frequency(n, Kind.CLAIM, gates) for n in words]

    with knowledge.overlay(twice, 1):
        assert frequencies() == [0, 0, 1]
    assert frequencies() == [1, 0, 0]
    assert knowledge.search.total(Kind.CLAIM, gates) == 1


@example(count=450)
@settings(max_examples=3, deadline=None)
@given(count=st.integers(201, 300))
def test_more_equal_hits_than_any_preselection_come_in_one_order(count: int) -> None:
    many = [prepare(claim(f"c{i:03}", f"latency figure {i:03}")) for i in range(count)]
    for artifacts in (many, many[::-1]):
        knowledge = Knowledge.of(artifacts)
        hits = search([View("kb", knowledge, GATES[0])], "latency", [Kind.CLAIM], 100)
        assert [hit.artifact.id for hit in hits] == [f"c{i:03}" for i in range(100)]


def test_a_title_is_found_from_the_moment_its_page_is_there_and_no_longer() -> None:
    knowledge = Knowledge()
    view = View("kb", knowledge, frozenset({OPEN}))
    text = "the night shift handbook, the rotation guide and the cafe menu"

    def change(*new: Page, gone: str | None = None) -> set[str]:
        gone_keys = frozenset() if gone is None else frozenset({(Kind.PAGE, gone)})
        knowledge.apply(change_of([*new], gone_keys))
        return set(titles_in([view], text))

    private = Scope("private", agent="ada")
    change(
        Page("p0", "pages/p0.md", "Night shift handbook"),
        Page("p1", "pages/p1.md", "Cafe menu", scope=private),
        Page("p2", "pages/p2.md", "Shift", body="rotation guide"),
    )
    assert set(titles_in([view], text)) == {"Night shift handbook"}
    guide = Page("p3", "pages/p3.md", "Rotation guide")
    assert change(guide) == {"Night shift handbook", "Rotation guide"}
    assert change(gone="p0") == {"Rotation guide"}
    assert change(Page("p3", "pages/p3.md", "Rotation plan")) == set()


def test_what_was_frozen_knows_which_ids_come_first() -> None:
    knowledge = Knowledge()
    named = [Claim(claim_id, f"claims/{claim_id}.yaml", "jwt") for claim_id in ("b", "c", "a")]
    knowledge.apply(change_of([*named], frozenset()))
    thawed = thaw(marshal.loads(marshal.dumps(freeze(knowledge))))
    thawed.apply(change_of([Claim("aa", "claims/aa.yaml", "jwt")], frozenset()))
    first = thawed.first(BitMap(range(4)), 3)
    assert [claim.id for claim in thawed.claims_at(first)] == ["a", "aa", "b"]


ADA = frozenset({OPEN, "agent:ada"})


@pytest.mark.parametrize("frozen", [False, True])
def test_a_claim_that_says_something_else_keeps_its_ordinal(frozen: bool) -> None:
    knowledge = Knowledge()
    claim = Claim("c", "claims/c.yaml", "jwt rotates", entities=("auth",))
    auth, cache = (Entity(name, f"entities/{name}.yaml", name) for name in ("auth", "cache"))
    knowledge.apply(change_of([auth, cache, claim], frozenset()))
    if frozen:
        knowledge = thaw(marshal.loads(marshal.dumps(freeze(knowledge))))
    (before,) = knowledge.documents_of((Kind.CLAIM, "c"))

    later = Claim("c", "claims/d.yaml", "jwt expires", entities=("cache",))
    knowledge.apply(change_of([later], frozenset()))

    assert [d.ordinal for d in knowledge.documents_of((Kind.CLAIM, "c"))] == [before.ordinal]
    assert [*_holding(knowledge, "rotates")] == []
    assert [*_holding(knowledge, "expires")] == [before.ordinal]
    assert list(knowledge.claims_at([before.ordinal])) == [later]
    assert knowledge.at_path("claims/c.yaml") is None
    assert knowledge.at_path("claims/d.yaml") == later
    assert knowledge.links("c").entity_ids == ("cache",)
    assert [*knowledge.counting("auth", ADA)] == []
    assert knowledge.search.length(Kind.CLAIM, ADA) == len(content_stems("jwt expires"))


def test_a_claim_that_others_may_see_is_another_document() -> None:
    knowledge = Knowledge()
    knowledge.apply(change_of([Claim("c", "claims/c.yaml", "jwt rotates")], frozenset()))
    private = Claim("c", "claims/c.yaml", "jwt rotates", scope=Scope("private", agent="ada"))

    knowledge.apply(change_of([private], frozenset()))

    assert [*_holding(knowledge, "rotates", frozenset({OPEN}))] == []
    assert [*_holding(knowledge, "rotates")] == [
        d.ordinal for d in knowledge.documents_of((Kind.CLAIM, "c"))
    ]


def _holding(knowledge: Knowledge, word: str, gates: frozenset[str] = ADA) -> BitMap:
    return knowledge.search.holding_all(needles(word), Kind.CLAIM, gates)


def test_what_is_packed_in_many_blocks_is_what_came() -> None:
    artifacts: list[Artifact] = [
        claim(f"c{number:04}", f"The token of service {number}", entities=("api",))
        for number in range(2 * BLOCK + 1)
    ]
    artifacts.append(entity("api", "Token API"))
    knowledge = Knowledge.of([prepare(a) for a in artifacts])
    assert {p.artifact for p in knowledge.prepared()} == set(artifacts)
    counting = knowledge.counting("api", frozenset({OPEN}))
    assert {c.id for c in knowledge.claims_at(counting)} == {
        f"c{n:04}" for n in range(2 * BLOCK + 1)
    }
    again = thaw(marshal.loads(marshal.dumps(freeze(knowledge))))
    assert again.prepared() == knowledge.prepared()
    assert again.links("c2000") == knowledge.links("c2000") == Links(("api",), "declared")


def test_to_freeze_makes_nothing_of_what_is_packed() -> None:
    knowledge = Knowledge.of(
        [prepare(claim("c", "Token API")), prepare(entity("api", "Token API"))]
    )
    frozen = freeze(knowledge)
    assert freeze(thaw(frozen)) == frozen
    assert all(
        held.made(key) is None for held in (knowledge.by_key, knowledge.documents) for key in held
    )
    assert all(held.made(o) is None for held in (knowledge.linked, knowledge.refs) for o in held)


def test_what_is_made_ahead_of_a_change_is_kept_where_nothing_else_stands() -> None:
    artifacts: list[Artifact] = [
        claim("one", "The queue is short"),
        claim("two", "The queue is long"),
        entity("token-api", "Token API"),
        entity("queue", "Queue"),
    ]
    knowledge = thaw(freeze(Knowledge.of([prepare(a) for a in artifacts])))
    keys = [key_of(artifact) for artifact in artifacts]
    found = {key: one for key in keys if (one := knowledge.packed.unpacked(key)) is not None}
    assert [found[key].prepared.artifact for key in keys] == artifacts
    names = knowledge.names.ahead(["The Token API has a queue"])
    assert len(names) == 2
    gone = frozenset({key_of(artifacts[1]), key_of(artifacts[3])})
    knowledge.apply(PreparedChange((), gone))  # comes between
    new = claim("one", "The Token API has a queue")
    knowledge.apply(PreparedChange((prepare(new),), frozenset(), found, names))
    left = [new, artifacts[2]]
    topics = ["token api", "queue"]
    gates = frozenset({OPEN})
    assert knowledge.links("one").entity_ids == ("token-api",)
    plain = expected({key_of(a): a for a in left}, topics, gates)
    assert answers(knowledge, topics, gates) == plain
