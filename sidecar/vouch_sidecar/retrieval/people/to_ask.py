"""Whom to ask about an entity, a claim or a topic: people who share claims with it, then those whom
its relations name, then people of the teams among these.

Only claims and relations count, and in blocks owners of code and authors of commits where these may
be named. Names of people in texts do not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from vouch_sidecar.kb.records import Claim, Entity, Kind
from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.names.matcher import MANY_SHARE
from vouch_sidecar.retrieval.constants import FEW, MANY
from vouch_sidecar.retrieval.people.experts import Expert, rank
from vouch_sidecar.retrieval.people.of_files import about_entity, authors, with_owners
from vouch_sidecar.retrieval.people.rows import PersonToAsk
from vouch_sidecar.retrieval.people.topic_matches import Match, TopicMatches, matching
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.content_words import terms
from vouch_sidecar.text.english_words import COMMON, VERY_COMMON, tier
from vouch_sidecar.text.prompt_text import BEST, WHOM

PERSON = "person"
OF_A_TEAM = 2
"""People named for each team that owns an entity, at most."""
ROLES = {
    "owned_by": "owner",
    "owns": "owner",
    "maintained_by": "maintainer",
    "maintains": "maintainer",
    "led_by": "lead",
    "leads": "lead",
    "member_of": "of the same team",
}
"""Labels of relations that say whom to ask, and what each makes somebody: who stands at its end, if
the label ends in `by`, else who stands at its beginning.
"""
OF_A_TOPIC = 2
"""People named for a topic, at most."""
WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
"""Asks about a person or a team in any way."""
_TOPIC = re.compile(r"\s*(?:(?:about|for|of|on|regarding|with)\s)?([^?!;\n]*)", re.IGNORECASE)
"""What may follow the words that ask for somebody."""


def told_in_blocks(view: View, entity: Entity, text: str) -> str:
    """Whom to ask about an entity as a phrase, where a text asks that; else nothing. A model reads
    it.
    """
    if WHOM.search(text) is None:
        return ""
    view = replace(view, is_model=True)
    about = [about_entity(view, entity)]
    told = [f"{row.name} ({row.said})" for row in with_owners(people(view, entity), about)]
    told += [f"{author.name} ({count(author.commits, 'commit')})" for author in authors(about)]
    return ", ".join(told)


def people_on(views: Sequence[View], text: str) -> tuple[str, list[Expert]]:
    """The topic on which a text asks for somebody, and the people with most evidence on it: claims
    must hold all of its words. A common word alone is no topic.
    """
    asking = WHOM.search(text)
    behind = _TOPIC.match(text, asking.end()) if asking is not None else None
    topic = BEST.sub("", behind[1]).strip(" .") if behind is not None else ""
    words = terms(topic)
    is_common = len(words) == 1 and tier(fold(words[0].word)) in (VERY_COMMON, COMMON)
    if is_common or not any(view.search.holds(words, Kind.CLAIM) for view in views):
        return topic, []
    return topic, rank(matching(views, topic), "evidence", OF_A_TOPIC, types={PERSON})


def people(view: View, *entities: Entity) -> list[PersonToAsk]:
    """Whom to ask about some entities, each once. A person is asked directly."""
    rows: dict[str | None, PersonToAsk] = {}
    for entity in entities:
        near = [] if entity.type == PERSON else [*_near(view, entity.id)]
        members = (_members(view, row) for row in near if row.type != PERSON)
        for row in chain(near, *members):
            rows.setdefault(row.entity_id, row)
    return list(rows.values())


def _members(view: View, team: PersonToAsk) -> Iterator[PersonToAsk]:
    """The people of a team that owns something; their claims are those shared with the team."""
    near = (row for row in _near(view, team.entity_id or "") if row.type == PERSON)
    for row in islice(near, OF_A_TEAM):
        claims = [count(row.claim_count, "claim")] if row.claim_count else []
        said = ", ".join([f"via {team.name}", *claims])
        yield replace(row, via=team.entity_id, relation=None, said=said)


def _person(view: View, who: Entity, claims: int, relation: str | None = None) -> PersonToAsk:
    said = [ROLES[relation]] if relation is not None else []
    said += [count(claims, "claim")] if claims else []
    why = claims, relation, ", ".join(said)
    return PersonToAsk(who.id, who.name, who.type, None, *why, view.shown_collection)


def people_of_claim(view: View, claim: Claim) -> list[PersonToAsk]:
    """Whom to ask about a claim, each once: the people that it counts for, then those to ask about
    the first of its other entities.
    """
    ids, _ = view.knowledge.links(claim.id)
    linked = [entity for entity in map(view.visible.entity, ids) if entity is not None]
    own = [_person(view, e, view.search.claim_count(e.id)) for e in linked if e.type == PERSON]
    others = [entity for entity in linked if entity.type != PERSON][:FEW]
    return list({row.entity_id: row for row in (*own, *people(view, *others))}.values())


def people_on_topic(matches: TopicMatches) -> list[PersonToAsk]:
    """Whom to ask about the entities that a topic names, in the order of the topic, each once for
    each view; then the owners of its files.
    """
    every = [people(match.view, *_named_by(match)) for match in matches.in_views]
    return with_owners(chain.from_iterable(every), matches.subjects)


def _named_by(match: Match) -> list[Entity]:
    """The entities that a topic names, in order; else the few of whose names it is a part."""
    whole = [mention for mention in match.mentions if not mention.nested]
    ids = [mention.entity_id for mention in sorted(whole, key=lambda mention: mention.start)]
    if not ids and len(match.parts) <= MANY_SHARE:
        ids = list(match.parts)
    entities = map(match.view.visible.entity, dict.fromkeys(ids))
    return [entity for entity in entities if entity is not None][:MANY]


def _near(view: View, entity_id: str) -> Iterator[PersonToAsk]:
    """People who share claims with an entity, then whom its relations name, in the order of
    `ROLES`.
    """
    ids = view.search.ids(view.search.claims_of([entity_id]))
    shared = Counter(e for claim_id in ids for e in view.knowledge.links(claim_id)[0])
    relations, responsible = [*view.visible.relations_of(entity_id)], dict[str, str]()
    for label in ROLES:
        for relation in (each for each in relations if each.relation == label):
            mine, other = relation.source, relation.target
            if not label.endswith("_by"):
                mine, other = other, mine
            if mine == entity_id != other:
                responsible.setdefault(other, label)
    beside = sorted(shared.keys() - responsible.keys(), key=lambda each: (-shared[each], each))
    persons = (who for who in map(view.visible.entity, beside) if who and who.type == PERSON)
    for who in islice(persons, FEW):
        yield _person(view, who, shared[who.id])
    for other, label in responsible.items():
        if (whom := view.visible.entity(other)) is not None:
            yield _person(view, whom, shared[other], label)
