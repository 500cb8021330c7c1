"""The artifacts of a knowledge base that a viewer may see."""

from __future__ import annotations

from collections.abc import Iterator

from tantivy import Document, Query

from vouch_sidecar.index.claim_weights import MICROSECONDS, confirmed_at
from vouch_sidecar.index.document_schema import QUESTION, TITLE
from vouch_sidecar.index.stored_artifacts import key_in
from vouch_sidecar.kb.access import gate_of, is_live
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Evidence, Key, Kind, Page, Relation
from vouch_sidecar.retrieval.view.shown import Quoted, quoted
from vouch_sidecar.retrieval.view.viewpoint import Viewpoint


class VisibleArtifacts:
    """Looks up artifacts; those that the viewer may not see are left out."""

    def __init__(self, at: Viewpoint) -> None:
        self._at = at

    def sees(self, artifact: Artifact) -> bool:
        """Whether the viewer may see an artifact: a relation if both of its ends are visible;
        evidence if its source is, and a claim that cites it, if any does. A missing source counts
        as invisible, as it may be withheld from everybody.
        """
        if isinstance(artifact, Relation):
            return self._shows(artifact.source) and self._shows(artifact.target)
        if isinstance(artifact, Evidence):
            return self._sees_evidence(artifact)
        return gate_of(artifact) in self._at.gates

    def _sees_evidence(self, evidence: Evidence) -> bool:
        if self.artifact((Kind.SOURCE, evidence.source_id)) is None:
            return False
        citing = self._at.knowledge.claims_citing(evidence.id)
        gates = [gate_of(claim) for claim in citing if is_live(claim)]
        return not gates or not self._at.gates.isdisjoint(gates)

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

    def quoted(self, claim_id: str) -> Quoted | None:
        """The place of a claim's receipt in its source; looked up once per question."""
        at = self._at

        def find() -> Quoted | None:
            claim = at.knowledge.claim(claim_id)
            return None if claim is None else quoted(at.knowledge, at.root, claim, at.gates)

        return at.once(("quoted", claim_id), find)

    def in_document(self, document: Document) -> Artifact | None:
        """The artifact that a document of the index stands for; for a section, its page. None if
        the viewer may not see it.
        """
        key = key_in(document)
        kind = {TITLE: Kind.PAGE, QUESTION: Kind.SOURCE}.get(key.kind) or Kind(key.kind)
        return self.artifact((kind, key.id))

    def artifacts_in(self, query: Query, limit: int) -> Iterator[Artifact]:
        """The artifacts among a query's first `limit` documents that the viewer may see."""
        snapshot = self._at.knowledge.snapshot
        for hit in snapshot.search(query, limit):
            if (artifact := self.in_document(snapshot.document(hit))) is not None:
                yield artifact

    def best(self, query: Query, limit: int) -> list[Claim]:
        """The best claims that a query finds, by worth, ties by id."""
        snapshot = self._at.knowledge.snapshot
        hits = snapshot.search(query, limit, by="worth")
        artifacts = (self.in_document(snapshot.document(hit)) for hit in hits)
        return [claim for claim in artifacts if isinstance(claim, Claim)]

    def pages_about(self, key: Key) -> list[Page]:
        """The pages that list a claim or an entity, or that have a topic as title, by id."""
        topic = self._at.derived.get(key[1]) if key[0] == Kind.ENTITY else None
        ids = self._at.knowledge.pages_about(key) if topic is None else sorted(topic.pages)
        pages = (self.artifact((Kind.PAGE, page_id)) for page_id in ids)
        return [page for page in pages if isinstance(page, Page)]

    def relations_of(self, artifact_id: str) -> Iterator[Relation]:
        """The relations of an artifact that the viewer may see, by id."""
        return filter(self.sees, self._at.knowledge.relations_of(artifact_id))

    def citing(self, artifact_id: str) -> Iterator[Artifact]:
        """The artifacts that refer to an id and that the viewer may see, by kind and id."""
        knowledge = self._at.knowledge
        return filter(self.sees, knowledge.citing(artifact_id))

    def _shows(self, endpoint: str) -> bool:
        kinds = (Kind.ENTITY, Kind.CLAIM, Kind.PAGE, Kind.SOURCE)
        return any(self.artifact((kind, endpoint)) for kind in kinds)

    def is_recent(self, claim: Claim) -> bool:
        """Whether a claim was confirmed or updated since the time that the question gives."""
        at = confirmed_at(claim)
        return self._at.since is None or (at is not None and at * MICROSECONDS >= self._at.since)

    def best_claims(self, entity_id: str, limit: int) -> list[Claim]:
        """An entity's best claims by worth, ties by id."""
        return self.best(self._at.search.claims_of([entity_id]), limit)
