"""The phrases of a text that are worth looking up, most telling first.

Known names are found by the matcher. This finds the rest: words in quotes; words written like a
name, an identifier or a notation; words that stand side by side in some artifact; and rare words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
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
_UNIT = r"(?:[%°]|(?:[kMGT]i?B|[µmn]?s|min|h|rps|qps|Hz|kHz|MHz|GHz|px|km|kg|mg|m|to)\b)"
"""What makes a number an amount, which is in many texts; “to” joins two of them."""
_NOTATION = re.compile(
    rf"(?<!\w)(?:v\d++(?:\.\d++)++\w*+|\d++(?:\.\d++){{1,20}}+(?!\.?\d)(?!\s?{_UNIT})\w*+|"
    r"[A-Z][A-Z0-9]++-\d++|[A-Z]{2,}+\s\d++(?:\.\d++(?!\w))*+|\#\d++|\d*+d\d++)(?!\w)"
)
_IDENTIFIER = re.compile(
    r"(?<![\w/])(?:(?:[a-z0-9]++(?:_[a-z0-9]++)++|[A-Z0-9]++(?:_[A-Z0-9]++)++"
    r"|[a-z][a-z0-9]*+(?:[A-Z][a-z0-9]++)++|(?:[A-Z][a-z0-9]++){2,}+)(?!\w)"
    r"|[a-z]\w*+(?:-[a-z0-9]++(?!\w))++|[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)++)"
)
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})++(?!\w)")
"""A number with its digits in groups, which is one word: 20,000."""
_JOINERS = frozenset({"of", "the", "von", "van", "de", "der", "la", "del", "and"})


Span = tuple[int, int]


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
    titles = [_titled(title, text) for title in sorted(set(titles_in(views, text)))]
    first: dict[str, Phrase] = {}
    for phrase in [*titles, *(c.phrase for c in _distinct(candidates))]:
        first.setdefault(phrase.text.casefold(), phrase)
    return [*first.values()][:MAX_PHRASES]


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


def _titled(title: str, text: str) -> Phrase:
    """The words of a text that are a page's title, as the text has them."""
    wanted = tuple(terms(title))
    stems = _stems(wanted)
    words = [word.word for word in terms(text) if not stems.isdisjoint(_stems([word]))]
    start = text.find(words[0])
    between = text[start : text.find(words[-1], start) + len(words[-1])]
    side_by_side = [word.word for word in terms(between)] == words
    return Phrase(
        between if side_by_side else " ".join(words), "title", PHRASE_WORTH["title"], wanted
    )


def _stems(words: Iterable[Term]) -> frozenset[str]:
    return frozenset(s for word in words for option in word.alternatives for s in option)


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
    for match in _NOTATION.finditer(text):
        yield "notation", match.span()
    for match in _IDENTIFIER.finditer(text):
        yield "identifier", match.span()
    analysis = units(text)
    for run in capitalised(text, analysis.units):
        yield "name", (run[0].start, run[-1].end)
    content = list(_numbers_whole(text, analysis.units))
    for first, second in pairwise(content):
        if not second.gap and _held_together(views, terms(text[first.start : second.end])):
            yield "together", (first.start, second.end)
    for unit in content:
        words = terms(text[unit.start : unit.end])
        if any(rarity_of(word) >= RARE for rarity_of in rarities for word in words):
            yield "rare", (unit.start, unit.end)


def _numbers_whole(text: str, text_units: Iterable[Unit]) -> Iterator[Unit]:
    """The units that are no stopwords; a number with its digits in groups is one."""
    grouped = [match.span() for match in _GROUPED.finditer(text)]
    for unit in text_units:
        if grouped and unit.start >= grouped[0][0]:
            start, end = grouped[0]
            if unit.end < end:
                continue
            grouped.pop(0)
            yield unit._replace(start=start, gap="")
        elif unit.folded not in STOPWORDS:
            yield unit


def capitalised(text: str, text_units: Sequence[Unit]) -> Iterator[list[Unit]]:
    """Runs of two or more capitalised words, with joiners between them."""
    run: list[Unit] = []
    for unit in text_units:
        capital = text[unit.start].isupper() and unit.folded not in STOPWORDS
        joined = not unit.gap
        goes_on = run and joined and unit.folded in _JOINERS
        if goes_on or (capital and (joined or not run)):
            run.append(unit)
        else:
            yield from _trimmed(run)
            run = [unit] if capital else []
    yield from _trimmed(run)


def _trimmed(run: list[Unit]) -> Iterator[list[Unit]]:
    while run and run[-1].folded in _JOINERS:
        run = run[:-1]
    if len(run) > 1:
        yield run


def titles_in(views: Sequence[View], text: str) -> Iterator[str]:
    """Titles of pages, of two content words or more, all of whose words stand in the text."""
    words = terms(text)
    stems = _stems(words)
    for view in views:
        for title in view.visible.titles_holding(words):
            wanted = terms(title)
            if len(wanted) > 1 and all(n.held_by(stems) for n in wanted):
                yield title


def _held_together(views: Sequence[View], wanted: list[Term]) -> bool:
    if len(wanted) < 2:
        return False
    return any(v.search.holds(wanted, kind) for v in views for kind in (Kind.CLAIM, Kind.PAGE))
