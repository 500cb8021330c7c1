"""Which neighbouring words of a text count as standing together."""

from __future__ import annotations

import pytest
from vouch_sidecar.retrieval.blocks.context import lines_for
from vouch_sidecar.retrieval.evidence.phrases import _candidates, phrases
from vouch_sidecar.retrieval.salience import named_in

from tests.retrieval.samples import claim, entity, page, view


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("the 'own clock' of depots", ["own clock"]),
        ("the ‘own clock’ of depots", ["own clock"]),
        ("die „eigene Uhr“ und die “own clock”", ["eigene Uhr", "own clock"]),
        ("'don't stop' and ‘don’t stop’", ["don't stop", "don’t stop"]),
        ("die ‚eigene Uhr‘ gilt", ["eigene Uhr"]),
        ("('own clock')", ["own clock"]),
        ("don't trust the dogs' clock, it isn't ours", []),
        ("don’t trust the dogs’ clock, it isn’t ours", []),
        ("rock 'n' roll and the dogs' clock", []),
        ("b'own clock' 'open", []),
        ("' own clock '", []),
    ],
)
def test_what_is_quoted(text: str, quoted: list[str]) -> None:
    found = _candidates([view(claim("c", "words"))], [lambda _: 0.0], text)
    assert [text[start:end] for kind, (start, end) in found if kind == "quoted"] == quoted


def test_a_page_with_the_name_of_an_entity_is_told_where_it_has_no_claims() -> None:
    seen = view(entity("e", "Proof of delivery"), page("one", "Proof of delivery", body="Signed."))
    text = "what counts as proof of delivery?"
    rows = named_in(seen, [text])
    assert [hit.artifact.id for hit in lines_for(rows, text)] == ["one"]


def test_a_number_is_one_word_whatever_groups_its_digits() -> None:
    seen = view(claim("c", "The queue keeps 20,000 events, then drops some."))
    words = [phrase.text for phrase in phrases([seen], "what if 20,000 events come")]
    assert words[0] == "20,000 events"
    words = [phrase.text for phrase in phrases([seen], "what if 30,000 events come")]
    assert not any("000" in phrase for phrase in words)
