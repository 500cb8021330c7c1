"""The claims that changed since a time, as far as a viewer may see them."""

from __future__ import annotations

from collections.abc import Sequence

from vouch_sidecar.index.claim_weights import worth
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.search import Ranked, ranked
from vouch_sidecar.retrieval.view import View


def newest(views: Sequence[View], limit: int) -> list[Ranked]:
    """The claims that were confirmed or updated since the views' time; best first, by worth."""
    return ranked(
        Ranked(view, Kind.CLAIM, claim, 0, round(worth(claim), 6))
        for view in views
        for claim in view.visible.best(view.search.recent(), limit)
        if view.texts.is_sayable(claim)
    )[:limit]
