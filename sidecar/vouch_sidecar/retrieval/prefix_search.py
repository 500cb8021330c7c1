"""Finds artifacts while somebody types the beginning of an id, a name, an alias or a word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vouch_sidecar.index.document_schema import TITLE
from vouch_sidecar.index.query import all_of, matching, spelled
from vouch_sidecar.kb.records import Artifact, Kind, key_of
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.content_words import terms

SAME, BEGINS, HOLDS, WORDS = range(4)
"""How well something fits, best first: its id or name is what was typed, begins with it, or holds
it; or its text has words that begin like it.
"""
MAX_TYPED = 64
_LAST_WORD = re.compile(r"(?<!\w)\w++\Z")
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
        ways = (_entities, _by_id, _by_words) if kind is Kind.ENTITY else (_by_id, _by_words)
        before = len(first)
        for way in ways:
            if len(first) - before < limit:
                for match in way(view, kind, typed, limit):
                    first.setdefault(key_of(match.artifact), match)
    return sorted(first.values(), key=lambda match: (match.fits, match.artifact.id))


def _entities(view: View, _: Kind, typed: str, limit: int) -> list[PrefixMatch]:
    """Entities by name or alias."""
    folded = typed.casefold()
    if not folded:
        return []
    names = view.knowledge.memo.cached(
        "",
        "names, folded",
        lambda: [
            (entity, [name.casefold() for name in (entity.name, *entity.aliases)])
            for entity in view.knowledge.names.entities()
        ],
    )
    matches = [
        PrefixMatch(_fits(several, folded), entity)
        for entity, several in names
        if any(folded in name for name in several)
    ]
    return sorted(matches, key=lambda match: (match.fits, match.artifact.id))[:limit]


def _fits(names: Sequence[str], folded: str) -> int:
    if folded in names:
        return SAME
    return BEGINS if any(name.startswith(folded) for name in names) else HOLDS


def _by_id(view: View, kind: Kind, typed: str, limit: int) -> Iterator[PrefixMatch]:
    slug = _BLANKS.sub("-", typed.casefold())
    either = "|".join(spelled(spelling, any_case=True) for spelling in dict.fromkeys((typed, slug)))
    for pattern, fits in ((f"({either}).*", BEGINS), (f".+({either}).*", HOLDS)):
        query = matching("key", f"{kind}\0{pattern}\0" + "000")
        artifacts = list(view.visible.artifacts_in(query, limit))
        yield from (
            PrefixMatch(SAME if artifact.id == typed else fits, artifact) for artifact in artifacts
        )
        if not typed or len(artifacts) == limit:
            return


def _by_words(view: View, kind: Kind, typed: str, limit: int) -> Iterator[PrefixMatch]:
    """By words of a claim's text, a page's title, a source's title and address."""
    last = _LAST_WORD.search(typed.casefold())
    if last is None:
        return
    place = TITLE if kind is Kind.PAGE else kind.value
    before = terms(typed[: last.start()])
    held = [view.search.holding(before, place)] if before else []
    query = all_of([*held, view.search.beginning(last[0], place)])
    for artifact in view.visible.artifacts_in(query, limit):
        yield PrefixMatch(WORDS, artifact)
