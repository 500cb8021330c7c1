"""The names of entities and topics that a viewer may see, and the places where a text has them."""

from __future__ import annotations

from collections.abc import Iterable

from vouch_sidecar.names.mentions import Mention
from vouch_sidecar.names.name_forms import spelling
from vouch_sidecar.retrieval.view.viewpoint import Viewpoint


class VisibleNames:
    """Finds names in texts, and the entities that a name may mean."""

    def __init__(self, at: Viewpoint) -> None:
        self._at = at

    def mentions(self, text: str) -> list[Mention]:
        """Places in a text that name a declared entity, nested ones included."""

        def find() -> list[Mention]:
            never = self._at.words.never
            mentions = self._at.knowledge.names.find(text)
            return [
                m for m in mentions if not never or spelling(text[m.start : m.end]) not in never
            ]

        return self._at.cached("mentions", text, find)

    def topic_mentions(self, text: str) -> list[Mention]:
        """Places in a text that name a topic and do not overlap with one that names a declared
        entity.
        """

        def find() -> list[Mention]:
            declared = [m for m in self.mentions(text) if not m.nested]
            return [
                mention
                for mention in self._at.derived.find(text)
                if not any(map(mention.overlaps, declared))
            ]

        return self._at.cached("derived", text, find) if self._at.derived else []

    def places_of(self, text: str, entity_ids: Iterable[str]) -> tuple[tuple[int, int], ...]:
        """Where a text names some entities or topics: start and end of each place, in order."""
        wanted = frozenset(entity_ids)
        every = [*self.mentions(text), *self.topic_mentions(text)]
        places = {(m.start, m.end) for m in every if m.entity_id in wanted}
        return tuple(sorted(places))

    def parts(self, text: str) -> list[Mention]:
        """Places in a text that are a part of the names of a few entities, outside its mentions."""
        names = self._at.knowledge.names
        mentions = names.parts(text, names.find(text))
        return [m for m in mentions if spelling(text[m.start : m.end]) not in self._at.words.never]

    def called(self, name: str) -> list[str]:
        """Ids of the entities with a name or alias, else of the topics; sorted."""
        return self._at.knowledge.names.exactly(name) or self._at.derived.exactly(name)

    def with_part(self, text: str) -> list[str]:
        """Ids of the entities and topics whose names contain a text; sorted."""
        names = self._at.knowledge.names
        return sorted({*names.containing(text), *self._at.derived.containing(text)})

    def is_topic(self, entity_id: str) -> bool:
        return self._at.derived.get(entity_id) is not None

    def entities_of(self, claim_id: str) -> frozenset[str]:
        """The entities and topics that a claim counts for."""
        linked, _ = self._at.knowledge.links(claim_id)
        return frozenset((*linked, *self._at.derived.of_claim(claim_id)))
