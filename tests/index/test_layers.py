"""A snapshot of a base and what changed since counts, adds up and finds as a plain list does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hypothesis import example, given
from hypothesis import strategies as st
from tantivy import Document, Occur, Query
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import Hit, Snapshot, Sum, in_memory
from vouch_sidecar.index.query import all_of, any_of, stem_query, term_query, value_query
from vouch_sidecar.index.schema import SCHEMA, DocumentKey, placed_stem

from tests.soak import examples

WORDS = ("key", "relay", "token")
PLACES = ("claim@open", "claim@agent:ada")
ENTITIES = ("open e1", "open e2")
BOOSTS = {"key": 5.0, "relay": 3.0, "token": 1.0}


@dataclass(frozen=True)
class Text:
    """A document as the plain list holds it."""

    id: str
    place: str = PLACES[0]
    words: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    worth: int = 0

    @property
    def key(self) -> str:
        return DocumentKey("claim", self.id).encode()

    def made(self) -> Document:
        stems = " ".join(placed_stem(self.place, word) for word in self.words)
        return Document.from_dict(
            {
                "key": self.key,
                "place": self.place,
                "stems": stems,
                "length": len(self.words),
                "about": list(self.about),
                "worth": self.worth,
            },
            SCHEMA,
        )

    def score(self, place: str) -> float:
        """By the words that it holds at a place."""
        held = set(self.words) if self.place == place else set()
        return sum(boost for word, boost in BOOSTS.items() if word in held)


Texts = dict[str, Text]


@dataclass
class History:
    """A base, and what it became."""

    base: Texts
    now: Texts = field(default_factory=dict)

    def snapshot(self) -> Snapshot:
        layer = in_memory(text.made() for text in self.base.values())
        numbers = {one["key"][0]: number for number, one in enumerate(Knowledge(layer).documents())}
        changed = [i for i in {**self.base, **self.now} if self.base.get(i) != self.now.get(i)]
        dead = [numbers[self.base[i].key] for i in changed if i in self.base]
        return Snapshot(
            layer,
            in_memory(self.now[i].made() for i in changed if i in self.now),
            in_memory(map(layer.document, dead)),
            frozenset(dead),
        )


_ids = st.sampled_from([f"c{i}" for i in range(12)])
_texts = st.builds(
    Text,
    _ids,
    st.sampled_from(PLACES),
    st.lists(st.sampled_from(WORDS), max_size=4).map(tuple),
    st.lists(st.sampled_from(ENTITIES), unique=True, max_size=2).map(tuple),
    st.integers(0, 3),
)


@st.composite
def histories(draw: st.DrawFn) -> History:
    base = {text.id: text for text in draw(st.lists(_texts, max_size=14))}
    now = dict(base)
    for text in draw(st.lists(_texts, max_size=6)):
        now[text.id] = text
    for removed in draw(st.lists(_ids, max_size=5)):
        now.pop(removed, None)
    return History(base, now)


def always(_: Text) -> bool:
    return True


def never(_: Text) -> bool:
    return False


Held = Callable[[Text], bool]
QUERIES: list[tuple[Query, Held]] = [
    (Query.all_query(), always),
    (Query.empty_query(), never),
    (any_of([]), never),
    (value_query("place", PLACES), always),
    (value_query("about", ENTITIES[:1]), lambda text: ENTITIES[0] in text.about),
    (value_query("about", ENTITIES), lambda text: bool(text.about)),
    (term_query("key", DocumentKey("claim", "c3").encode()), lambda text: text.id == "c3"),
    (
        all_of([stem_query(PLACES[0], "key"), stem_query(PLACES[0], "relay")]),
        lambda text: text.place == PLACES[0] and {"key", "relay"} <= set(text.words),
    ),
    (
        any_of([stem_query(place, "token") for place in PLACES]),
        lambda text: "token" in text.words,
    ),
]


def weighed(place: str) -> Query:
    words = (Query.const_score_query(stem_query(place, w), b) for w, b in BOOSTS.items())
    return Query.boolean_query([(Occur.Should, word) for word in words])


@examples(45)
@given(histories())
def test_counts_and_sums_are_those_of_a_plain_list(history: History) -> None:
    snapshot = history.snapshot()
    texts = history.now.values()
    for query, holds in QUERIES:
        held = [text for text in texts if holds(text)]
        assert snapshot.count(query) == len(held)
        assert snapshot.sums(query, "about", "worth") == sums(held, lambda text: text.about)
        assert snapshot.sums(query, "place") == {
            place: Sum(sum(text.place == place for text in held), 0.0)
            for place in {text.place for text in held}
        }
    for place in PLACES:
        for word in WORDS:
            number = sum(text.place == place and word in text.words for text in texts)
            assert snapshot.frequency("stems", placed_stem(place, word)) == number
    assert snapshot.lengths == {
        place: Sum(len(here), sum(len(text.words) for text in here))
        for place in PLACES
        if (here := [text for text in texts if text.place == place])
    }


def sums(held: list[Text], values: Callable[[Text], tuple[str, ...]]) -> Mapping[str, Sum]:
    out: dict[str, Sum] = {}
    for text in held:
        for value in values(text):
            have = out.get(value, Sum(0, 0.0))
            out[value] = Sum(have.number + 1, have.total + text.worth)
    return out


def listed(snapshot: Snapshot, hits: list[Hit]) -> list[tuple[str, float]]:
    return [(snapshot.document(hit)["key"][0], hit.value) for hit in hits]


def best(history: History, place: str) -> list[tuple[str, float]]:
    found = [(t.key, score) for t in history.now.values() if (score := t.score(place)) > 0]
    return sorted(found, key=lambda one: (-one[1], one[0]))


DEAD_IN_FRONT = History(
    {f"c{i}": Text(f"c{i}", words=("key", "relay")) for i in range(12)},
    {
        **{f"c{i}": Text(f"c{i}", words=("token",)) for i in range(8)},
        **{f"c{i}": Text(f"c{i}", words=("key", "relay")) for i in range(8, 12)},
    },
)


@example(DEAD_IN_FRONT, 1)
@example(DEAD_IN_FRONT, 4)
@example(DEAD_IN_FRONT, 5)
@examples(45)
@given(histories(), st.integers(1, 14))
def test_the_best_are_those_of_a_plain_list(history: History, limit: int) -> None:
    """Ties come by key; however few are asked for, what is gone takes nobody's place."""
    snapshot = history.snapshot()
    for place in PLACES:
        query = weighed(place)
        wanted = best(history, place)
        assert listed(snapshot, snapshot.search(query, limit)) == wanted[:limit]
        assert listed(snapshot, snapshot.search(query, 99)) == wanted
        for least in (1.0, 4.0, 100.0):
            enough = [pair for pair in wanted if pair[1] >= least]
            assert listed(snapshot, snapshot.down_to(query, least)) == enough
    everything = snapshot.search(value_query("place", PLACES), 99)
    assert [key for key, _ in listed(snapshot, everything)] == sorted(
        text.key for text in history.now.values()
    )


def test_a_layer_keeps_every_field_of_a_document() -> None:
    """Else what is copied from a base into another loses something."""
    text = Text("c", words=("key", "key", "relay"), about=ENTITIES, worth=3)
    first = in_memory([text.made()])
    again = in_memory(Knowledge(first).documents())
    assert [one.to_dict() for one in Knowledge(again).documents()] == [text.made().to_dict()]
