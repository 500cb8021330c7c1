"""The claims of an entity by what they share with a text."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.index.content import content_stems
from sidecar.retrieval import view as views
from tests.retrieval.samples import claim, entity, view

_WORDS = "jwt token RateLimiter rate limiter 認証 cache the queue".split()


@pytest.fixture(autouse=True, scope="module", params=[0, 1_000])
def claims_per_word(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whether words are looked up, or claims read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "_CLAIMS_PER_WORD", request.param)
        yield


_texts = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6).map(" ".join)


@settings(max_examples=100, deadline=None)
@given(st.lists(_texts, max_size=8), _texts, st.integers(1, 9))
def test_nearest_is_what_shares_most_by_rarity(
    texts: list[str],
    text: str,
    limit: int,
) -> None:
    claims = [claim(f"c{i}", said, entities=("e",)) for i, said in enumerate(texts)]
    seen = view(entity("e", "auth"), *claims)
    weights = seen.weights(text)

    def share(said: str) -> float:
        stems = frozenset(content_stems(said))
        return round(fsum(w for n, w in weights.items() if n.held_by(stems)), 9)

    ranked = sorted(claims, key=lambda c: (-share(c.text), c.id))
    assert seen.nearest("e", text, 1) == ranked[:1]
    assert seen.nearest("e", text, limit) == ranked[:limit]
