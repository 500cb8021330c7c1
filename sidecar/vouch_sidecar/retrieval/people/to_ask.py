"""Whom to ask about an entity, a claim or a topic: people who share claims with it, then those whom
its relations name, then people of the teams among these.

Only claims and relations count, and in blocks owners of code and authors of commits where these may
be named. Names of people in texts do not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from vouch_sidecar.kb.records import Claim, Entity, Kind
from vouch_sidecar.kb.sanitize import count
from vouch_sidecar.retrieval.constants import MANY
from vouch_sidecar.retrieval.evidence.text_kinds import is_common_word
from vouch_sidecar.retrieval.people.experts import Expert, rank
from vouch_sidecar.retrieval.people.of_files import about_entity, authors, owners
from vouch_sidecar.retrieval.people.topic_matches import Match, Question, TopicMatches, matching
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.content_words import terms
from vouch_sidecar.text.prompt_text import BEST, WHOM

PERSON = "person"
BY_CLAIMS = 3
"""People named for their claims, at most."""
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
"""Labels of relations that say whom to ask, and what each makes somebody."""
_FROM_THE_ENTITY = frozenset({"owned_by", "maintained_by", "led_by"})
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


class PersonToAsk(NamedTuple):
    """Somebody to ask about an entity, and why.

    `claim_count` is the number of live, visible claims that count for both. `relation` is the label
    of the relation between them. A person found through a team has it in `via`, and the claims
    shared with that team.
    """

    entity: Entity
    claim_count: int
    relation: str | None = None
    via: Entity | None = None

    @property
    def said(self) -> str:
        """Why to ask them, for people: `owner, 4 claims`."""
        role = ROLES[self.relation] if self.relation is not None else ""
        team = f"via {self.via.name}" if self.via is not None else ""
        shared = count(self.claim_count, "claim") if self.claim_count else ""
        return ", ".join(filter(None, (role, team, shared)))


def asks_who(text: str) -> bool:
    """Whether a text asks about a person or a team in any way."""
    return _WHO.search(text) is not None


def told_in_blocks(view: View, entity: Entity, text: str) -> str:
    """Whom to ask about an entity as a phrase, where a text asks that; else nothing."""
    if WHOM.search(text) is None:
        return ""
    about = [about_entity(view, entity)]
    told = [", ".join(f"{row.entity.name} ({row.said})" for row in people(view, entity))]
    if handles := [owner.handle for _, owner in owners(about, in_block=True)]:
        told.append(f"code owner{'s' * (len(handles) > 1)} {', '.join(handles)}")
    if view.people_told.in_blocks and (names := [author.name for author in authors(about)]):
        told.append(f"by commits: {', '.join(names)}")
    return "; ".join(filter(None, told))


def people_on(views: Sequence[View], text: str) -> tuple[str, list[Expert]]:
    """The topic on which a text asks for somebody, and the people with most evidence on it: claims
    must hold all of its words. A common word alone is no topic.
    """
    asking = WHOM.search(text)
    behind = _TOPIC.match(text, asking.end()) if asking is not None else None
    topic = BEST.sub("", behind[1]).strip(" .") if behind is not None else ""
    words = terms(topic)
    if is_common_word(words) or not any(view.search.holds(words, Kind.CLAIM) for view in views):
        return topic, []
    question = Question(topic, _NEVER, "evidence", limit=OF_A_TOPIC, types=frozenset({PERSON}))
    return topic, rank(matching(views, question))


def people(view: View, *entities: Entity) -> list[PersonToAsk]:
    """Whom to ask about some entities, each once. A person is asked directly."""
    rows: dict[str, PersonToAsk] = {}
    for entity in entities:
        near = [] if entity.type == PERSON else _near(view, entity)
        for team in [row.entity for row in near if row.entity.type != PERSON]:
            theirs = [row for row in _near(view, team) if row.entity.type == PERSON]
            near += [row._replace(relation=None, via=team) for row in theirs[:OF_A_TEAM]]
        for row in near:
            if row.entity != entity:
                rows.setdefault(row.entity.id, row)
    return list(rows.values())


def people_of_claim(view: View, claim: Claim) -> list[PersonToAsk]:
    """Whom to ask about a claim, each once: the people that it counts for, then those to ask about
    the first of its other entities.
    """
    ids, _ = view.knowledge.links(claim.id)
    linked = [entity for entity in map(view.visible.entity, ids) if entity is not None]
    own = [PersonToAsk(e, view.search.claim_count(e.id)) for e in linked if e.type == PERSON]
    others = [entity for entity in linked if entity.type != PERSON][:ENTITIES_OF_CLAIMS]
    known = {row.entity.id for row in own}
    return own + [row for row in people(view, *others) if row.entity.id not in known]


def people_on_topic(matches: TopicMatches) -> list[tuple[View, PersonToAsk]]:
    """Whom to ask about the entities that a topic names, in the order of the topic, each once for
    each view.
    """
    return [
        (match.view, row)
        for match in matches.in_views
        for row in people(match.view, *_named_by(match))
    ]


def _named_by(match: Match) -> list[Entity]:
    """The entities that a topic names, in order; else the few of whose names it is a part."""
    whole = [mention for mention in match.mentions if not mention.nested]
    ids = [mention.entity_id for mention in sorted(whole, key=lambda mention: mention.start)]
    if not ids and len(match.parts) <= MAX_ALIKE:
        ids = list(match.parts)
    entities = map(match.view.visible.entity, dict.fromkeys(ids))
    return [entity for entity in entities if entity is not None][:MANY]


def _near(view: View, entity: Entity) -> list[PersonToAsk]:
    """People who share claims with an entity, then those whom its relations name, each once, in the
    order of `ROLES`.
    """
    ids = view.search.ids(view.search.claims_of([entity.id]))
    shared = Counter(e for claim_id in ids for e in view.knowledge.links(claim_id)[0])
    responsible: dict[str, PersonToAsk] = {}
    relations = [each for each in view.visible.relations_of(entity.id) if each.relation in ROLES]
    for relation in sorted(relations, key=lambda each: list(ROLES).index(each.relation)):
        mine, other_id = relation.source, relation.target
        if relation.relation not in _FROM_THE_ENTITY:
            mine, other_id = other_id, mine
        other = view.visible.entity(other_id)
        if mine == entity.id != other_id and other is not None:
            row = PersonToAsk(other, shared[other_id], relation.relation)
            responsible.setdefault(other_id, row)
    others = map(view.visible.entity, shared.keys() - {entity.id, *responsible})
    rows = [PersonToAsk(e, shared[e.id]) for e in others if e and e.type == PERSON]
    rows.sort(key=lambda row: (-row.claim_count, row.entity.id))
    return [*rows[:BY_CLAIMS], *responsible.values()]
