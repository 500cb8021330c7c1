"""What changed in a knowledge base since some time, as far as a viewer may see it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from vouch_sidecar.index.schema import MICROSECONDS
from vouch_sidecar.kb.records import Claim, Kind
from vouch_sidecar.retrieval.view import View

MAX_CHANGED = 200
"""Claims that are read; where more changed, all of them count as approved."""


class ChangedClaims(NamedTuple):
    """How many claims were approved, superseded by approved ones, and retired otherwise; and the
    best approved ones by worth.
    """

    approved: int
    superseded: int
    retired: int
    best: tuple[Claim, ...]

    def __bool__(self) -> bool:
        return bool(self.approved or self.superseded or self.retired)


def newest(view: View, since: float, limit: int) -> list[Claim]:
    """The claims that were confirmed or updated since a time, in seconds since 1970; best first, by
    worth.
    """
    recent = replace(view, since=round(since * MICROSECONDS))
    hits = recent.knowledge.snapshot.search(recent.search.recent(), limit, by="worth")
    found = (view.told_by(view.knowledge.snapshot.document(hit)) for hit in hits)
    return [one for one in found if isinstance(one, Claim) and view.sayable(one)]


def changed_since(view: View, since: float, claims: int, limit: int = 3) -> ChangedClaims:
    """What changed since a time, in seconds since 1970, at which a viewer saw `claims` claims."""
    recent = replace(view, since=round(since * MICROSECONDS))
    number = view.knowledge.snapshot.count(recent.search.recent())
    looked_at = newest(view, since, MAX_CHANGED)
    new = [one for one in looked_at if one.created_at is None or one.created_at >= since]
    approved = number if number > MAX_CHANGED else len(new)
    gone = max(0, claims + approved - view.count(Kind.CLAIM))
    replaced = {old for one in new for old in one.supersedes if view.claim(old) is None}
    superseded = min(gone, len(replaced))
    return ChangedClaims(approved, superseded, gone - superseded, tuple(new[:limit]))
