"""The first ids of some ordinals, whatever came and went."""

from __future__ import annotations

from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st
from pyroaring import BitMap
from vouch_sidecar.index.order import Order

_ids = st.sampled_from("a a-b ab b ba c d".split())


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(_ids, st.sampled_from(["new", "back", "gone", "frozen"])), max_size=20))
def test_the_first_are_those_with_the_first_ids(steps: list[tuple[str, str]]) -> None:
    """An artifact is written anew, or taken back to what it was, or goes."""
    order, ordinals = Order(), count()
    there: dict[str, int] = {}
    before: dict[str, int] = {}
    for artifact_id, step in steps:
        if artifact_id in there:
            before[artifact_id] = there.pop(artifact_id)
            order.remove([before[artifact_id]])
        if step == "new" or (step == "back" and artifact_id in before):
            number = before[artifact_id] if step == "back" else next(ordinals)
            there[artifact_id] = number
            order.add("claim", artifact_id, [number])
        if step == "frozen":
            order = Order(BitMap(order.strays), dict(order.last))
        ids = {number: known for known, number in there.items()}
        for limit in (1, 2, 9):
            first = order.first(BitMap(ids), limit, ids.__getitem__)
            assert [ids[number] for number in first] == sorted(there)[:limit]


def test_what_went_is_not_kept() -> None:
    order = Order()
    order.add("claim", "b", [0])
    order.add("claim", "a", [1])
    order.add("page", "a", [2, 3])
    assert set(order.strays) == {1}
    order.remove([1])
    assert not order.strays
