"""The claims of an entity by what they share with a text."""

from __future__ import annotations

import random
from dataclasses import replace
from math import fsum

from hypothesis import given
from hypothesis import strategies as st
from vouch_sidecar.kb.records import Claim
from vouch_sidecar.retrieval.view import Deadline, View, claim_in
from vouch_sidecar.text.content_words import content_stems

from tests.retrieval.samples import claim, entity, view
from tests.soak import examples

_WORDS = "jwt token RateLimiter rate limiter 認証 cache the queue".split()


_texts = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6).map(" ".join)


def _ranked(seen: View, claims: list[Claim], text: str) -> list[Claim]:
    """By what their words weigh, as whole numbers of the precision that scores have: of two sums
    that are equal but for their rounding, that decides.
    """
    weights = seen.counts.weights(text)
    scale = (2**24 - 1) / max(fsum(weights.values()), 1e-9)

    def share(said: str) -> int:
        stems = frozenset(content_stems(said))
        return sum(int(w * scale) for n, w in weights.items() if n.held_by(stems))

    return sorted(claims, key=lambda c: (-share(c.text), c.id))


def _nearest(seen: View, text: str, limit: int) -> list[Claim]:
    hits = seen.search.best_claims("e", seen.counts.weights(text), limit)
    return [claim_in(seen, seen.knowledge.snapshot.document(hit)) for hit in hits]


@examples(100)
@given(st.lists(_texts, max_size=24), _texts, st.integers(1, 9))
def test_nearest_is_what_shares_most_by_rarity(
    texts: list[str],
    text: str,
    limit: int,
) -> None:
    claims = [claim(f"c{i}", said, entities=("e",)) for i, said in enumerate(texts)]
    seen = view(entity("e", "auth"), *claims)
    ranked = _ranked(seen, claims, text)
    assert _nearest(seen, text, 1) == ranked[:1]
    assert _nearest(seen, text, limit) == ranked[:limit]


def test_what_shares_most_with_its_common_words_is_not_lost() -> None:
    rng = random.Random(1)
    words = [f"word{letter}" for letter in "abcdefghijklmnop"]
    often = [1 / (place + 1) for place in range(len(words))]
    texts = [" ".join(rng.choices(words, often, k=6)) for _ in range(300)]
    claims = [claim(f"c{i:03}", said, entities=("e",)) for i, said in enumerate(texts)]
    seen = view(entity("e", "auth"), *claims)
    for _ in range(50):
        text = " ".join(rng.choices(words, k=8))
        for limit in (1, 5):
            assert _nearest(seen, text, limit) == _ranked(seen, claims, text)[:limit]


def test_what_is_worked_out_whole_after_time_is_up_is_remembered() -> None:
    late = replace(view(entity("e", "auth")), deadline=Deadline(0.0))
    made: list[str] = []

    def whole() -> None:
        made.append("whole")

    def cut() -> None:
        assert late.deadline.has_passed()
        made.append("cut")

    for _ in range(2):
        late.cached("cut", "a text", cut)
        late.cached("whole", "a text", whole)
    assert made == ["cut", "whole", "cut"]
