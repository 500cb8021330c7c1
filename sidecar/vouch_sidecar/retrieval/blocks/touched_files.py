"""Chooses the claims to tell when a tool has just read or changed a file: what it defines is known
from the last analysis of the workspace, what it has of the claims' quotes by looking.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log
from typing import NamedTuple

from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.blocks.context import each_once
from vouch_sidecar.retrieval.constants import (
    BESIDE_THE_FILE,
    EDIT_LEAST,
    FEWEST_OF_EDITS,
    MOST_OF_EDITS,
)
from vouch_sidecar.retrieval.files.file_ties import Tied, tied_as_stored, visible_ties
from vouch_sidecar.retrieval.files.saved_file import broken_by
from vouch_sidecar.retrieval.files.stale_claims import stale
from vouch_sidecar.retrieval.gate import may_enter
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.statements.answers import answers
from vouch_sidecar.retrieval.statements.candidates import Candidate
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.windows import matches

MOST_LINES = 3
"""Lines that one event tells, about the file and the names in its text."""
MAX_JUDGED = 4_096
"""Characters of inserted lines that are judged."""
_WORD = re.compile(r"(?<![\w$-])[\w$-]++")
_SPLIT = re.compile(r"\.|::|#")


@dataclass(frozen=True, slots=True)
class Touched:
    """A file that a tool has read or changed, and the place in it."""

    path: str
    ranges: Sequence[tuple[int, int]] = ()
    """First and last lines, from 1; empty where they are not known. Of a change, as they are after
    it.
    """
    ranges_before: Sequence[tuple[int, int]] = ()
    """Of a change, the lines that it replaced."""
    growth: int = 0
    """Of a change, how many bytes it added."""
    is_edit: bool = False
    text: str = ""
    """The text of a change, before and after it."""
    inserted: str = ""
    """The lines that are new."""
    removed: str = ""
    """The text that is gone."""


def hits_to_tell(view: View, touched: Touched, given: Container[object]) -> list[Line]:
    """Three claims of those at the place whose state was not yet `given`: of each
    group in turn the strongest, in the group's order.
    """
    groups = _hits_at(view, touched)
    group_of = {hit.artifact.id: n for n, group in reversed([*enumerate(groups)]) for hit in group}
    hits = each_once(chain(*groups))
    hits = [hit for hit in hits if hit.state not in given]
    best = sorted(hits, key=lambda hit: (group_of[hit.artifact.id], -hit.similarity))[:MOST_LINES]
    best_ids = {hit.artifact.id for hit in best}
    return [hit for hit in hits if hit.artifact.id in best_ids]


def _hits_at(view: View, touched: Touched) -> list[list[Line]]:
    """The claims to tell, in groups, the best first: those whose quotes the change took away; the
    likeliest that the inserted lines meet; then those tied to the touched lines, in their order;
    then those tied to the whole file. Weak ties and mentions are left out.
    """
    there = view.workspace.path_of(touched.path)
    if there is None:
        return []
    ties = tied_as_stored(view, there, may_enter)
    lost = broken_by(view, there, touched.ranges, touched.removed) if touched.is_edit else ()
    broken = [tied for tied in ties if tied.claim.id in lost and stale(view, tied.claim)]
    strong = [tied for tied in ties if not tied.is_weak and view.tells(tied.strength)]
    met = _met(view, there, touched.inserted)
    in_place = _in_place(strong, touched, _places(view, there, touched))
    return [[*map(_hit, broken)], met, *([*map(_hit, group)] for group in in_place)]


def _hit(tied: Tied) -> Line:
    place = tied.path if tied.line is None else f"{tied.path}:{tied.line}"
    return Line(tied.view, tied.claim, place, tied.strength, tied.arm, None)


def met_by(view: View, path: str, inserted: str) -> list[Candidate]:
    """The claims that a text may meet which an edit inserted into a file, likeliest first."""
    workspace = view.workspace
    own, around = (
        {tied.claim.id for tied in visible_ties(view, ((path, tie) for tie in ties))}
        for ties in (workspace.stored_ties_of(path), workspace.ties_around(path))
    )
    met = []
    for answer in answers(view, inserted[:MAX_JUDGED], {}, (Kind.CLAIM,)):
        claim_id = answer.artifact.id
        tied = 1.0 if claim_id in own else BESIDE_THE_FILE if claim_id in around else 0.0
        size = min(max(answer.features.size, log(1 + FEWEST_OF_EDITS)), log(1 + MOST_OF_EDITS))
        features = answer.features._replace(tied=tied, size=size)
        met.append(answer._replace(features=features))
    return sorted(met, key=lambda answer: answer.order)


def _met(view: View, path: str, inserted: str) -> list[Line]:
    """The likeliest claim that inserted lines meet, where it is likely enough."""
    met = met_by(view, path, inserted)[:1] if inserted else []
    return [
        Line(view, answer.artifact, path, answer.likelihood, "text", None)
        for answer in met
        if answer.is_told(view) and answer.likelihood >= EDIT_LEAST
    ]


class _TouchedLines(NamedTuple):
    """The touched lines, as two kinds of ties count lines; empty where that is not known."""

    of_quotes: Sequence[tuple[int, int]]
    of_names: Sequence[tuple[int, int]]

    def of(self, tied: Tied) -> Sequence[tuple[int, int]]:
        return self.of_quotes if tied.arm == "quotes" else self.of_names


def _places(view: View, path: str, touched: Touched) -> _TouchedLines:
    """The touched lines, by the numbers that ties give. Quotes were looked for in the file as it is
    now; names in the file as the last analysis read it, which is how a change found it, if the file
    has grown since by what the change added.
    """
    workspace = view.workspace
    if workspace.is_as_read(path):
        return _TouchedLines(touched.ranges, touched.ranges)
    was_as_read = touched.is_edit and workspace.has_grown_by(path, touched.growth)
    return _TouchedLines(touched.ranges, touched.ranges_before if was_as_read else ())


def _in_place(ties: Sequence[Tied], touched: Touched, places: _TouchedLines) -> list[list[Tied]]:
    """In groups, the ties at the touched lines, in the order of the file, then those whose place
    can't be compared with these lines, then those of the whole file. A change also has the ties of
    what its text names; the others only where there are none of these.
    """
    lined = sorted((tied for tied in ties if tied.line is not None), key=lambda tied: tied.place)
    inside = [tied for tied in lined if _overlaps(tied, places.of(tied))]
    if touched.is_edit:
        words = {word[0] for word in matches(_WORD, touched.text)}
        named = [tied for tied in lined if tied not in inside and _is_named(tied, words)]
        if inside or named:
            return [inside, named]
    unknown = [tied for tied in lined if not places.of(tied)]
    return [inside, unknown, [tied for tied in ties if tied.line is None]]


def _overlaps(tied: Tied, ranges: Iterable[tuple[int, int]]) -> bool:
    first = tied.line or 0
    last = tied.last_line or first
    return any(start <= last and first <= end for start, end in ranges)


def _is_named(tied: Tied, words: set[str]) -> bool:
    return any(_SPLIT.split(name)[-1] in words for name in tied.names)
