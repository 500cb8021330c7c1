"""Topics as one viewer sees them. A topic is a name that claims and pages without a declared entity
share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from vouch_sidecar.kb.records import Entity
from vouch_sidecar.names.matcher import Names
from vouch_sidecar.names.mentions import Mention, mark_nested
from vouch_sidecar.names.name_forms import FormKind, spelling

TOPIC = "topic"
"""The type of every topic."""


def topic_id(slug: str) -> str:
    """The id of a topic."""
    return f"{TOPIC}:{slug}"


class Topic(NamedTuple):
    """A name that nobody declared. `key` is equal for names that differ only in inflection; `why`
    says for people where the name was found; `claims` and `pages` are ids.
    """

    key: str
    entity: Entity
    why: str
    claims: frozenset[str]
    pages: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Table:
    """The topics, by key, made by what everybody may see together with what one gate protects."""

    topics: Mapping[str, Topic]
    names: Names
    """The names of the topics that exist only for those who pass this gate."""


class VisibleTopics:
    """The topics that a viewer may see. Any thread may use it."""

    def __init__(self, tables: Iterable[Table] = (), never: frozenset[str] = frozenset()) -> None:
        """`never` holds names, folded, that are no topics."""
        self._tables = tuple(tables)
        by_key: dict[str, Topic] = {}
        for topic in chain.from_iterable(table.topics.values() for table in self._tables):
            before = by_key.get(topic.key)
            if before is not None:
                claims, pages = before.claims | topic.claims, before.pages | topic.pages
                topic = before._replace(claims=claims, pages=pages)
            if spelling(topic.entity.name) not in never:
                by_key[topic.key] = topic
        self._by_id: dict[str, Topic] = {}
        for topic in by_key.values():
            self._by_id.setdefault(topic.entity.id, topic)

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Topic]:
        return iter(self._by_id.values())

    def get(self, topic_id: str) -> Topic | None:
        return self._by_id.get(topic_id)

    def without_artifacts(self, claims: frozenset[str], pages: frozenset[str]) -> VisibleTopics:
        """A copy without the topics that depend on one of these claims or pages."""
        kept = VisibleTopics()
        kept._tables = self._tables
        kept._by_id = {
            entity_id: topic
            for entity_id, topic in self._by_id.items()
            if topic.claims.isdisjoint(claims) and topic.pages.isdisjoint(pages)
        }
        return kept

    def of_claim(self, claim_id: str) -> tuple[str, ...]:
        """Ids of the topics that a claim is linked to."""
        return self._by_claim.get(claim_id, ())

    @cached_property
    def _by_claim(self) -> Mapping[str, tuple[str, ...]]:
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
            for table in self._tables
            for mention in table.names.find(text)
            if mention.entity_id in self._by_id
        ]
        return [mention for mention in mark_nested(mentions) if not mention.nested]

    def exactly(self, text: str) -> list[str]:
        """Ids of the topics that have the whole text, folded, as their name; sorted."""
        return self._existing(table.names.exactly(text) for table in self._tables)

    def containing(self, text: str) -> list[str]:
        """Ids of the topics whose name contains the text; sorted."""
        return self._existing(table.names.containing(text) for table in self._tables)

    def _existing(self, ids: Iterable[Iterable[str]]) -> list[str]:
        return sorted(self._by_id.keys() & set(chain.from_iterable(ids)))


NO_VISIBLE_TOPICS = VisibleTopics()
