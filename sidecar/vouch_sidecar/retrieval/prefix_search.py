"""Finds artifacts while somebody types a part of an id, a name, an alias or a title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice

from vouch_sidecar.kb.records import Artifact, Kind
from vouch_sidecar.retrieval.search import names_of
from vouch_sidecar.retrieval.view import View

MAX_TYPED = 64
_BLANKS = re.compile(r"[\s_]+")


def prefix_search(
    view: View, typed: str, kinds: Sequence[Kind], limit: int
) -> list[tuple[int, Artifact]]:
    """The artifacts that fit best, at most `limit` of each kind, by how well they fit and id: 0
    where an id or a name is what was typed, 1 where one begins with it, 2 where one holds it.
    """
    folded = typed[:MAX_TYPED].casefold()
    forms = {folded, _BLANKS.sub("-", folded)}
    found: list[tuple[int, Artifact]] = []
    for kind in kinds:
        every = view.knowledge.memo.cached("", ("called", kind), partial(_called, view, kind))
        fitting = [
            (_fit(called, forms), artifact)
            for called, artifact in every
            if any(form in called for form in forms)
        ]
        fitting.sort(key=lambda match: (match[0], match[1].id))
        found += islice((match for match in fitting if view.visible.sees(match[1])), limit)
    return sorted(found, key=lambda match: (match[0], match[1].id))


def _called(view: View, kind: Kind) -> list[tuple[str, Artifact]]:
    """The artifacts of a kind, each behind its id and its names, folded, a line for each."""
    return [
        ("\n".join(("", *names_of(artifact), "")).casefold(), artifact)
        for artifact in view.knowledge.all_of(kind)
    ]


def _fit(called: str, forms: set[str]) -> int:
    if any(f"\n{form}\n" in called for form in forms):
        return 0
    return 1 if any(f"\n{form}" in called for form in forms) else 2
