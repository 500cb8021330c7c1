"""Chooses the claims to tell when a tool has just read or changed a file: what it defines is known
from the last analysis of the workspace, what it has of the claims' quotes by looking.

How likely an edit breaks a claim is a logistic function of `EditFeatures`, whose weights `make fit`
finds. An edit asks nothing, so it is judged by measures of its own.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from math import exp, fsum, log
from typing import NamedTuple

from vouch_sidecar.names.name_forms import FormKind
from vouch_sidecar.retrieval.constants import (
    BIAS_EDITS,
    EDIT_LEAST,
    LIKELIHOOD_WEIGHTS_EDITS,
    MAX_PHRASED,
)
from vouch_sidecar.retrieval.evidence.asked import asked_by, worths_of
from vouch_sidecar.retrieval.evidence.name_strength import is_listed, weigh
from vouch_sidecar.retrieval.files import Tied, each_statement_once, stale, visible_ties
from vouch_sidecar.retrieval.line import Line
from vouch_sidecar.retrieval.statements.candidates import Candidate, claims_holding
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import fold
from vouch_sidecar.text.content_words import content_stems
from vouch_sidecar.workspace.file_kinds import DOCUMENTS, ending_of, is_test
from vouch_sidecar.workspace.quotes_in_files import flat

_BETWEEN_WORDS = re.compile(r"[^\w$-]+")
_REMARK = re.compile(r"\s*+(?:$|(?:#++|--)(?:\s|$)|//|/?\*++(?:\s|/|$))")
"""A line that is empty or a comment."""
UNTIED = 0.25
"""As how strong a tie counts that a claim has none to the file."""


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


class EditFeatures(NamedTuple):
    """The features of a claim for an edit; its words weigh as in a prompt."""

    here: float
    """How strongly the claim is tied to the file, or named in its path, and `UNTIED`, times ln(1 +
    weight of its words in the lines that were put in or taken out).
    """
    lead: float
    """The share of its words that these lines or the path hold, less that of the next claim."""
    prose: float
    """1 for a test, a document or comments, which tell what holds more often than they change it;
    else 0.
    """
    named: float
    """How strongly these lines or the path name what the claim is about."""

    @property
    def likelihood(self) -> float:
        """From 0 to 1, rounded to 3 places."""
        terms = (value * LIKELIHOOD_WEIGHTS_EDITS[name] for name, value in self._asdict().items())
        return round(1 / (1 + exp(-BIAS_EDITS - fsum(terms))), 3)


def lines_at(view: View, touched: Touched) -> list[Line]:
    """The claims to tell, the best first, some several times: those whose quotes the change took
    away; the likeliest that the inserted lines meet; those tied to the touched lines; those that
    name what the change has; and, of what was read or where there are none of these two, those tied
    to the whole file. Weak ties are left out, and those tied to other lines.
    """
    there = view.world.path_here(touched.path)
    if there is None:
        return []
    ties = each_statement_once(
        tied
        for tied in visible_ties(view, view.world.stored_ties_of(there))
        if view.may_enter(tied.claim)
    )
    taken = flat(touched.before or touched.removed)
    lost = [
        tied
        for tied in ties
        if taken and tied.fresh == "gone" and _is_quoted(tied, taken) and stale(view, tied.claim)
    ]
    lines = [*map(_line, lost)]
    if touched.inserted:
        ids = {tied.claim.id for tied in lost}
        met = (each for each, _ in met_by(view, there, touched.inserted, touched.removed, ids))
        told = [c for c in met if c.likelihood >= max(EDIT_LEAST, view.least(c.kind))][:1]
        lines += [Line(view, c.artifact, there, c.likelihood, "text", None) for c in told]
    strong = [tied for tied in ties if not tied.is_weak and tied.tie.strength >= view.least()]
    lined = [tied for tied in strong if tied.tie.line is not None]
    words = frozenset(_BETWEEN_WORDS.split(touched.text))
    near = [tied for tied in lined if _overlaps(tied, touched.ranges)]
    near += [tied for tied in lined if not words.isdisjoint(_last_words(tied.names))]
    if not (touched.text and near):
        near += [
            tied for tied in strong if tied.tie.line is None or not (touched.ranges or touched.text)
        ]
    return [*lines, *map(_line, near)]


def _line(tied: Tied) -> Line:
    tie, path = tied.tie, tied.path
    place = path if tie.line is None else f"{path}:{tie.line}"
    return Line(tied.view, tied.claim, place, tie.strength, tie.arm, None)


def _overlaps(tied: Tied, ranges: Iterable[tuple[int, int]]) -> bool:
    first = tied.tie.line or 0
    return any(start <= (tied.tie.last_line or first) and first <= end for start, end in ranges)


def _last_words(names: Iterable[str]) -> set[str]:
    """The last word of each name: `send` of `Relay::send`, `valid` of `valid?`."""
    return {word for name in names for word in [*filter(None, _BETWEEN_WORDS.split(name))][-1:]}


def _is_quoted(tied: Tied, taken: str) -> bool:
    """Whether what a claim quotes stood in what a change has taken out, or that in it."""
    places = tied.view.world.quotes.places
    said = (
        flat(places[each.quoted].text)
        for _, _, each in tied.view.cited(tied.claim)
        if each is not None and each.quoted in places
    )
    return any(each in taken or taken in each for each in said)


def met_by(
    view: View, path: str, inserted: str, removed: str = "", lost: Container[str] = ()
) -> list[tuple[Candidate, EditFeatures]]:
    """The claims that an edit may break, likeliest first, each with its features: those that hold
    words of what it put into a file or took out, two, or one where the claim is tied to the file or
    named, and not only words of the path; what the project is called is none. Those with the ids in
    `lost` are known to be broken, and compared with none.
    """
    text = f"{inserted[:MAX_PHRASED]}\n{removed[:MAX_PHRASED]}"
    changed = frozenset(content_stems(text))
    placed = frozenset(content_stems(path))
    is_remark = all(map(_REMARK.match, text.splitlines()))
    ties = {
        tied.claim.id: tied.tie.strength
        for tied in visible_ties(view, view.world.stored_ties_of(path))
    }
    named = [
        mention
        for mention in weigh(view, f"{path}\n{text}")
        if is_listed(mention) and mention.form is not FormKind.DERIVED
    ]
    found = []
    for candidate in claims_holding(view, asked_by(view, text)):
        every = worths_of(view, candidate.text[:MAX_PHRASED]).items()
        worths = {word: worth for word, worth in every if fold(word.word) not in view.own_names}
        held = {word: worth for word, worth in worths.items() if word.held_by(changed)}
        beside = [worth for word, worth in worths.items() if word.held_by(changed | placed)]
        is_in_path = all(word.held_by(placed) for word in held)
        if not is_in_path and candidate.artifact.id not in lost:
            found.append((candidate, held.values(), fsum(beside) / fsum(worths.values())))
    met = list[tuple[Candidate, EditFeatures]]()
    for candidate, held_worths, share in found:
        about = [each for each in named if each.entity_id in candidate.entity_ids]
        in_path = [each.strength for each in about if each.start < len(path)]
        here = max([ties.get(candidate.artifact.id, 0.0), *in_path])
        others = [
            other_share
            for other, _, other_share in found
            if other.sentence_key != candidate.sentence_key and other.kind == "worded"
        ]
        features = EditFeatures(
            here=(here + UNTIED) * log(1 + fsum(held_worths)),
            lead=share - max(others, default=0.0),
            prose=float(is_remark or is_test(path) or ending_of(path) in DOCUMENTS),
            named=max((each.strength for each in about), default=0.0),
        )
        if len(held_worths) > 1 or here or about:
            met.append((candidate._replace(likelihood=features.likelihood), features))
    return sorted(met, key=lambda each: each[0].order)
