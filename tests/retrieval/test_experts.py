"""The weight `evidence`: what ranks first, and that `explain` can be checked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vouch_sidecar.kb.records import Claim, Entity
from vouch_sidecar.retrieval.people.experts import Expert, Question, rank
from vouch_sidecar.retrieval.people.topic_matches import matching
from vouch_sidecar.retrieval.people.weights import WEIGHTS
from vouch_sidecar.retrieval.view import Deadline, View

from tests.retrieval.samples import claim, entity, view
from tests.text.lines_run import lines_run

NOW = 1_800_000_000.0
PEOPLE = [entity(i, f"{i.title()} Quince", type="person") for i in ("ada", "bo", "cy")]


def kb(*claims: Claim) -> View:
    artifacts: list[Entity | Claim] = [*PEOPLE, *claims]
    return view(*artifacts)


def ranked(where: View, topic: str, weight: str = "evidence") -> list[Expert]:
    return rank(matching([where], Question(topic, NOW, weight=weight)))


def ids(rows: list[Expert]) -> list[str]:
    return [row.entity.id for row in rows]


def by(who: str, *texts: str) -> list[Claim]:
    return [claim(f"{who}{n}", text, entities=(who,)) for n, text in enumerate(texts)]


@pytest.mark.parametrize("weight", ["count", "citation", "evidence"])
def test_time_that_is_up_changes_no_count(weight: str) -> None:
    late = replace(kb(*by("ada", "The codec fails.", "A codec.")), deadline=Deadline(0.0))
    assert [row.claim_count for row in ranked(late, "codec", weight)] == [2]


def test_of_a_long_claim_its_beginning_alone_is_weighed() -> None:
    def cost(words: int) -> int:
        where = kb(*by("ada", "- Codec of" + " the tide" * words))
        (row,) = ranked(where, "codec")
        assert row.contributions[0].factors["lead"] == 2.0
        return lines_run(lambda: WEIGHTS["evidence"].factors(row.contributions[0].matched, NOW))

    assert cost(20) == cost(1)


def test_a_claim_that_begins_with_the_topic_counts_twice() -> None:
    where = kb(*by("ada", "Fixed the codec."), *by("bo", "- “Codecs: fixed."))
    assert ids(ranked(where, "codec")) == ["bo", "ada"]
    assert ids(ranked(where, "codec", "count")) == ["ada", "bo"]


def test_what_is_said_twice_counts_once() -> None:
    where = kb(*by("ada", "The codec is slow.", "the  codec is slow."), *by("bo", "Codec: slow."))
    assert ids(ranked(where, "codec", "count")) == ["ada", "bo"]
    first, second = ranked(where, "codec")
    assert (first.entity.id, second.entity.id) == ("bo", "ada")
    assert [c.amount for c in second.contributions][1:] == [0.0]
    assert second.claim_count == 2


def test_who_is_in_everything_does_not_win_every_topic() -> None:
    busy = by("ada", "The codec fails.", *(f"Wrote part {n} of it." for n in range(30)))
    where = kb(*busy, *by("bo", "The codec works."))
    assert ids(ranked(where, "codec", "count")) == ["ada", "bo"]
    assert ids(ranked(where, "codec")) == ["bo", "ada"]
