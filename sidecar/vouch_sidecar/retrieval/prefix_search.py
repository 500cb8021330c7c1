"""Finds artifacts while somebody types a part of an id, a name, an alias or a title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from vouch_sidecar.kb.records import Artifact, Entity, Kind, Page, Source
from vouch_sidecar.retrieval.view import View

_AROUND = (("\n", "\n"), ("\n", ""), ("", ""))
"""What stands around what was typed, in a text with a line for each name, where an id or a name is
just that, begins with it, or holds it.
"""
MAX_TYPED = 64
_BLANKS = re.compile(r"[\s_]+")


class PrefixMatch(NamedTuple):
    """An artifact, and how well it fits what was typed: its place in `_AROUND`."""

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
        every = view.knowledge.memo.cached("", ("called", kind), partial(_called, view, kind))
        best: dict[str, PrefixMatch] = {}
        for fits, (before, after) in enumerate(_AROUND):
            name, written = f"{before}{folded}{after}", f"{before}{slug}{after}"
            fitting = (
                artifact
                for called, artifact in every
                if (name in called or written in called) and artifact.id not in best
            )
            visible = filter(view.visible.sees, fitting)
            for artifact in islice(visible, limit - len(best)):
                best[artifact.id] = PrefixMatch(fits, artifact)
        found += best.values()
    return sorted(found, key=lambda match: (match.fits, match.artifact.id))


def _called(view: View, kind: Kind) -> list[tuple[str, Artifact]]:
    """The artifacts of a kind by id, each behind its id and its names, folded, a line for each."""
    every = sorted(view.knowledge.all_of(kind), key=lambda artifact: artifact.id)
    return [
        ("\n".join(("", artifact.id, *_names(artifact), "")).casefold(), artifact)
        for artifact in every
    ]


def _names(artifact: Artifact) -> tuple[str, ...]:
    if isinstance(artifact, Entity):
        return (artifact.name, *artifact.aliases)
    title = artifact.title if isinstance(artifact, Page | Source) else None
    return (title,) if title else ()
