"""A knowledge base as one viewer sees it. Every answer is made from a view."""

from __future__ import annotations

from dataclasses import dataclass

from vouch_sidecar.retrieval.view.claim_texts import ClaimTexts
from vouch_sidecar.retrieval.view.viewpoint import Viewpoint
from vouch_sidecar.retrieval.view.visible import VisibleArtifacts, VisibleNames


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
        return ClaimTexts(self)

    @property
    def names(self) -> VisibleNames:
        return VisibleNames(self)
