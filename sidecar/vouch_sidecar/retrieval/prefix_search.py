"""Finds artifacts while somebody types a part of an id, a name, an alias or a title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vouch_sidecar.index.query import matching, spelled
from vouch_sidecar.kb.records import Artifact, Entity, Kind, Page, Source, key_of
from vouch_sidecar.retrieval.view import View

SAME, BEGINS, HOLDS = range(3)
"""How well something fits, best first: its id or name is what was typed, begins with it, or holds
it.
"""
NAMED = (Kind.ENTITY, Kind.PAGE, Kind.SOURCE)
"""The kinds that are found by name; the others, which are many, by their ids alone."""
MAX_TYPED = 64
_BLANKS = re.compile(r"[\s_]+")


class PrefixMatch(NamedTuple):
    """An artifact, and how well it fits what was typed."""

    fits: int
    artifact: Artifact


def prefix_search(view: View, typed: str, kinds: Sequence[Kind], limit: int) -> list[PrefixMatch]:
    """The artifacts that fit best, about `limit` of each kind; where nothing was typed, the first
    by id.
    """
    typed = typed[:MAX_TYPED]
    first: dict[tuple[Kind, str], PrefixMatch] = {}
    for kind in kinds:
        named = _by_name(view, kind, typed.casefold()) if typed else []
        for match in (*named[:limit], *_by_id(view, kind, typed, limit)):
            first.setdefault(key_of(match.artifact), match)
    return sorted(first.values(), key=lambda match: (match.fits, match.artifact.id))


def _by_name(view: View, kind: Kind, folded: str) -> list[PrefixMatch]:
    """The entities with a name or alias that holds this, or the pages or sources with such a title,
    best first.
    """
    matches = []
    for artifact in view.knowledge.all_of(kind) if kind in NAMED else ():
        names = [name.casefold() for name in _names(artifact) if name]
        fits = [SAME if name == folded else BEGINS for name in names if name.startswith(folded)]
        fits += [HOLDS for name in names if folded in name]
        if fits and view.visible.sees(artifact):
            matches.append(PrefixMatch(min(fits), artifact))
    return sorted(matches, key=lambda match: (match.fits, match.artifact.id))


def _names(artifact: Artifact) -> tuple[str | None, ...]:
    if isinstance(artifact, Entity):
        return (artifact.name, *artifact.aliases)
    return (artifact.title,) if isinstance(artifact, Page | Source) else ()


def _by_id(view: View, kind: Kind, typed: str, limit: int) -> Iterator[PrefixMatch]:
    slug = _BLANKS.sub("-", typed.casefold())
    either = "|".join(spelled(spelling, any_case=True) for spelling in dict.fromkeys((typed, slug)))
    for pattern, fits in ((f"({either}).*", BEGINS), (f".+({either}).*", HOLDS)):
        query = matching("key", f"{kind}\0{pattern}\0" + "000")
        for artifact in view.visible.artifacts_in(query, limit):
            yield PrefixMatch(SAME if artifact.id == typed else fits, artifact)
        if not typed:
            return
