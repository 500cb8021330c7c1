"""Lists of what holds a word, and the maps of common words beside them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.index import postings
from sidecar.index.content import Needle
from sidecar.index.postings import Document, Postings

_stems = st.lists(st.sampled_from("abc"), max_size=4).map(tuple)
_documents = st.builds(
    Document, st.integers(0, 30), st.just("claim"), st.sampled_from(["open", "ada"]), _stems
)
_GATES = frozenset({"open", "ada"})


@pytest.fixture(autouse=True, scope="module", params=[1, 1 << 10])
def common(request: pytest.FixtureRequest) -> Iterator[None]:
    """From which length on a list has a map: a short one, or one that these tests do not reach."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "_COMMON", request.param)
        patch.setattr(postings, "_MAPS", 4)
        yield


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(_documents, st.frozensets(st.integers(0, 40))), max_size=25))
def test_who_holds_a_word_is_known_at_every_moment(
    steps: list[tuple[Document, frozenset[int]]],
) -> None:
    """A document comes or, where it is there, goes; then some are asked for every word."""
    index = Postings()
    there: dict[int, Document] = {}
    for document, asked in steps:
        if (old := there.pop(document.ordinal, None)) is not None:
            index.remove(old)
        else:
            index.add(document)
            there[document.ordinal] = document
        for stem in "abc":
            needle = Needle(stem, ((stem,),))
            holding = {d.ordinal for d in there.values() if stem in d.stems}
            assert index.holding(needle, "claim", _GATES) == holding
            assert index.among(asked, needle, "claim", _GATES) == holding & asked
            assert index.among(set(there), needle, "claim", _GATES) == holding
