"""How many artifacts a viewer may see, and how rare a word is among them."""

from __future__ import annotations

from collections.abc import Mapping

from vouch_sidecar.index.document_schema import TITLE
from vouch_sidecar.index.query import rarity
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.view.viewpoint import Viewpoint
from vouch_sidecar.text.content_words import Term, terms


class ArtifactCounts:
    """Counts of the artifacts that a viewer may see."""

    def __init__(self, at: Viewpoint) -> None:
        self._at = at

    def artifacts(self, kind: Kind) -> int:
        """How many artifacts of a kind the viewer may see; sections of pages do not count as
        artifacts.
        """
        return self._at.search.total(TITLE if kind is Kind.PAGE else kind)

    def claims_of(self, entity_id: str) -> int:
        """How many claims count for an entity."""
        return self._at.search.claim_count(entity_id)

    @property
    def claims(self) -> int:
        """How many claims the viewer may see."""
        return self._at.search.total(Kind.CLAIM)

    def claims_mark(self, entity_id: str) -> int:
        """A value that changes when an entity gains or loses a claim, or when its claims change."""
        ids = self._at.search.ids(self._at.search.claims_of([entity_id]))
        return hash(tuple(map(self._at.knowledge.claim, sorted(ids))))

    def frequency(self, term: Term) -> int:
        """How many visible claims hold a word."""
        return self._at.search.frequency(term, Kind.CLAIM)

    def weights(self, text: str) -> Mapping[Term, float]:
        """The content words of a text with their rarity among the claims."""

        def weigh() -> Mapping[Term, float]:
            total = self.claims
            return {n: rarity(total, self.frequency(n)) for n in terms(text)}

        return self._at.cached("weights", text, weigh)
