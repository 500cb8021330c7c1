"""Small random knowledge bases that are full of traps, and random ways that they change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import in_memory
from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Entity,
    Key,
    Kind,
    Page,
    Relation,
    Scope,
    Source,
    key_of,
)

GATES = [
    frozenset({OPEN}),
    frozenset({OPEN, "agent:ada"}),
    frozenset({OPEN, "project:courier"}),
    frozenset({OPEN, "agent:ada", "project:courier"}),
]

WORDS = (
    "rate limiter limiters RateLimiter rate_limiter rate-limiter ratelimiter limit limited the and "
    "other Others Ada Lovelace Lovelace's lovelace Byron Will will Go go good jwt JWT tokens token "
    "認証基盤 認証 基盤 基 サーバー サーバ C++ c C# .NET It's Rogue's End Rogue’s straße STRASSE"
).split()
_SCOPES = [
    Scope(),
    Scope(),
    Scope("team"),
    Scope("private", agent="ada"),
    Scope("private"),
    Scope("project", project="courier"),
    Scope("project", project="elsewhere"),
]

texts = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", " ", " ", "\n", ", ", "-", ". ", ""])),
    min_size=1,
    max_size=6,
).map(lambda pairs: "".join(word + gap for word, gap in pairs).strip() or "jwt")
_names = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
_entity_ids = st.lists(st.sampled_from(["e0", "e1", "e2", "e3", "nobody"]), max_size=2).map(tuple)
_claim_ids = st.lists(st.sampled_from(["c0", "c1", "c2", "c3", "c4", "gone"]), max_size=3)
_dates = st.none() | st.sampled_from([0.0, 1.7e9, 1.79e9, 1.9e9])


def _ids(letter: str, count: int) -> st.SearchStrategy[str]:
    return st.sampled_from([f"{letter}{i}" for i in range(count)])


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    claim_id = draw(_ids("c", 5))
    return Claim(
        id=claim_id,
        path=f"claims/{claim_id}.yaml",
        text=draw(texts),
        status=draw(st.sampled_from(["working", "stable", "contested", "superseded", "redacted"])),
        confidence=draw(st.sampled_from([0.0, 0.3, 0.7, 1.0])),
        evidence=tuple(draw(st.lists(st.sampled_from(["s1", "s2", "s3"]), min_size=1, max_size=4))),
        entities=draw(_entity_ids),
        tags=tuple(draw(st.lists(st.sampled_from(["auth", "limits"]), max_size=1))),
        scope=draw(st.sampled_from(_SCOPES)),
        updated_at=draw(_dates),
        last_confirmed_at=draw(_dates),
    )


@st.composite
def entities(draw: st.DrawFn) -> Entity:
    entity_id = draw(_ids("e", 4))
    return Entity(
        id=entity_id,
        path=f"entities/{entity_id}.yaml",
        name=draw(_names),
        type=draw(st.sampled_from(["person", "concept"])),
        aliases=tuple(draw(st.lists(_names | st.sampled_from(["", "’", "?!"]), max_size=2))),
        description=draw(st.none() | texts),
    )


@st.composite
def pages(draw: st.DrawFn) -> Page:
    page_id = draw(_ids("p", 3))
    return Page(
        id=page_id,
        path=f"pages/{page_id}.md",
        title=draw(_names),
        # Not `rate limiter`: the text of a withheld `rate_limiter` would be closed there.
        body=draw(st.sampled_from(["", "# A\n\njwt tokens\n\n# B\n\nlimiter rate\n"])),
        status=draw(st.sampled_from(["draft", "active", "archived"])),
        claims=tuple(draw(_claim_ids)),
        entities=draw(_entity_ids),
        scope=draw(st.sampled_from(_SCOPES)),
    )


@st.composite
def _relations(draw: st.DrawFn) -> Relation:
    relation_id = draw(_ids("r", 2))
    ends = st.sampled_from(["c0", "c1", "e0", "e1", "nobody"])
    path = f"relations/{relation_id}.yaml"
    return Relation(relation_id, path, draw(ends), "supports", draw(ends))


@st.composite
def _sources(draw: st.DrawFn) -> Source:
    source_id = draw(_ids("d", 2))  # no claim cites it, so none closes it
    scope = draw(st.sampled_from(_SCOPES))
    return Source(source_id, f"sources/{source_id}/meta.yaml", "a.md", title="jwt", scope=scope)


artifacts: st.SearchStrategy[Artifact] = st.one_of(
    claims(), claims(), entities(), entities(), pages(), _relations(), _sources()
)
_keys: st.SearchStrategy[Key] = st.one_of(
    st.tuples(st.just(Kind.CLAIM), _ids("c", 5)),
    st.tuples(st.just(Kind.ENTITY), _ids("e", 4)),
    st.tuples(st.just(Kind.PAGE), _ids("p", 3)),
)
steps = st.tuples(
    st.lists(artifacts, max_size=5),
    st.frozensets(_keys, max_size=2),
    st.sampled_from(("as it is", "base", "moved")),
)
"""What comes, what goes, and to what: see `tests.index.test_knowledge`."""


@dataclass(frozen=True, slots=True)
class Change:
    """What comes, and what goes."""

    upserts: tuple[Artifact, ...] = ()
    removals: frozenset[Key] = frozenset()


def knowledge_of(artifacts: Iterable[Artifact]) -> Knowledge:
    """A generation of these artifacts, in memory."""
    return Knowledge.of({key_of(artifact): artifact for artifact in artifacts})


def after(before: Knowledge, change: Change) -> Knowledge:
    """The generation after a change."""
    kept = {key: one for key, one in before.records.items() if key not in change.removals}
    return before.after(kept | {key_of(one): one for one in change.upserts})


def in_new_base(knowledge: Knowledge) -> Knowledge:
    """A generation as the next process begins with it."""
    return Knowledge(in_memory(knowledge.documents()), knowledge.records, knowledge.states)
