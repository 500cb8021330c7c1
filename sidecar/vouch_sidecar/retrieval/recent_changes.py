"""The claims that changed since a time, as far as a viewer may see them."""

from __future__ import annotations

from dataclasses import replace

from vouch_sidecar.index.claim_weights import MICROSECONDS
from vouch_sidecar.kb.records import Claim
from vouch_sidecar.retrieval.view import View


def newest(view: View, since: float, limit: int) -> list[Claim]:
    """The claims that were confirmed or updated since a time, in seconds since 1970; best first, by
    worth.
    """
    recent = replace(view, since=round(since * MICROSECONDS))
    hits = recent.knowledge.snapshot.search(recent.search.recent(), limit, by="worth")
    artifacts = (view.visible.in_document(view.knowledge.snapshot.document(hit)) for hit in hits)
    return [
        claim for claim in artifacts if isinstance(claim, Claim) and view.texts.is_sayable(claim)
    ]
