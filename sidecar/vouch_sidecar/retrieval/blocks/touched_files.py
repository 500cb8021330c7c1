"""Chooses the claims to tell when a tool has just read or changed a file: what it defines is known
from the last analysis of the workspace, what it has of the claims' quotes by looking.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vouch_sidecar.retrieval.constants import EDIT_LEAST
from vouch_sidecar.retrieval.files.file_ties import Tied, each_statement_once, visible_ties
from vouch_sidecar.retrieval.files.stale_claims import stale
from vouch_sidecar.retrieval.gate import may_enter
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.statements.edits import met_by
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.quotes_in_files import flat

_BETWEEN_WORDS = re.compile(r"[^\w$-]+")


@dataclass(frozen=True, slots=True)
class Touched:
    """A file that a tool has read or changed, and the place in it."""

    path: str
    ranges: Sequence[tuple[int, int]] = ()
    """First and last lines, from 1; empty for all of what was read, or a change whose place is not
    known. Of a change, as they are after it.
    """
    text: str = ""
    """The text of a change, before and after it."""
    inserted: str = ""
    """The lines that are new."""
    removed: str = ""
    """The lines that are gone."""
    before: str = ""
    """The text of the whole file before, where it is known."""


def lines_at(view: View, touched: Touched) -> list[Line]:
    """The claims to tell, the best first, some several times: those whose quotes the change took
    away; the likeliest that the inserted lines meet; those tied to the touched lines; those that
    name what the change has; and, of what was read or where there are none of these two, those tied
    to the whole file. Weak ties are left out, and those tied to other lines.
    """
    there = view.workspace.path_of(touched.path)
    if there is None:
        return []
    stored = visible_ties(view, ((there, tie) for tie in view.workspace.stored_ties_of(there)))
    ties = each_statement_once(tied for tied in stored if may_enter(view, tied.claim))
    taken = flat(touched.before or touched.removed)
    gone = [tied for tied in ties if taken and tied.fresh == "gone"]
    lost = [tied for tied in gone if _is_quoted(tied, taken) and stale(view, tied.claim)]
    lines = [*map(_line, lost)]
    if touched.inserted:
        ids = {tied.claim.id for tied in lost}
        met = (each for each, _ in met_by(view, there, touched.inserted, touched.removed, ids))
        told = [c for c in met if c.likelihood >= max(EDIT_LEAST, view.least(c.kind))][:1]
        lines += [Line(view, c.artifact, there, c.likelihood, "text", None) for c in told]
    strong = [tied for tied in ties if not tied.is_weak and tied.strength >= view.least()]
    lined = [tied for tied in strong if tied.line is not None]
    words = frozenset(_BETWEEN_WORDS.split(touched.text))
    near = [tied for tied in lined if _overlaps(tied, touched.ranges)]
    near += [tied for tied in lined if not words.isdisjoint(_last_words(tied.names))]
    if not (touched.text and near):
        is_placed = touched.ranges or touched.text
        near += [tied for tied in strong if tied.line is None or not is_placed]
    return [*lines, *map(_line, near)]


def _line(tied: Tied) -> Line:
    place = tied.path if tied.line is None else f"{tied.path}:{tied.line}"
    return Line(tied.view, tied.claim, place, tied.strength, tied.arm, None)


def _overlaps(tied: Tied, ranges: Iterable[tuple[int, int]]) -> bool:
    first = tied.line or 0
    last = tied.last_line or first
    return any(start <= last and first <= end for start, end in ranges)


def _last_words(names: Iterable[str]) -> set[str]:
    """The last word of each name: `send` of `Relay::send`, `valid` of `valid?`."""
    return {word for name in names for word in [*filter(None, _BETWEEN_WORDS.split(name))][-1:]}


def _is_quoted(tied: Tied, taken: str) -> bool:
    """Whether what a claim quotes stood in what a change has taken out, or that in it."""
    places, said = tied.view.workspace.fresh.places, list[str]()
    for _, _, evidence in tied.view.visible.cited(tied.claim):
        if evidence is not None:
            place = evidence.source_id, evidence.byte_start or 0, evidence.byte_end or 0
            said += [flat(places[place].text)] if place in places else []
    return any(each in taken or taken in each for each in said)
