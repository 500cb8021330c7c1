"""The claims that changed since a time, as far as a viewer may see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vouch_sidecar.index.claim_weights import worth
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.retrieval.search import Ranked
from vouch_sidecar.retrieval.view import View


def newest(views: Sequence[View], limit: int) -> list[Ranked]:
    """The claims that were confirmed or updated since the views' time; best first, by worth."""
    rows = [
        Ranked(view, Kind.CLAIM, claim, 0, round(worth(claim), 6))
        for view in views
        for claim in _newest(view, limit)
    ]
    return sorted(rows, key=lambda row: (-row.score, row.artifact.id))[:limit]


def _newest(view: View, limit: int) -> Iterator[Claim]:
    snapshot = view.knowledge.snapshot
    for hit in snapshot.search(view.search.recent(), limit, by="worth"):
        claim = view.visible.in_document(snapshot.document(hit))
        if isinstance(claim, Claim) and view.texts.is_sayable(claim):
            yield claim
