"""Who holds a word, or so many of several."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from vouch_sidecar.index.content import Needle
from vouch_sidecar.index.postings import Document, Postings

_stems = st.lists(st.sampled_from("abc"), max_size=4).map(tuple)
_documents = st.builds(
    Document, st.integers(0, 30), st.just("claim"), st.sampled_from(["open", "ada"]), _stems
)
_WORDS = (
    Needle("a", (("a",),)),
    Needle("b", (("b",),)),
    Needle("c", (("c",),)),
    Needle("a-b", (("c",), ("a", "b"))),
)
_GATES = frozenset({"open", "ada"})


@settings(max_examples=150, deadline=None)
@given(st.lists(_documents, max_size=25))
def test_who_holds_a_word_is_known_at_every_moment(
    steps: list[Document],
) -> None:
    """A document comes or, where it is there, goes; then who holds words is asked."""
    index = Postings()
    there: dict[int, Document] = {}
    for document in steps:
        if (old := there.pop(document.ordinal, None)) is not None:
            index.remove(old)
        else:
            index.add(document)
            there[document.ordinal] = document
        for number in range(4):
            for words in combinations(_WORDS, number):
                _check(index, list(there.values()), list(words))


def _check(index: Postings, there: list[Document], words: list[Needle]) -> None:
    held = {d.ordinal: sum(word.held_by(frozenset(d.stems)) for word in words) for d in there}
    every = {ordinal for ordinal, count in held.items() if words and count == len(words)}
    assert set(index.holding_all(words, "claim", _GATES)) == every
    assert index.holds_all(words, "claim", _GATES) == bool(every)
    for least in range(1, len(words) + 1):
        some = {ordinal for ordinal, count in held.items() if count >= least}
        assert set(index.holding_some(words, "claim", _GATES, least)) == some
    if len(words) == 1:
        assert index.frequency(words[0], "claim", _GATES) == len(every)
