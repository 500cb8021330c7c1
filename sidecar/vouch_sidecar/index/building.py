"""A knowledge base taken in for the first time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.index.layers import Writing
from vouch_sidecar.index.links import documents_of, standing
from vouch_sidecar.index.names import Names
from vouch_sidecar.kb.access import OPEN, gate_of, is_told
from vouch_sidecar.kb.records import Artifact, Claim, Entity, Evidence, Page, Relation, Source

__all__ = ["Builder", "knowledge_of"]


def knowledge_of(artifacts: Iterable[Artifact]) -> Knowledge:
    """All that there is, in memory."""
    builder = Builder(Writing())
    for artifact in sorted(artifacts, key=lambda one: isinstance(one, Claim)):
        builder.add(artifact)
    return builder.finish()


class Builder:
    """Takes in a knowledge base for the first time, in the order in which its files are read:
    claims after entities and pages. What depends on claims and sources is kept until the end.
    """

    def __init__(self, writing: Writing) -> None:
        self._writing = writing
        self._entities: list[Entity] = []
        self._pages: dict[str, list[Page]] = {}
        self._late: list[Relation | Evidence] = []
        self._gates: dict[str, tuple[str, ...]] = {}

    def add(self, artifact: Artifact) -> None:
        """Take in an artifact whose key has not come before."""
        if not is_told(artifact):
            return
        if isinstance(artifact, Relation | Evidence):
            self._late.append(artifact)
            return
        if isinstance(artifact, Entity):
            self._entities.append(artifact)
        if isinstance(artifact, Page):
            for claim_id in artifact.claims:
                self._pages.setdefault(claim_id, []).append(artifact)
        if isinstance(artifact, Entity | Claim | Page | Source):
            gates = self._gates.get(artifact.id, ())
            self._gates[artifact.id] = (*gates, gate_of(artifact) or OPEN)
        self._write(artifact)

    def finish(self) -> Knowledge:
        """What was taken in."""
        for artifact in self._late:
            self._write(artifact)
        return Knowledge(self._writing.finish(), self.names)

    def _write(self, artifact: Artifact) -> None:
        for made in documents_of(artifact, standing(artifact, self)):
            self._writing.add(made)

    @cached_property
    def names(self) -> Names:
        return Names.of(self._entities)

    def pages_listing(self, claim_id: str) -> Iterable[Page]:
        return sorted(self._pages.get(claim_id, ()), key=lambda page: page.id)

    def gates_at(self, artifact_id: str) -> Iterable[str]:
        return self._gates.get(artifact_id, ())
