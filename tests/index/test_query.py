"""Words are weighed exactly, and what is remembered of texts is bounded."""

from __future__ import annotations

from collections.abc import Set
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.index.memo import MAX_CHARACTERS, Memo
from vouch_sidecar.index.query import Search
from vouch_sidecar.index.schema import DocumentKey
from vouch_sidecar.kb.access import OPEN
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.text.content_words import terms

from tests.index.worlds import knowledge_of

WORDS = ("alpha", "beta", "gamma", "delta")
NEAR_ONE_ANOTHER = st.sampled_from([0.5, 3.001, 3.002, 3.0035, 11.7])


@given(
    st.lists(st.frozensets(st.sampled_from(WORDS)), max_size=9),
    st.lists(NEAR_ONE_ANOTHER, min_size=4, max_size=4),
    st.sampled_from([0.0, 0.31, 0.5, 0.77]),
)
def test_those_that_hold_a_share_of_the_weight_come_by_what_they_hold(
    texts: list[Set[str]], given: list[float], share: float
) -> None:
    weights = dict(zip(terms(" ".join(WORDS)), given, strict=True))
    held = {
        f"c{n}": round(fsum(w for term, w in weights.items() if term.word in text), 6)
        for n, text in enumerate(texts)
    }
    claims = [Claim(f"c{n}", f"{n}.yaml", " ".join(("x", *text))) for n, text in enumerate(texts)]
    search = Search(knowledge_of(claims).snapshot, frozenset({OPEN}))
    enough = [c for c in held if held[c] and held[c] >= share * fsum(given) - 1e-5]
    hits = search.down_to(weights, Kind.CLAIM, share)
    found = [DocumentKey.decode(search.snapshot.document(hit)["key"][0]).id for hit in hits]
    assert found == sorted(enough, key=lambda c: (-held[c], c))


def test_a_memo_keeps_what_was_used_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vouch_sidecar.index.memo.MAX_ENTRIES", 3)
    memo = Memo()
    for text in ("a", "b", "c", "a", "d"):
        assert memo.cached(text, "", lambda text=text: text) == text  # type: ignore[misc]
    assert len(memo) == 3
    assert memo.cached("a", "", lambda: "made anew") == "a"
    assert memo.cached("b", "", lambda: "made anew") == "made anew"
    for text in ("e", "f"):
        memo.cached(text * MAX_CHARACTERS, "", list)
        assert len(memo) == 1
