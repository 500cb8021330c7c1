"""Whom to ask about an entity: people by the claims they share with it, and its owners.

Only claims and relations count. Nothing is read out of texts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from vouch_sidecar.index.content import needles
from vouch_sidecar.kb.records import Entity
from vouch_sidecar.retrieval.matching import Match
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.retrieval.weights import WEIGHTS

__all__ = ["PERSON", "ROLES", "ToAsk", "people"]

PERSON = "person"
BY_CLAIMS = 3
"""People named for their claims, at most."""
OF_A_TEAM = 2
"""People named for each team that owns an entity, at most."""
ROLES = {
    "owned_by": "owned by",
    "owns": "owned by",
    "maintained_by": "maintained by",
    "maintains": "maintained by",
    "led_by": "led by",
    "leads": "led by",
    "member_of": "with",
}
"""Labels of relations that say whom to ask, and how each reads from the entity to them."""
_FROM_THE_ENTITY = frozenset({"owned_by", "maintained_by", "led_by"})


@dataclass(frozen=True, slots=True)
class ToAsk:
    """Somebody to ask about an entity, and why.

    `claim_count` is the number of live, visible claims that count for both. `relation` is the label
    of the relation between them. A person found through a team has it in `via`, and the claims
    shared with that team.
    """

    entity: Entity
    claim_count: int
    relation: str | None = None
    via: Entity | None = None


def people(view: View, entity: Entity, now: float) -> list[ToAsk]:
    """Whom to ask about an entity, each once: people by claims, the strongest first, then owners,
    then people of the teams among these. Nobody for a person, who is the one to ask.
    """
    if entity.type == PERSON:
        return []
    near = _near(view, entity, now)
    found = {row.entity.id: row for row in near}
    for team in (row.entity for row in near if row.entity.type != PERSON):
        theirs = [row for row in _near(view, team, now) if row.entity.type == PERSON]
        for row in theirs[:OF_A_TEAM]:
            found.setdefault(row.entity.id, replace(row, relation=None, via=team))
    found.pop(entity.id, None)
    return list(found.values())


def _near(view: View, entity: Entity, now: float) -> list[ToAsk]:
    """People by the claims they share with an entity, then whom its relations name."""
    counts, related = _by_claims(view, entity, now), _related(view, entity)
    there = {one: found for one in {*counts, *related} if (found := view.entity(one)) is not None}
    people = [one for one in counts if one in there and there[one].type == PERSON]
    unrelated = [one for one in people if one not in related]
    return [
        *(ToAsk(there[one], counts[one]) for one in unrelated[:BY_CLAIMS]),
        *(ToAsk(there[one], counts.get(one, 0), related[one]) for one in related if one in there),
    ]


def _by_claims(view: View, entity: Entity, now: float) -> dict[str, int]:
    """Other entities with the number of claims they share with one, by weight `evidence`."""
    words = tuple(needles(entity.name))
    held, weights = (words,) if words else (), dict.fromkeys(words, 1.0)
    match = Match(view, frozenset({entity.id}), held, weights, view.search.about([entity.id]))
    tallies = WEIGHTS["evidence"](match, now).tallies()
    order = sorted(tallies, key=lambda one: (-tallies[one].score, one))
    return {one: tallies[one].claim_count for one in order if one != entity.id}


def _related(view: View, entity: Entity) -> dict[str, str]:
    """Whom the relations of an entity name, with the label; the labels in the order of `ROLES`."""
    found: dict[str, str] = {}
    relations = [one for one in view.relations_of(entity.id) if one.relation in ROLES]
    for label in ROLES:
        for one in relations:
            ends = one.source, one.target
            mine, other = ends if label in _FROM_THE_ENTITY else ends[::-1]
            if one.relation == label and mine == entity.id != other:
                found.setdefault(other, label)
    return found
