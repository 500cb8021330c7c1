"""Which phrases of a text are shown."""

from __future__ import annotations

import pytest
from vouch_sidecar.retrieval.blocks.context import lines_for
from vouch_sidecar.retrieval.evidence.phrases import phrases
from vouch_sidecar.retrieval.salience import named_in

from tests.retrieval.samples import claim, entity, page, view


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("what of “own clock” or `queue_size`?", ["own clock", "queue_size"]),
        ("die „eigene Uhr“ gilt", ["eigene Uhr"]),
        ("don't trust the dogs' clock", []),
    ],
)
def test_what_is_quoted_and_identifiers_come_first(text: str, found: list[str]) -> None:
    assert phrases([view(claim("c", "Words."))], text)[: len(found) + 1] == found


def test_words_that_something_holds_follow_without_names() -> None:
    seen = view(claim("c", "The boiler valve leaks."), claim("d", "A boiler hums."))
    assert phrases([seen], "does the valve of Ada's boiler sing", [(16, 19)]) == ["valve", "boiler"]


def test_a_page_with_the_name_of_an_entity_is_told_where_it_has_no_claims() -> None:
    seen = view(entity("e", "Proof of delivery"), page("one", "Proof of delivery", body="Signed."))
    text = "what counts as proof of delivery?"
    rows = named_in(seen, [text])
    assert [hit.artifact.id for hit in lines_for(rows, text)] == ["one"]
