"""Knowledge that grows while its files are still being read."""

from __future__ import annotations

from collections.abc import Sequence

from sidecar.index.documents import Prepared
from sidecar.index.knowledge import Knowledge
from sidecar.kb.large import let_go
from sidecar.kb.records import Claim, Entity, Page

__all__ = ["Building"]


class Building:
    """Learns one artifact after another, in a worker thread, on the guess that all will count and
    that claims come after what they are linked to.
    """

    def __init__(self) -> None:
        self._knowledge = Knowledge()
        self._learned: list[Prepared] = []
        self._any_linked = False
        self._linked_early = False

    def learn(self, prepared: Prepared) -> None:
        """Take in what a file says."""
        artifact = prepared.artifact
        self._learned.append(prepared)
        self._knowledge.learn(prepared)
        if isinstance(artifact, Claim):
            self._knowledge.link(artifact)
            self._any_linked = True
        elif isinstance(artifact, Entity | Page) and self._any_linked:
            self._linked_early = True

    def finished(self, artifacts: Sequence[Prepared]) -> Knowledge:
        """All that there is, ready for questions: anew where something learned does not count."""
        guessed = len(artifacts) == len(self._learned) and all(
            counts is learned for counts, learned in zip(artifacts, self._learned, strict=True)
        )
        if not guessed:
            return Knowledge.of(artifacts)
        let_go(self._learned)
        if self._linked_early:
            self._knowledge.link()
        self._knowledge.fold()
        return self._knowledge
