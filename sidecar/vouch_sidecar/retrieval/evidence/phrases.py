"""The phrases of a text, which `probe` shows and lines give as reason. They decide nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from vouch_sidecar.kb.records import Kind
from vouch_sidecar.retrieval.constants import MAX_PHRASES
from vouch_sidecar.retrieval.evidence.text_kinds import Span, blanked, exact_places
from vouch_sidecar.retrieval.evidence.word_weights import worths_of
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.text.analysis import units
from vouch_sidecar.text.english_words import STOPWORDS

_QUOTED = re.compile(r"[“„]([^“”\n]{3,120})[“”]|\"([^\"\n]{3,120})\"|`([^`\n]{3,120})`")


def phrases(views: Sequence[View], text: str, names: Sequence[Span] = ()) -> list[str]:
    """At most eight phrases of a text without its names: what stands in quotes, identifiers and the
    like, and the words that some claim or section holds, the weightiest first.
    """
    rest = blanked(text, names)
    spans = [match.span(match.lastindex or 0) for match in _QUOTED.finditer(rest)]
    wholes = [rest[start:end].strip() for start, end in (*spans, *exact_places(rest))]
    weights = {
        word.word: weight
        for view in views
        for word, weight in worths_of(view, rest).items()
        if any(view.search.frequency(word, kind) for kind in (Kind.CLAIM, Kind.PAGE))
    }
    words = sorted(weights, key=lambda word: -weights[word])
    return list(dict.fromkeys(filter(None, [*wholes, *words])))[:MAX_PHRASES]


def phrase_of(text: str, words: Collection[str]) -> str:
    """The longest run of some words in a text, else each of them."""
    runs = list(_runs(text, words))
    best = max(runs, key=lambda run: run[2], default=(0, 0, 0))
    return text[best[0] : best[1]] if best[2] > 1 else " ".join(words)


def _runs(text: str, words: Collection[str]) -> Iterator[tuple[int, int, int]]:
    """Start, end and number of words of each run, in which at most stopwords stand between."""
    start = end = number = 0
    for unit in units(text).units:
        if unit.folded in STOPWORDS and not unit.gap:
            continue
        if text[unit.start : unit.end] not in words or (unit.gap and number):
            yield start, end, number
            number = 0
        if text[unit.start : unit.end] in words:
            start, end, number = start if number else unit.start, unit.end, number + 1
    yield start, end, number
