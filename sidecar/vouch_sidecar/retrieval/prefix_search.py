"""Finds artifacts while somebody types a part of an id, a name, an alias or a title."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from vouch_sidecar.kb.records import Artifact, Entity, Kind, Page, Source
from vouch_sidecar.retrieval.view import View

SAME, BEGINS, HOLDS = range(3)
"""How well something fits, best first: its id or name is what was typed, begins with it, or holds
it.
"""
MAX_TYPED = 64
_BLANKS = re.compile(r"[\s_]+")


class PrefixMatch(NamedTuple):
    """An artifact, and how well it fits what was typed."""

    fits: int
    artifact: Artifact


def prefix_search(view: View, typed: str, kinds: Sequence[Kind], limit: int) -> list[PrefixMatch]:
    """The artifacts that fit best, at most `limit` of each kind; where nothing was typed, the first
    by id.
    """
    folded = typed[:MAX_TYPED].casefold()
    slug = _BLANKS.sub("-", folded)
    found: list[PrefixMatch] = []
    for kind in dict.fromkeys(kinds):
        matches = []
        for artifact in view.knowledge.all_of(kind):
            fits = [*_fits(folded, _names(artifact)), *_fits(slug, [artifact.id.casefold()])]
            if fits:
                matches.append(PrefixMatch(min(fits), artifact))
        visible = (match for match in sorted(matches, key=_order) if view.visible.sees(match[1]))
        found += islice(visible, limit)
    return sorted(found, key=_order)


def _order(match: PrefixMatch) -> tuple[int, str]:
    return match.fits, match.artifact.id


def _fits(folded: str, names: Iterable[str]) -> list[int]:
    """How well each of the names fits that holds what was typed."""
    return [
        SAME if name == folded else BEGINS if name.startswith(folded) else HOLDS
        for name in names
        if folded in name
    ]


def _names(artifact: Artifact) -> list[str]:
    """What an artifact is called beside its id, folded."""
    names: list[str | None] = []
    if isinstance(artifact, Entity):
        names = [artifact.name, *artifact.aliases]
    elif isinstance(artifact, Page | Source):
        names = [artifact.title]
    return [name.casefold() for name in names if name]
