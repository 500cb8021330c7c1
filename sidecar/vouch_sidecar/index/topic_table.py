"""Topics as one viewer sees them. A topic is a name that claims and pages without a declared entity
share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property
from typing import NamedTuple

from vouch_sidecar.kb.records import Entity, Key, Kind
from vouch_sidecar.names.matcher import Mention, Names, mark_nested
from vouch_sidecar.names.name_forms import FormKind, spelling

TOPIC = "topic"
"""The type of every topic."""


def topic_id(slug: str) -> str:
    """The id of a topic."""
    return f"{TOPIC}:{slug}"


class Topic(NamedTuple):
    """A name that nobody declared. `why` says for people where the name was found; `claims` and
    `pages` are ids.
    """

    entity: Entity
    why: str
    claims: frozenset[str]
    pages: frozenset[str] = frozenset()


class VisibleTopics:
    """The topics that a viewer may see. Any thread may use it."""

    def __init__(self, topics: Iterable[Topic] = (), names: Names | None = None) -> None:
        """`names` are those of the topics, and perhaps of others."""
        self._by_id = {topic.entity.id: topic for topic in topics}
        self._names = names or Names(topic.entity for topic in self._by_id.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VisibleTopics) and self._by_id == other._by_id

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Topic]:
        return iter(self._by_id.values())

    def get(self, topic_id: str) -> Topic | None:
        return self._by_id.get(topic_id)

    def without(self, changed: Set[Key], never: Set[str] = frozenset()) -> VisibleTopics:
        """These topics without those that depend on a claim or a page which `changed`, and those
        with a name, folded, in `never`.
        """
        if not changed and not never:
            return self
        claims = {artifact_id for kind, artifact_id in changed if kind is Kind.CLAIM}
        pages = {artifact_id for kind, artifact_id in changed if kind is Kind.PAGE}
        left = (
            topic
            for topic in self
            if topic.claims.isdisjoint(claims)
            and topic.pages.isdisjoint(pages)
            and not (never and spelling(topic.entity.name) in never)
        )
        return VisibleTopics(left, self._names)

    @cached_property
    def of_claim(self) -> Mapping[str, tuple[str, ...]]:
        """By the id of a claim, the ids of the topics that it is linked to, sorted."""
        topic_ids: defaultdict[str, list[str]] = defaultdict(list)
        for topic_id, topic in self._by_id.items():
            for claim_id in topic.claims:
                topic_ids[claim_id].append(topic_id)
        return {claim_id: tuple(sorted(ids)) for claim_id, ids in topic_ids.items()}

    def find(self, text: str) -> list[Mention]:
        """The mentions of topics in a text, by position, without those inside a longer one. A topic
        named twice in a row has two mentions.
        """
        if not self._by_id:
            return []
        mentions = [
            mention._replace(form=FormKind.DERIVED, ambiguous=False)
            for mention in self._names.find(text)
            if mention.entity_id in self._by_id
        ]
        return [mention for mention in mark_nested(mentions) if not mention.nested]

    def exactly(self, text: str) -> list[str]:
        """Ids of the topics that have the whole text, folded, as their name; sorted."""
        return self._existing(self._names.exactly(text))

    def containing(self, text: str) -> list[str]:
        """Ids of the topics whose name contains the text; sorted."""
        return self._existing(self._names.containing(text))

    def _existing(self, ids: Iterable[str]) -> list[str]:
        return sorted(self._by_id.keys() & set(ids))
