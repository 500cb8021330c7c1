"""Whom to ask: about an entity, people by the claims they share with it, and its owners; about a
topic, those who carry most evidence on it. And whether a text wants to know.

Only claims, relations and, where blocks may tell, commits count: who is to be asked is not read
out of texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vouch_sidecar.index.content_words import terms
from vouch_sidecar.index.english_words import tier
from vouch_sidecar.index.text import fold
from vouch_sidecar.kb.records import Claim, Entity, Kind
from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.retrieval.authors import authors_on, told_by_commits
from vouch_sidecar.retrieval.constants import MAX_CONSIDERED, MAX_NAMED
from vouch_sidecar.retrieval.experts import Expert, rank
from vouch_sidecar.retrieval.owners import owners_on, told_owners
from vouch_sidecar.retrieval.prompt_text import BEST, WHOM
from vouch_sidecar.retrieval.topic_matches import Match, Question, matching
from vouch_sidecar.retrieval.view import View, claim_in
from vouch_sidecar.retrieval.weights import WEIGHTS

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
MAX_ALIKE = 5
"""Entities of whose names a topic may be a part to mean them all."""
ENTITIES_OF_A_CLAIM = 3
"""Entities of a claim about which people are looked for, at most."""
OF_A_TOPIC = 2
"""People named for a topic, at most."""
_NEVER = 0.0
"""The time of a question that is weighed by evidence, which does not age."""
_WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_TOPIC = re.compile(r"\s*(?:(?:about|for|of|on|regarding|with)\s)?([^?!;\n]*)", re.IGNORECASE)
"""What may follow the words that ask for somebody."""
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


def asks_who(text: str) -> bool:
    """Whether a text asks about somebody, in any words."""
    return _WHO.search(text) is not None


def asks_whom(text: str) -> bool:
    """Whether a text asks for somebody: “who owns Relay”, “whom do I ask about the labels?”."""
    return WHOM.search(text) is not None


def told(rows: Sequence[ToAsk]) -> str:
    """The people to ask, in words: `Mei Tanaka (4 claims), owned by Dispatch`."""
    return ", ".join(map(_told, rows))


def _told(row: ToAsk) -> str:
    if row.relation is not None:
        return f"{ROLES[row.relation]} {row.entity.name}"
    if row.via is not None:
        return f"{row.entity.name} ({row.via.name})"
    return f"{row.entity.name} ({count(row.claim_count, 'claim')})"


def people_on(views: Sequence[View], text: str) -> tuple[str, list[Expert]]:
    """The topic on which a text asks for somebody, and the people with claims that hold all of its
    words, those with most evidence first. A common word by itself is no topic.
    """
    topic = _topic_of(views, text)
    if not topic:
        return topic, []
    question = Question(topic, _NEVER, "evidence", limit=OF_A_TOPIC, types=frozenset({PERSON}))
    return topic, rank(views, question)


def committed_on(views: Sequence[View], text: str) -> tuple[View, Claim, str] | None:
    """The best claim on the topic about which a text asks for somebody, and in words who owns its
    files and who committed to them, as far as blocks may say so; None where nobody is named.
    """
    telling = [view for view in views if view.workspace.owned or view.workspace.history]
    topic = _topic_of(telling, text) if telling else ""
    if not topic:
        return None
    matches = matching(telling, Question(topic, _NEVER))
    owners = told_owners([owner for _, owner in owners_on(matches, in_block=True)])
    authors = told_by_commits(authors_on([one for one in matches if one.view.authors.in_blocks]))
    best = (claim for match in matches for claim in _first_said(match))
    claim, said = next(best, None), "; ".join(filter(None, [owners, authors]))
    return (*claim, said) if claim is not None and said else None


def _first_said(match: Match) -> Iterator[tuple[View, Claim]]:
    """The best claim that matches a topic and is said by itself."""
    view, snapshot = match.view, match.view.knowledge.snapshot
    for hit in snapshot.search(match.query, MAX_CONSIDERED, by="worth"):
        claim = claim_in(snapshot.document(hit))
        if view.sayable(claim):
            yield view, claim
            return


def _topic_of(views: Sequence[View], text: str) -> str:
    """The topic on which a text asks for somebody, where claims hold all of its words; else "". A
    common word by itself is no topic.
    """
    asking = WHOM.search(text)
    behind = _TOPIC.match(text, asking.end()) if asking is not None else None
    topic = BEST.sub("", behind[1]).strip(" .") if behind is not None else ""
    words = terms(topic)
    common = len(words) == 1 and tier(fold(words[0].word)) in (1, 2)
    held = not common and any(view.search.holds(words, Kind.CLAIM) for view in views)
    return topic if held else ""


def people(view: View, entity: Entity) -> list[ToAsk]:
    """Whom to ask about an entity, each once: people by claims, the strongest first, then owners,
    then people of the teams among these. Nobody for a person, who is the one to ask.
    """
    if entity.type == PERSON:
        return []
    near = _near(view, entity)
    found = {row.entity.id: row for row in near}
    for team in (row.entity for row in near if row.entity.type != PERSON):
        theirs = [row for row in _near(view, team) if row.entity.type == PERSON]
        for row in theirs[:OF_A_TEAM]:
            found.setdefault(row.entity.id, replace(row, relation=None, via=team))
    found.pop(entity.id, None)
    return list(found.values())


def people_of_claim(view: View, claim: Claim) -> list[ToAsk]:
    """Whom to ask about a claim, each once: the people it counts for, then those to ask about the
    first of the other entities it counts for.
    """
    ids, _ = view.knowledge.links(claim.id, view.gates)
    linked = [one for one in map(view.entity, ids) if one is not None]
    found = {one.id: ToAsk(one, view.claim_count(one.id)) for one in linked if one.type == PERSON}
    for entity in [one for one in linked if one.type != PERSON][:ENTITIES_OF_A_CLAIM]:
        for row in people(view, entity):
            found.setdefault(row.entity.id, row)
    return list(found.values())


def people_on_names(views: Sequence[View], topic: str) -> list[tuple[View, ToAsk]]:
    """Whom to ask about the entities that a topic names, in the order of the topic, each once for
    each view. Where it names none, about the few of whose names it is a part.
    """
    out: list[tuple[View, ToAsk]] = []
    for view in views:
        found: dict[str, ToAsk] = {}
        for entity in _named_by(view, topic):
            for row in people(view, entity):
                found.setdefault(row.entity.id, row)
        out += [(view, row) for row in found.values()]
    return out


def _named_by(view: View, topic: str) -> list[Entity]:
    mentions = [*view.mentions(topic), *view.derived_in(topic)]
    whole = [one for one in mentions if not one.nested]
    ids = [one.entity_id for one in sorted(whole, key=lambda one: one.start)]
    if not ids:
        parts = view.with_part(topic)
        ids = parts if len(parts) <= MAX_ALIKE else []
    found = (view.entity(one) for one in dict.fromkeys(ids))
    return [one for one in found if one is not None][:MAX_NAMED]


def _near(view: View, entity: Entity) -> list[ToAsk]:
    """People by the claims that they share with an entity, then those that its relations name."""
    counts, related = _by_claims(view, entity), _related(view, entity)
    there = {one: found for one in {*counts, *related} if (found := view.entity(one)) is not None}
    people = [one for one in counts if one in there and there[one].type == PERSON]
    unrelated = [one for one in people if one not in related]
    return [
        *(ToAsk(there[one], counts[one]) for one in unrelated[:BY_CLAIMS]),
        *(ToAsk(there[one], counts.get(one, 0), related[one]) for one in related if one in there),
    ]


def _by_claims(view: View, entity: Entity) -> dict[str, int]:
    """Other entities with the number of claims they share with one, by weight `evidence`."""
    words = tuple(terms(entity.name))
    held, weights = (words,) if words else (), dict.fromkeys(words, 1.0)
    match = Match(view, frozenset({entity.id}), held, weights, view.search.about([entity.id]))
    tallies = WEIGHTS["evidence"](match, _NEVER).tallies()
    order = sorted(tallies, key=lambda one: (-tallies[one].score, one))
    return {one: tallies[one].claim_count for one in order if one != entity.id}


def _related(view: View, entity: Entity) -> dict[str, str]:
    """The entities that an entity's relations name, with the label of the relation, in the order of
    `ROLES`.
    """
    found: dict[str, str] = {}
    relations = [one for one in view.relations_of(entity.id) if one.relation in ROLES]
    for label in ROLES:
        for one in relations:
            ends = one.source, one.target
            mine, other = ends if label in _FROM_THE_ENTITY else ends[::-1]
            if one.relation == label and mine == entity.id != other:
                found.setdefault(other, label)
    return found
