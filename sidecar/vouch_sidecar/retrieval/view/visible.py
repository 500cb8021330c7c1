"""The artifacts of a knowledge base that a viewer may see, and the names of its entities and topics
in texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tantivy import Document, Query

from vouch_sidecar.index.schema import QUESTION, TITLE, key_in, labels_for
from vouch_sidecar.kb.access import gate_of
from vouch_sidecar.kb.records import (
    Artifact,
    Claim,
    Entity,
    Evidence,
    Key,
    Kind,
    Page,
    Relation,
    Source,
    key_of,
)
from vouch_sidecar.names.matcher import Mention, outside
from vouch_sidecar.names.name_forms import spelling
from vouch_sidecar.retrieval.view.viewpoint import Viewpoint


class VisibleArtifacts:
    """Looks up artifacts; those that the viewer may not see are left out."""

    def __init__(self, at: Viewpoint) -> None:
        self._at = at

    def sees(self, artifact: Artifact) -> bool:
        """Whether the viewer may see an artifact: what its links decide of a relation or evidence,
        its own gate of anything else.
        """
        if isinstance(artifact, Relation | Evidence):
            label = self._at.knowledge.state(key_of(artifact)).label
            return label in labels_for(self._at.gates)
        return gate_of(artifact) in self._at.gates

    def artifact(self, key: Key) -> Artifact | None:
        """An artifact, or a topic as an entity; None where it is missing or the viewer may not see
        it.
        """
        if key[0] == Kind.ENTITY and (topic := self._at.derived.get(key[1])) is not None:
            return topic.entity
        artifact = self._at.knowledge.artifact(key)
        return artifact if artifact is not None and self.sees(artifact) else None

    def claim(self, claim_id: str) -> Claim | None:
        artifact = self.artifact((Kind.CLAIM, claim_id))
        return artifact if isinstance(artifact, Claim) else None

    def entity(self, entity_id: str) -> Entity | None:
        """A declared entity, or a topic."""
        topic = self._at.derived.get(entity_id)
        return self._at.knowledge.entity(entity_id) if topic is None else topic.entity

    def in_document(self, document: Document) -> Artifact | None:
        """The artifact that a document of the index stands for; for a section, its page. None if
        the viewer may not see it.
        """
        key = key_in(document)
        kind = {TITLE: Kind.PAGE, QUESTION: Kind.SOURCE}.get(key.kind) or Kind(key.kind)
        return self.artifact((kind, key.id))

    def found(
        self, query: Query, limit: int, by: str | None = None
    ) -> Iterator[tuple[Artifact, Document]]:
        """The artifacts among a query's first `limit` documents that the viewer may see, each with
        its document.
        """
        snapshot = self._at.knowledge.snapshot
        for hit in snapshot.search(query, limit, by):
            document = snapshot.document(hit)
            if (artifact := self.in_document(document)) is not None:
                yield artifact, document

    def artifacts_in(self, query: Query, limit: int) -> Iterator[Artifact]:
        """The artifacts among a query's first `limit` documents that the viewer may see."""
        return (artifact for artifact, _ in self.found(query, limit))

    def best(self, query: Query, limit: int) -> list[Claim]:
        """The best claims that a query finds, by worth, ties by id."""
        artifacts = (artifact for artifact, _ in self.found(query, limit, by="worth"))
        return [claim for claim in artifacts if isinstance(claim, Claim)]

    def pages_about(self, key: Key) -> list[Page]:
        """The pages that list a claim or an entity, or that have a topic as title, by id."""
        topic = self._at.derived.get(key[1]) if key[0] == Kind.ENTITY else None
        ids = self._at.knowledge.pages_about(key) if topic is None else sorted(topic.pages)
        pages = (self.artifact((Kind.PAGE, page_id)) for page_id in ids)
        return [page for page in pages if isinstance(page, Page)]

    def cited(self, claim: Claim) -> Iterator[tuple[int, Source, Evidence | None]]:
        """The sources that a claim cites or whose evidence it cites, each with the number of the
        citation and the evidence.
        """
        for number, reference in enumerate(claim.evidence):
            evidence = self._at.knowledge.evidence(reference)
            source = self.artifact((Kind.SOURCE, evidence.source_id if evidence else reference))
            if isinstance(source, Source):
                yield number, source, evidence

    def relations_of(self, artifact_id: str) -> Iterator[Relation]:
        """The relations of an artifact that the viewer may see, by id."""
        return filter(self.sees, self._at.knowledge.relations.get(artifact_id, ()))


class VisibleNames:
    """Finds names in texts, and the entities that a name may mean."""

    def __init__(self, at: Viewpoint) -> None:
        self._at = at

    def mentions(self, text: str) -> list[Mention]:
        """Places in a text that name a declared entity, nested ones included."""

        def find() -> list[Mention]:
            never = self._at.never
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
            declared = (mention for mention in self.mentions(text) if not mention.nested)
            return outside(self._at.derived.find(text), declared)

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
        return [m for m in mentions if spelling(text[m.start : m.end]) not in self._at.never]

    def is_topic(self, entity_id: str) -> bool:
        return self._at.derived.get(entity_id) is not None

    def entities_of(self, claim_id: str) -> frozenset[str]:
        """The entities and topics that a claim counts for."""
        linked, _ = self._at.knowledge.links(claim_id)
        return frozenset((*linked, *self._at.derived.of_claim.get(claim_id, ())))
