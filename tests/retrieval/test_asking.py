"""What is left of a text without the names in it and whoever is addressed."""

from __future__ import annotations

import pytest
from vouch_sidecar.retrieval.asking import asked_by
from vouch_sidecar.retrieval.choosing import spans_of
from vouch_sidecar.retrieval.clauses import Reading, readings, without_names

from tests.retrieval.samples import entity, view

SEEN = view(entity("relay", "Relay"), entity("tomasz", "Tomasz Wróbel", type="person"))


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Did Relay change why fonts are embedded?", "Did change why fonts are embedded?"),
        ("Relay is fine; why are fonts embedded?", "why are fonts embedded?"),
        ("Tomasz Wróbel asks why fonts are embedded", "why fonts are embedded"),
        ("Tomasz Wróbel wants to know who embeds fonts", "who embeds fonts"),
        ("tell Tomasz Wróbel which fonts are embedded", "which fonts are embedded"),
        ("what Relay and the others say of fonts", "what and the others say of fonts"),
        ("Relay is slow", "is slow"),
        ("the visitor at Relay asks how fonts are embedded", "how fonts are embedded"),
        ("we ask who embeds fonts", "we ask who embeds fonts"),
    ],
)
def test_names_and_whoever_is_addressed_are_left_out(text: str, rest: str) -> None:
    names = spans_of(SEEN, text, ["relay", "tomasz"])
    left = without_names(text, names)
    assert len(left) == len(text)
    assert " ".join(left.split()) == rest


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Relay is fine; why are fonts embedded", True),
        ("Tomasz Wróbel asks why fonts are embedded", True),
        ("tell Tomasz Wróbel that fonts are embedded", False),
    ],
)
def test_a_question_is_one_without_its_names_as_well(text: str, asks: bool) -> None:
    names = spans_of(SEEN, text, ["relay", "tomasz"])
    assert readings(text, names)[0].question is asks


def test_a_long_text_asks_by_its_heaviest_words() -> None:
    common = " ".join(f"{word}" for word in ("time", "way", "day", "thing", "year"))
    text = f"{common} " + " ".join(f"wörd{number}x" for number in range(300))
    weights = asked_by(SEEN, text, Reading(text, False)).weights
    assert len(weights) == 64
    assert not {"time", "way", "day"}.intersection(word.word for word in weights)
