"""The phrases of a text that are worth looking up, most telling first.

Known names are found by the matcher. This finds the rest: words in quotes; identifiers, tickets,
paths and options; words that stand side by side in some artifact; and rare words. `probe` shows
them; they decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import NamedTuple

from vouch_sidecar.index.query import rarity
from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.constants import (
    MAX_PHRASES,
    PHRASE_WORTH,
    RARE,
    PhraseKind,
)
from vouch_sidecar.retrieval.evidence.text_kinds import Span, exact_places
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import Unit, units
from vouch_sidecar.text.content_words import Term, terms
from vouch_sidecar.text.english_words import STOPWORDS

MIN_CHARS = 3

_QUOTED = re.compile(
    r"„([^“”\n]{3,120})[“”]|‚([^‘\n]{3,120})‘"
    r"|“([^”\n]{3,120})”|\"([^\"\n]{3,120})\"|`([^`\n]{3,120})`|«([^»\n]{3,120})»"
    # An apostrophe opens nothing: don't, dogs'. Inside, it stands within a word.
    r"|(?<![\w'])'(?=\w)((?:[^'\n]|(?<=\w)'(?=\w)){3,120})(?<!\s)'(?![\w'])"
    r"|(?<!\w)‘(?=\w)((?:[^‘’\n]|(?<=\w)’(?=\w)){3,120})(?<!\s)’(?!\w)"
)


_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})++(?!\w)")
"""A number with its digits in groups, which is one word: 20,000."""


class Phrase(NamedTuple):
    """Words of a text, and how telling they are, from 0 to 1."""

    text: str
    kind: PhraseKind
    weight: float
    terms: tuple[Term, ...]

    def is_held(self, words: Collection[str]) -> bool:
        """Whether the phrase has several words and all of them are among `words`."""
        return len(self.terms) > 1 and all(term.word in words for term in self.terms)


class _Scored(NamedTuple):
    phrase: Phrase
    span: Span
    telling: float


def phrases(views: Sequence[View], text: str, names: Sequence[Span] = ()) -> list[Phrase]:
    """At most eight phrases that something in the knowledge bases holds, most telling first.

    `names` are the spans of names that the matcher has recognised; nothing is looked for there.
    """
    candidates = []
    rarities = [cache(partial(_rarity_in, view)) for view in views]
    for kind, (start, end) in _candidates(views, rarities, text):
        if end - start < MIN_CHARS or _overlaps((start, end), names):
            continue
        words = text[start:end]
        phrase = Phrase(words, kind, PHRASE_WORTH[kind], tuple(terms(words)))
        asked = zip(views, rarities, strict=True)
        telling = max((_telling(view, rarity_of, phrase) for view, rarity_of in asked), default=0.0)
        if telling:
            candidates.append(_Scored(phrase, (start, end), telling))
    candidates.sort(key=lambda c: (-c.telling, c.span))
    return [candidate.phrase for candidate in _distinct(candidates)][:MAX_PHRASES]


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def _distinct(candidates: Sequence[_Scored]) -> Iterator[_Scored]:
    """Each phrase once, and no lone word of one that is kept."""
    seen: set[str] = set()
    spans: list[Span] = []
    for candidate in candidates:
        key = candidate.phrase.text.casefold()
        lone = candidate.phrase.kind == "rare" and _overlaps(candidate.span, spans)
        if key not in seen and not lone:
            seen.add(key)
            spans.append(candidate.span)
            yield candidate


def _telling(view: View, rarity_of: Callable[[Term], float], phrase: Phrase) -> float:
    """How telling a phrase is in a view; its rarity is looked up once for each generation."""

    def find() -> float:
        values = list(map(rarity_of, phrase.terms))
        return (sum(values) / len(values)) ** 0.5 if values and all(values) else 0.0

    return phrase.weight * view.cached("rarity of a phrase", phrase.text, find)


def _rarity_in(view: View, term: Term) -> float:
    """How rare a word is among claims, else pages and entities: from 0 (nowhere) to 1."""
    for kind in (Kind.CLAIM, Kind.PAGE, Kind.ENTITY, Kind.SOURCE):
        if frequency := view.search.frequency(term, kind):
            total = view.search.total(kind)
            return rarity(total, frequency) / rarity(total, 1)
    return 0.0


def _candidates(
    views: Sequence[View], rarities: Sequence[Callable[[Term], float]], text: str
) -> Iterator[tuple[PhraseKind, Span]]:
    for match in _QUOTED.finditer(text):
        yield "quoted", match.span(match.lastindex or 0)
    for span in exact_places(text):
        yield "exact", span
    content = list(_content_units(text))
    for first, second in pairwise(content):
        if not second.gap and _held_together(views, terms(text[first.start : second.end])):
            yield "together", (first.start, second.end)
    for unit in content:
        words = terms(text[unit.start : unit.end])
        if any(rarity_of(word) >= RARE for rarity_of in rarities for word in words):
            yield "rare", (unit.start, unit.end)


def _content_units(text: str) -> Iterator[Unit]:
    """The units that are no stopwords; a number with its digits in groups is one."""
    starts = {match.end(): match.start() for match in _GROUPED.finditer(text)}
    inside = {at for end, start in starts.items() for at in range(start, end)}
    for unit in units(text).units:
        if unit.end in starts:
            yield unit._replace(start=starts[unit.end], gap="")
        elif unit.start not in inside and unit.folded not in STOPWORDS:
            yield unit


def _held_together(views: Sequence[View], wanted: list[Term]) -> bool:
    if len(wanted) < 2:
        return False
    return any(v.search.holds(wanted, kind) for v in views for kind in (Kind.CLAIM, Kind.PAGE))
