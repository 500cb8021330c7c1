"""What is remembered of texts is bounded, also where the texts are long."""

from __future__ import annotations

import gc

import pytest
from vouch_sidecar.index.memo import ITEM_CHARACTERS, MAX_CHARACTERS, MAX_ENTRIES, Memo
from vouch_sidecar.text.content_words import Term, terms


class Made:
    """Something worked out; counted by the collector."""


def kept(length: int, texts: int) -> int:
    """How many results a memo holds after so many texts of a length."""
    memo = Memo()
    for number in range(texts):
        memo.cached(f"{number:{length}}", "what", Made)
    gc.collect()
    return sum(isinstance(item, Made) for item in gc.get_objects())


@pytest.mark.parametrize(
    ("length", "most"),
    [
        (10, MAX_ENTRIES),
        (MAX_CHARACTERS // 8, 8),
        (MAX_CHARACTERS * 2, 1),
    ],
)
def test_the_latest_results_are_kept_within_bounds(length: int, most: int) -> None:
    assert kept(length, most + 20) == most


def test_a_result_is_worked_out_once_until_it_is_forgotten() -> None:
    memo = Memo()
    first = memo.cached("text", "what", Made)
    assert memo.cached("text", "what", Made) is first
    assert memo.cached("text", "other", Made) is not first
    memo.clear()
    assert len(memo) == 0
    assert memo.cached("text", "what", Made) is not first


def test_a_result_counts_by_what_it_holds() -> None:
    memo = Memo()
    items = MAX_CHARACTERS // ITEM_CHARACTERS // 4
    for number in range(20):
        memo.cached(str(number), "what", lambda: [None] * items)
    assert len(memo) == 3  # the fourth is too much by the length of its text
    for number in range(20):
        memo.forget(str(number), "what")
    memo.cached("long", "what", lambda: [None] * (8 * items))
    assert len(memo) == 1


def test_results_used_lately_stay() -> None:
    memo = Memo()
    first = memo.cached("first", "what", Made)
    for number in range(MAX_ENTRIES):
        memo.cached(str(number), "what", Made)
        assert memo.cached("first", "what", Made) is first


def test_a_result_may_need_others() -> None:
    memo = Memo()
    long = "x" * MAX_CHARACTERS
    outer = memo.cached(long, "outer", lambda: (memo.cached(long, "inner", Made),))
    assert memo.cached(long, "outer", lambda: (Made(),)) is outer


def test_words_of_long_texts_are_not_kept_by_the_thousand() -> None:
    words = " ".join(f"lorem{number}" for number in range(100))
    for number in range(300):
        assert len(terms(f"{words} ipsum{number}")) == 101
    gc.collect()
    assert sum(isinstance(item, Term) for item in gc.get_objects()) < 150 * 101
