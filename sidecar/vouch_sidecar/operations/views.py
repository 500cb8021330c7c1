"""Artifacts as they go over the wire, with what they refer to resolved for the viewer."""

from __future__ import annotations

from pathlib import Path

from vouch_sidecar.kb.layout import KB_DIRNAME
from vouch_sidecar.kb.records import (
    Claim,
    Entity,
    Evidence,
    Key,
    Kind,
    Page,
    Problem,
    Relation,
    Source,
)
from vouch_sidecar.operations.wire import (
    Citation,
    ClaimView,
    EntityView,
    PageRef,
    ProblemView,
    RelationRef,
)
from vouch_sidecar.retrieval.view import View, claim_date, moment

__all__ = ["ArtifactViews", "iso", "problem_view"]


def iso(at: float | None) -> str | None:
    """A time in ISO 8601, UTC."""
    return None if at is None else moment(at).isoformat()


def problem_view(problem: Problem) -> ProblemView:
    """A problem of a file."""
    return ProblemView(
        path=problem.path,
        line=problem.line,
        column=problem.column,
        field=problem.field,
        severity=problem.severity.value,
        message=problem.message,
    )


class ArtifactViews:
    """Makes wire models out of the artifacts of one view."""

    def __init__(self, view: View, root: Path) -> None:
        self._view = view
        self._kb_dir = root / KB_DIRNAME

    def uri(self, path: str) -> str:
        """The URI of a file below `.vouch/`."""
        return (self._kb_dir / path).as_uri()

    def claim(self, claim: Claim) -> ClaimView:
        view = self._view
        return ClaimView(
            id=claim.id,
            text=claim.text,
            type=claim.type,
            status=claim.status,
            confidence=claim.confidence,
            entities=list(dict.fromkeys(claim.entities)),
            linked_entities=list(view.knowledge.links(claim.id, view.gates).entity_ids),
            tags=list(claim.tags),
            contradicts=[c.id for c in view.claims(set(claim.contradicts))],
            date=iso(claim_date(claim)),
            citations=[self.citation(ref) for ref in dict.fromkeys(claim.evidence)],
            uri=self.uri(claim.path),
        )

    def citation(self, ref: str) -> Citation:
        """A citation, as far as the viewer may follow it."""
        knowledge = self._view.knowledge
        evidence = knowledge.evidence(ref)
        source = self._source(evidence.source_id if evidence else ref)
        if evidence is not None and (source or knowledge.source(evidence.source_id) is None):
            return self._from_evidence(evidence, source)
        return Citation(
            id=ref,
            kind="source" if source else "missing",
            source_id=source.id if source else None,
            title=source.title if source else None,
            locator=source.locator if source else None,
            quote=None,
            uri=self._source_uri(source) if source else None,
        )

    def _from_evidence(self, evidence: Evidence, source: Source | None) -> Citation:
        return Citation(
            id=evidence.id,
            kind="evidence",
            source_id=evidence.source_id,
            title=source.title if source else None,
            locator=evidence.locator,
            quote=evidence.quote,
            uri=self.uri(evidence.path),
        )

    def _source(self, source_id: str) -> Source | None:
        found = self._view.visible((Kind.SOURCE, source_id))
        return found if isinstance(found, Source) else None

    def _source_uri(self, source: Source) -> str:
        return self.uri(source.path)

    def entity(self, entity: Entity) -> EntityView:
        return EntityView(
            id=entity.id,
            name=entity.name,
            type=entity.type,
            aliases=list(entity.aliases),
            description=entity.description,
            uri=self.uri(entity.path),
        )

    def pages(self, key: Key) -> list[PageRef]:
        return [self.page(page) for page in self._view.pages_about(key)]

    def page(self, page: Page) -> PageRef:
        return PageRef(
            id=page.id,
            title=page.title,
            type=page.type,
            status=page.status,
            uri=self.uri(page.path),
        )

    def relations(self, artifact_id: str) -> list[RelationRef]:
        return [self.relation(r) for r in self._view.relations_of(artifact_id)]

    def relation(self, relation: Relation) -> RelationRef:
        return RelationRef(
            id=relation.id,
            source=relation.source,
            relation=relation.relation,
            target=relation.target,
            confidence=relation.confidence,
            uri=self.uri(relation.path),
        )
