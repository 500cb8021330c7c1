"""Finds artifacts by what people call them: a name, the beginning of an id, or what is like it; and
while somebody types a part of that.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import chain, islice

from vouch_sidecar.index.query import nearly_query
from vouch_sidecar.kb.records import RECORD_OF, Artifact, Claim, Kind
from vouch_sidecar.names.matcher import LONG_NAME
from vouch_sidecar.retrieval.constants import FEW
from vouch_sidecar.retrieval.search import names_of
from vouch_sidecar.retrieval.view import View

_BEGINNING = re.compile(r"(?:[\W_]*+[^\W_]++){3}")
"""The first three words of an id."""
IDS_COMPARED = 500
"""Ids that are compared with the one asked for, beside as many that differ by two letters."""
_BLANKS = re.compile(r"[\s_]+")


def by_name(view: View, kind: Kind, called: str) -> list[Artifact]:
    """The entities with this name or alias."""
    ids = view.knowledge.names.exactly(called) or view.derived.exactly(called)
    return [*filter(None, map(view.entity, ids if kind is Kind.ENTITY else ()))]


def short_id(artifact_id: str) -> str:
    """The first three words of an id with `…` at their end; the whole id where it has no more. A
    look-up of what several begin with lists them.
    """
    beginning = _BEGINNING.match(artifact_id)
    return f"{beginning[0]}…" if beginning and beginning[0] != artifact_id else artifact_id


def by_beginning(view: View, kind: Kind, start: str) -> list[Artifact]:
    """The artifacts whose id begins with `start`: three words or more, and `…` as `short_id` gives
    it.
    """
    start = start.removesuffix("…")
    every = _all(view, kind) if _BEGINNING.match(start) else ()
    return [artifact for artifact in every if artifact.id.startswith(start)]


def _all(view: View, kind: Kind) -> list[Artifact]:
    """The artifacts of a kind that the viewer may see, by id."""
    return sorted(filter(view.sees, view.knowledge.all_of(RECORD_OF[kind])), key=lambda one: one.id)


def nearest(views: Sequence[View], kind: Kind, called: str) -> list[str]:
    """At most three ids of artifacts whose id, name or alias, or the beginning of one, is most
    similar to what was called.
    """
    called, ids = called[:LONG_NAME], defaultdict[str, list[str]](list)
    for view in views:
        alike = (one for one, _ in view.found(nearly_query(kind, called), IDS_COMPARED))
        every = (*alike, *_all(view, kind)[:IDS_COMPARED])
        for name, artifact_id in ((n, one.id) for one in every for n in names_of(one)):
            for alike_to in (name[:LONG_NAME], name[: len(called)]):
                ids[alike_to.casefold()].append(artifact_id)
    near = get_close_matches(called.casefold(), ids, 3 * FEW)
    return list(dict.fromkeys(chain.from_iterable(map(ids.__getitem__, near))))[:FEW]


def contradicting(view: View, claim: Claim) -> list[Claim]:
    """The claims that a claim contradicts, or that contradict it, by id."""
    against = {other.id for other in view.knowledge.contradicting.get(claim.id, ())}
    return [*filter(None, map(view.claim, sorted(against.union(claim.contradicts))))]


def successors(view: View, claim_id: str) -> list[str]:
    """The ids, sorted, of the claims that in the end supersede a claim, through a chain of
    supersedes, as far as the viewer may see them.
    """
    newer, seen = {claim_id}, set[str]()
    while newer:
        seen |= newer
        newer = {each for old in newer for each in view.knowledge.superseding(old)} - seen
        if visible := sorted(each for each in newer if view.claim(each) is not None):
            return visible
    return []


def prefix_search(
    view: View, typed: str, kinds: Sequence[Kind], limit: int
) -> list[tuple[int, Artifact]]:
    """The artifacts that fit best, at most `limit` of each kind, by how well they fit and id: 0
    where an id or a name is what was typed, 1 where one begins with it, 2 where one holds it.
    """
    folded = typed[:LONG_NAME].casefold()
    forms = {folded, _BLANKS.sub("-", folded)}
    found: list[tuple[int, Artifact]] = []
    for kind in kinds:
        fitting = [
            (_fit(called, forms), artifact)
            for called, artifact in _called(view, kind)
            if any(form in called for form in forms)
        ]
        fitting.sort(key=lambda match: (match[0], match[1].id))
        found += islice((match for match in fitting if view.sees(match[1])), limit)
    return sorted(found, key=lambda match: (match[0], match[1].id))


def _called(view: View, kind: Kind) -> list[tuple[str, Artifact]]:
    """The artifacts of a kind, each behind its id and its names, folded, a line for each."""
    return view.cached(
        ("called", kind),
        "",
        lambda: [
            ("\n".join(("", *names_of(artifact), "")).casefold(), artifact)
            for artifact in view.knowledge.all_of(RECORD_OF[kind])
        ],
        for_all=True,
    )


def _fit(called: str, forms: set[str]) -> int:
    if any(f"\n{form}\n" in called for form in forms):
        return 0
    return 1 if any(f"\n{form}" in called for form in forms) else 2
