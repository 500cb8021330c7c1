"""Knowledge that grows while its files are still being read."""

from __future__ import annotations

from collections.abc import Sequence

from sidecar.index.documents import Prepared
from sidecar.index.knowledge import Knowledge

__all__ = ["Building"]


class Building:
    """Learns one artifact after another, in a worker thread, on the guess that all will count."""

    def __init__(self) -> None:
        self._knowledge = Knowledge()
        self._learned: list[Prepared] = []

    def learn(self, prepared: Prepared) -> None:
        """Take in what a file says."""
        self._learned.append(prepared)
        self._knowledge.learn(prepared)

    def finished(self, artifacts: Sequence[Prepared]) -> Knowledge:
        """All that there is, ready for questions: anew where something learned does not count."""
        guessed = len(artifacts) == len(self._learned) and all(
            counts is learned for counts, learned in zip(artifacts, self._learned, strict=True)
        )
        if not guessed:
            return Knowledge.of(artifacts)
        self._knowledge.link()
        return self._knowledge
