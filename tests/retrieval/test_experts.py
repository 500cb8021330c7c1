"""The weight `evidence`: what ranks first, and that nothing of it depends on time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vouch_sidecar.retrieval.people.experts import Expert, rank
from vouch_sidecar.retrieval.people.topic_matches import matching
from vouch_sidecar.retrieval.view import Deadline

from tests.retrieval.samples import claim, entity, view

PEOPLE = [entity(i, f"{i.title()} Quince", type="person") for i in ("ada", "bo")]


def ranked(weight: str, **said: list[str]) -> list[Expert]:
    """The experts on codecs, where each has said something, and no time is left."""
    claims = [
        claim(f"{who}{n}", text, entities=(who,))
        for who, texts in said.items()
        for n, text in enumerate(texts)
    ]
    late = replace(view(*PEOPLE, *claims), deadline=Deadline(0.0))
    return rank(matching([late], "codec"), weight)


@pytest.mark.parametrize(
    ("ada", "bo", "amounts"),
    [
        (["Fixed the codec."], "- “Codecs: fixed.", [1]),  # begins with the topic
        (["The codec is slow.", "the  codec is slow."], "Codec: slow.", [1, 0]),  # said twice
    ],
)
def test_evidence_ranks_otherwise_than_count(ada: list[str], bo: str, amounts: list[float]) -> None:
    both = {"ada": ada, "bo": [bo]}
    assert [row.entity.id for row in ranked("count", **both)] == ["ada", "bo"]
    first, second = ranked("evidence", **both)
    assert (first.entity.id, second.entity.id) == ("bo", "ada")
    assert second.claim_count == len(ada)
    confidence = second.contributions[0].amount
    assert [each.amount / confidence for each in second.contributions] == amounts
