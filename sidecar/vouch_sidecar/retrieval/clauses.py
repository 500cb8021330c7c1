"""The ways in which a text can be read: without the names in it, and clause by clause.

A reading has blanks for what it leaves out, so that places in it are those in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from vouch_sidecar.index.text import Unit, units
from vouch_sidecar.index.words import STOPWORDS
from vouch_sidecar.retrieval.constants import MAX_CLAUSES
from vouch_sidecar.retrieval.surroundings import ADDRESSING, SPEAKING

__all__ = ["Reading", "Span", "readings", "without_names"]

Span = tuple[int, int]

_CLAUSE_END = re.compile(
    r"[.!?;:\n]+(?:\s|$)|,\s+(?=but\b)"
    r"|,\s+(?=(?:and\s|or\s|so\s)?(?:am|are|can|could|did|do|does|has|have|how|is|may|must|shall|"
    r"should|was|were|what|why)(?:\s[\w'’-]+){5})"
)
"""What ends a sentence, and the comma before a question of some length."""
_INTERROGATIVE = frozenset("what whats when where which who whos whom whose why how".split())
_INDIRECT = _INTERROGATIVE | {"if", "whether"}
_ASKING = _INTERROGATIVE | frozenset("are did does has is may should was were".split())
_REPORTING = SPEAKING | {"claims", "report", "reports"}
_PREPOSITIONS = frozenset("at by for from in of on since to until with".split())
_REQUESTING = frozenset({"can", "could", "will", "would"})
_MODAL = _REQUESTING | {"am", "do", "might", "must", "shall"}
_SUBJECTS = frozenset("he i it one she there they we".split())
"""“can we cook on spot machines” asks to be told; “can you cook” does not."""
_QUESTION_MARKS = "?？؟"


class Reading(NamedTuple):
    """What is left of a text, whether it asks to be told something, and where it begins there."""

    text: str
    question: bool
    start: int = 0

    def holds(self, place: int) -> bool:
        """Whether what stands at a place of the text is left."""
        at = place - self.start
        return 0 <= at < len(self.text) and self.text[at] != " "


def readings(text: str, names: Sequence[Span] = ()) -> list[Reading]:
    """A text without the names at some places, as a whole and without the clauses that hold one;
    then its clauses that ask, each by itself and with the one before it.
    """
    rest = without_names(text, names)
    clauses = list(islice(_clauses(text), MAX_CLAUSES))
    asks = any(_asks(rest[slice(*one)]) for one in clauses) if names else is_question(rest)
    found = [Reading(rest, asks)]
    if len(clauses) > 1:
        if held := [one for one in clauses if _holds_any(one, names)]:
            other = _blanked(rest, held)
            found.append(Reading(other, any(_asks(other[slice(*one)]) for one in clauses)))
        for before, one in zip([clauses[0], *clauses], clauses, strict=False):
            if _asks(rest[slice(*one)]):
                found += [Reading(rest[at : one[1]], True, at) for at in (before[0], one[0])]
    return list(dict.fromkeys(found))


def without_names(text: str, names: Sequence[Span]) -> str:
    """A text without the names at some places, without whoever is addressed or reported (“tell X”,
    “X asks”), and without clauses that say next to nothing beside a name (“X is fine;”).
    """
    if not names:
        return text
    rest = _blanked(text, names)
    analysed = units(text).units
    rest = _blanked(rest, _telling(analysed, [rest[u.start] == " " for u in analysed]))
    clauses = [
        (one, sum(unit.folded not in STOPWORDS for unit in units(rest[slice(*one)]).units))
        for one in _clauses(text)
    ]
    whole = sum(number for _, number in clauses)
    slight = [one for one, number in clauses if number <= 1 < whole - number]
    return _blanked(rest, [one for one in slight if _holds_any(one, names)])


def _blanked(text: str, spans: Iterable[Span]) -> str:
    out = list(text)
    for start, end in spans:
        out[start:end] = " " * (end - start)
    return "".join(out)


def _telling(analysed: Sequence[Unit], named: Sequence[bool]) -> Iterator[Span]:
    """Beside names, the words that address somebody, or report that somebody says something; all of
    a clause before words that report what somebody asks.
    """
    first, name = 0, None
    for i, unit in enumerate(analysed):
        if unit.gap:
            first, name = i, None
        if named[i]:
            name = i
            if i and not unit.gap and analysed[i - 1].folded in ADDRESSING:
                yield analysed[i - 1].start, analysed[i - 1].end
        elif name is not None and unit.folded in _REPORTING:
            after = analysed[i + 1] if i + 1 < len(analysed) else None
            if after is not None and not after.gap and after.folded in _INDIRECT:
                yield analysed[first].start, unit.end
            elif all(u.folded in STOPWORDS | _REPORTING for u in analysed[name + 1 : i]):
                yield analysed[name].start, unit.end


def _clauses(text: str) -> Iterator[Span]:
    start = 0
    for end in [*(match.end() for match in _CLAUSE_END.finditer(text)), len(text)]:
        if text[start:end].strip():
            yield start, end
        start = end


def _holds_any(clause: Span, names: Iterable[Span]) -> bool:
    return any(clause[0] < end and start < clause[1] for start, end in names)


def _asks(clause: str) -> bool:
    """Whether a clause asks, or does so after a comma: “broken glass, what now”."""
    analysed = units(clause).units
    later = any("," in u.gap and u.folded in _INTERROGATIVE for u in analysed)
    return later or is_question(clause) or [u.folded for u in analysed[:1]] in (["if"], ["whether"])


def is_question(text: str) -> bool:
    """Whether a text asks to be told something, and not to have something done."""
    first = [unit.folded for unit in units(text).units[:2]]
    if first[1:] == ["you"] and first[0] in _REQUESTING:
        return False
    asks = bool(first) and first[0] in _ASKING
    asks = asks or (len(first) > 1 and first[0] in _MODAL and first[1] in _SUBJECTS)
    asks = asks or (len(first) > 1 and first[0] in _PREPOSITIONS and first[1] in _INTERROGATIVE)
    return asks or any(mark in text for mark in _QUESTION_MARKS)
