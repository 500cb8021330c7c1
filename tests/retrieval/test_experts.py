"""The weight `evidence`: what ranks first, and that `explain` can be checked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vouch_sidecar.kb.records import Claim, Entity
from vouch_sidecar.retrieval.people.experts import Expert, rank
from vouch_sidecar.retrieval.people.topic_matches import matching
from vouch_sidecar.retrieval.view import Deadline, View

from tests.retrieval.samples import claim, entity, view

PEOPLE = [entity(i, f"{i.title()} Quince", type="person") for i in ("ada", "bo", "cy")]


def kb(*claims: Claim) -> View:
    artifacts: list[Entity | Claim] = [*PEOPLE, *claims]
    return view(*artifacts)


def ranked(where: View, topic: str, weight: str = "evidence") -> list[Expert]:
    return rank(matching([where], topic), weight)


def ids(rows: list[Expert]) -> list[str]:
    return [row.entity.id for row in rows]


def by(who: str, *texts: str) -> list[Claim]:
    return [claim(f"{who}{n}", text, entities=(who,)) for n, text in enumerate(texts)]


@pytest.mark.parametrize("weight", ["count", "citation", "evidence"])
def test_time_that_is_up_changes_no_count(weight: str) -> None:
    late = replace(kb(*by("ada", "The codec fails.", "A codec.")), deadline=Deadline(0.0))
    assert [row.claim_count for row in ranked(late, "codec", weight)] == [2]


@pytest.mark.parametrize(
    ("ada", "bo"),
    [
        (["Fixed the codec."], "- “Codecs: fixed."),  # begins with the topic
        (["The codec is slow.", "the  codec is slow."], "Codec: slow."),  # said twice
    ],
)
def test_evidence_ranks_otherwise_than_count(ada: list[str], bo: str) -> None:
    where = kb(*by("ada", *ada), *by("bo", bo))
    assert ids(ranked(where, "codec", "count")) == ["ada", "bo"]
    first, second = ranked(where, "codec")
    assert (first.entity.id, second.entity.id) == ("bo", "ada")
    if second.claim_count == 2:
        assert [contribution.amount for contribution in second.contributions][1:] == [0.0]
