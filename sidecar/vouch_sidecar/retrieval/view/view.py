"""A knowledge base as one viewer sees it. Every answer is made from a view."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from tantivy import Document

from vouch_sidecar.index.stored_artifacts import key_in
from vouch_sidecar.kb.records import Claim
from vouch_sidecar.retrieval.view.claim_texts import ClaimTexts
from vouch_sidecar.retrieval.view.counts import ArtifactCounts
from vouch_sidecar.retrieval.view.viewpoint import Viewpoint
from vouch_sidecar.retrieval.view.visible import VisibleArtifacts
from vouch_sidecar.retrieval.view.visible_names import VisibleNames

_FIRST = datetime.min.replace(tzinfo=UTC).timestamp()
_LAST = datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp()


@dataclass(frozen=True)
class View(Viewpoint):
    """One knowledge base as seen by one viewer, who passes `gates`. Its parts are made anew at each
    use: if kept, they would form reference cycles and hold old generations in memory.
    """

    @property
    def visible(self) -> VisibleArtifacts:
        return VisibleArtifacts(self)

    @property
    def texts(self) -> ClaimTexts:
        return ClaimTexts(self, self.visible)

    @property
    def counts(self) -> ArtifactCounts:
        return ArtifactCounts(self)

    @property
    def names(self) -> VisibleNames:
        return VisibleNames(self)


def claim_in(view: View, document: Document) -> Claim:
    """The claim that a document of the index stands for."""
    claim = view.knowledge.claim(key_in(document).id)
    assert claim is not None
    return claim


def moment(at: float) -> datetime:
    """The time in UTC, in seconds since 1970. A time outside the calendar becomes its first or last
    moment.
    """
    return datetime.fromtimestamp(min(max(at, _FIRST), _LAST), UTC)
