"""Whom to ask: about an entity, the people who share claims with it, and its owners; about a topic,
the people with most evidence on it.

Only claims, relations and, if blocks may name authors, commits count. Names of people in texts do
not. Also tells whether a text asks for somebody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vouch_sidecar.index.query import all_of
from vouch_sidecar.kb.records import Claim, Entity, Kind
from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.retrieval.constants import MAX_CONSIDERED, MAX_NAMED
from vouch_sidecar.retrieval.evidence.text_kinds import is_common_word
from vouch_sidecar.retrieval.files.file_ties import tied_to_paths
from vouch_sidecar.retrieval.people.authors import authors_on, told_by_commits
from vouch_sidecar.retrieval.people.experts import Expert, rank
from vouch_sidecar.retrieval.people.owners import owners_on, told_owners
from vouch_sidecar.retrieval.people.topic_matches import Match, Question, TopicMatches, matching
from vouch_sidecar.retrieval.view import View, claim_in
from vouch_sidecar.text.content_words import terms
from vouch_sidecar.text.prompt_text import BEST, WHOM

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
ENTITIES_OF_CLAIMS = 3
"""Entities of claims about which people are looked for, at most."""
OF_A_TOPIC = 2
"""People named for a topic, at most."""
_NEVER = 0.0
"""The time of a question that is weighed by evidence, which does not age."""
_WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_TOPIC = re.compile(r"\s*(?:(?:about|for|of|on|regarding|with)\s)?([^?!;\n]*)", re.IGNORECASE)
"""What may follow the words that ask for somebody."""
_FROM_THE_ENTITY = frozenset({"owned_by", "maintained_by", "led_by"})


@dataclass(frozen=True, slots=True)
class PersonToAsk:
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
    """Whether a text asks about a person or a team in any way."""
    return _WHO.search(text) is not None


def people_text(rows: Sequence[PersonToAsk]) -> str:
    """The people to ask as a phrase: `Mei Tanaka (4 claims), owned by Dispatch`."""
    return ", ".join(map(_person_text, rows))


def _person_text(row: PersonToAsk) -> str:
    if row.relation is not None:
        return f"{ROLES[row.relation]} {row.entity.name}"
    if row.via is not None:
        return f"{row.entity.name} ({row.via.name})"
    return f"{row.entity.name} ({count(row.claim_count, 'claim')})"


def people_on(views: Sequence[View], text: str) -> tuple[str, list[Expert]]:
    """The topic on which a text asks for somebody, and the people with most evidence on it: claims
    must hold all of its words. A common word alone is no topic.
    """
    topic = _topic_of(views, text)
    if not topic:
        return topic, []
    question = Question(topic, _NEVER, "evidence", limit=OF_A_TOPIC, types=frozenset({PERSON}))
    return topic, rank(matching(views, question))


def committed_on(views: Sequence[View], text: str) -> tuple[View, Claim, str] | None:
    """If a text asks for somebody on a topic: the best claim on it, and a phrase that names the
    owners of its files and who committed to them. None if nobody may be named in a block.
    """
    telling = [view for view in views if view.workspace.code_owners.rules or view.workspace.history]
    topic = _topic_of(telling, text) if telling else ""
    if not topic:
        return None
    matches = matching(telling, Question(topic, _NEVER)).in_views
    owners = told_owners([owner for _, owner in owners_on(matches, in_block=True)])
    authors = told_by_commits(
        authors_on([match for match in matches if match.view.people_told.in_blocks])
    )
    best = (claim for match in matches for claim in _best_sayable(match))
    claim, said = next(best, None), "; ".join(filter(None, [owners, authors]))
    return (*claim, said) if claim is not None and said else None


def _best_sayable(match: Match) -> Iterator[tuple[View, Claim]]:
    """The best claim that matches a topic and says something by itself."""
    view, snapshot = match.view, match.view.knowledge.snapshot
    for hit in snapshot.search(match.query, MAX_CONSIDERED, by="worth"):
        claim = claim_in(view, snapshot.document(hit))
        if view.texts.is_sayable(claim):
            yield view, claim
            return


def _topic_of(views: Sequence[View], text: str) -> str:
    """The topic on which a text asks for somebody, where claims hold all of its words or are tied
    to a file that it names; else "". A common word by itself is no topic.
    """
    asking = WHOM.search(text)
    behind = _TOPIC.match(text, asking.end()) if asking is not None else None
    topic = BEST.sub("", behind[1]).strip(" .") if behind is not None else ""
    words = terms(topic)
    held = not is_common_word(words) and any(
        view.search.holds(words, Kind.CLAIM)
        or tied_to_paths(view, (path for _, _, path in view.workspace.files_in(topic)))
        for view in views
    )
    return topic if held else ""


def people(view: View, entity: Entity) -> list[PersonToAsk]:
    """Whom to ask about an entity, each once: people who share claims with it, strongest first,
    then its owners, then people of the teams among these. Empty for a person, whom one asks
    directly.
    """
    if entity.type == PERSON:
        return []
    near = _sharing_claims(view, entity)
    rows = {row.entity.id: row for row in near}
    for team in (row.entity for row in near if row.entity.type != PERSON):
        theirs = [row for row in _sharing_claims(view, team) if row.entity.type == PERSON]
        for row in theirs[:OF_A_TEAM]:
            rows.setdefault(row.entity.id, replace(row, relation=None, via=team))
    rows.pop(entity.id, None)
    return list(rows.values())


def people_of_claim(view: View, claim: Claim) -> list[PersonToAsk]:
    """Whom to ask about a claim, each once: the people that it counts for, then those to ask about
    the first of its other entities.
    """
    ids, _ = view.knowledge.links(claim.id)
    linked = [entity for entity in map(view.visible.entity, ids) if entity is not None]
    rows = {
        entity.id: PersonToAsk(entity, view.counts.claims_of(entity.id))
        for entity in linked
        if entity.type == PERSON
    }
    for entity in [entity for entity in linked if entity.type != PERSON][:ENTITIES_OF_CLAIMS]:
        for row in people(view, entity):
            rows.setdefault(row.entity.id, row)
    return list(rows.values())


def people_on_topic(matches: TopicMatches) -> list[tuple[View, PersonToAsk]]:
    """Whom to ask about the entities that a topic names, in the order of the topic, each once for
    each view.
    """
    out: list[tuple[View, PersonToAsk]] = []
    for match in matches.in_views:
        rows: dict[str, PersonToAsk] = {}
        for entity in _named_by(match):
            for row in people(match.view, entity):
                rows.setdefault(row.entity.id, row)
        out += [(match.view, row) for row in rows.values()]
    return out


def _named_by(match: Match) -> list[Entity]:
    """The entities that a topic names, in order; else the few of whose names it is a part."""
    whole = [mention for mention in match.mentions if not mention.nested]
    ids = [mention.entity_id for mention in sorted(whole, key=lambda mention: mention.start)]
    if not ids and len(match.parts) <= MAX_ALIKE:
        ids = list(match.parts)
    entities = (match.view.visible.entity(entity_id) for entity_id in dict.fromkeys(ids))
    return [entity for entity in entities if entity is not None][:MAX_NAMED]


def _sharing_claims(view: View, entity: Entity) -> list[PersonToAsk]:
    """People who share claims with an entity, then those that its relations name."""

    def find() -> list[PersonToAsk]:
        responsible = _responsible(view, entity)
        left_out = {entity.id, *(row.entity.id for row in responsible)}
        shared = view.search.sums_by_entity(view.search.claims_of([entity.id]))
        others = map(view.visible.entity, shared.keys() - left_out)
        people = [person for person in others if person is not None and person.type == PERSON]
        people.sort(key=lambda person: (-shared[person.id].number, person.id))
        best = people[:BY_CLAIMS]
        return [*(PersonToAsk(person, shared[person.id].number) for person in best), *responsible]

    return view.cached("people near", entity.id, find)


def _responsible(view: View, entity: Entity) -> list[PersonToAsk]:
    """Those whom an entity's relations name."""
    rows, about, snapshot = list[PersonToAsk](), view.search.claims_of, view.knowledge.snapshot
    for entity_id, label in _related(view, entity).items():
        if (other := view.visible.entity(entity_id)) is not None:
            shared = snapshot.count(all_of([about([entity.id]), about([entity_id])]))
            rows.append(PersonToAsk(other, shared, label))
    return rows


def _related(view: View, entity: Entity) -> dict[str, str]:
    """The entities that an entity's relations name, with the label of the relation, in the order of
    `ROLES`.
    """
    labels: dict[str, str] = {}
    relations = [
        relation for relation in view.visible.relations_of(entity.id) if relation.relation in ROLES
    ]
    for label in ROLES:
        for relation in relations:
            ends = relation.source, relation.target
            mine, other = ends if label in _FROM_THE_ENTITY else ends[::-1]
            if relation.relation == label and mine == entity.id != other:
                labels.setdefault(other, label)
    return labels
