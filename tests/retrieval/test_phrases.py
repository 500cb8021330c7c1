"""Which phrases of a text are shown."""

from __future__ import annotations

import pytest
from vouch_sidecar.retrieval.evidence.text_kinds import phrases_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("what of “own clock” or `queue_size`?", ["own clock", "queue_size", "queue_size"]),
        ("die „eigene Uhr“ gilt", ["eigene Uhr"]),
        ("don't trust the dogs' clock", []),
    ],
)
def test_what_is_quoted_and_identifiers_are_phrases(text: str, found: list[str]) -> None:
    assert phrases_in(text, ()) == found
