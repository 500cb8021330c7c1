"""Chooses the claims to tell when a tool has just read or changed a file: what it defines is known
from the last analysis of the workspace, what it has of the claims' quotes by looking.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from vouch_sidecar.retrieval.constants import EDIT_LEAST
from vouch_sidecar.retrieval.files.file_ties import Tied, each_statement_once, visible_ties
from vouch_sidecar.retrieval.files.stale_claims import stale
from vouch_sidecar.retrieval.gate import may_enter
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.statements.edits import met_by
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.windows import matches
from vouch_sidecar.workspace.quotes_in_files import flat

MOST_LINES = 3
"""Lines that one event tells, about the file and the names in its text."""
_WORD = re.compile(r"(?<![\w$-])[\w$-]++")
_SPLIT = re.compile(r"\.|::|#")


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
    name what the change has; and, where there are none of these two, those tied to the whole file.
    Weak ties and mentions are left out, and those tied to other lines.
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
        found = (one for one, _ in met_by(view, there, touched.inserted, touched.removed, ids))
        told = (each for each in found if each.is_told(view) and each.likelihood >= EDIT_LEAST)
        one = islice(told, 1)
        lines += (Line(view, c.artifact, there, c.likelihood, "text", None) for c in one)
    strong = [tied for tied in ties if not tied.is_weak and view.tells(tied.strength)]
    lined = [tied for tied in strong if tied.line is not None]
    words = {word[0] for word in matches(_WORD, touched.text)}
    near = [tied for tied in lined if _overlaps(tied, touched.ranges)]
    near += [tied for tied in lined if _is_named(tied, words)]
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


def _is_named(tied: Tied, words: set[str]) -> bool:
    return any(_SPLIT.split(name)[-1] in words for name in tied.names)


def _is_quoted(tied: Tied, taken: str) -> bool:
    """Whether what a claim quotes stood in what a change has taken out, or that in it."""
    places, said = tied.view.workspace.fresh.places, list[str]()
    for _, _, evidence in tied.view.visible.cited(tied.claim):
        if evidence is not None:
            place = evidence.source_id, evidence.byte_start or 0, evidence.byte_end or 0
            said += [flat(places[place][1].text)] if place in places else []
    return any(each in taken or taken in each for each in said)
