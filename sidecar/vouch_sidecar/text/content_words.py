"""Content words, which full text indexes and asks for: the stems of a text's units without
stopwords, and bigrams of characters of scripts without spaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from vouch_sidecar.text.analysis import Unit, Units, Word, has_spaceless, stem, units, words_of
from vouch_sidecar.text.english_words import STOPWORDS

_FEW = 1 << 8
"""Characters that a text may have to be remembered with its content words, of which there are
thousands.
"""


@cache
def _stopword_stems() -> frozenset[str]:
    return frozenset(map(stem, STOPWORDS))


def always_content(stemmed: str) -> bool:
    """Whether full text finds every text that has a unit with this stem. That is not so where
    another form of the word is a stopword, nor for characters that are indexed in pairs.
    """
    return stemmed not in _stopword_stems() and not has_spaceless(stemmed[:1])


class Term(NamedTuple):
    """A word to look for: any of its alternatives, each of which is all of its stems."""

    word: str
    alternatives: tuple[tuple[str, ...], ...]

    @property
    def only_stem(self) -> str | None:
        """The word's stem; None if it has several, or alternatives."""
        if len(self.alternatives) == 1 and len(self.alternatives[0]) == 1:
            return self.alternatives[0][0]
        return None

    def held_by(self, stems: frozenset[str]) -> bool:
        """Whether a text with these stems contains the word."""
        return any(map(stems.issuperset, self.alternatives))


def content_stems(text: str) -> list[str]:
    """The stems by which full text finds a text: stems without stopwords, with repetitions, in
    order; then the whole words of identifiers; then pairs of characters.
    """
    if text.isascii():
        return _stems_of(words_of(text))
    if not has_spaceless(text):
        return _stems_of(words_of(text))
    analysis = units(text)
    out = [u.stem for u in analysis.units if not u.spaceless and u.folded not in STOPWORDS]
    out += [whole.stem for whole, _ in analysis.wholes.values()]
    out += [bigram for bigram, _ in _bigrams(analysis)]
    return out


def _stems_of(words: Iterable[Word]) -> list[str]:
    # As content_stems says, without a Unit for each word: every file of a cold start comes by.
    out: list[str] = []
    wholes: list[str] = []
    for _, _, folded, root, parts in words:
        if parts:
            out += [part_root for _, _, part, part_root in parts if part not in STOPWORDS]
            wholes.append(root)
        elif folded and folded not in STOPWORDS:
            out.append(root)
    return out + wholes


def terms(text: str) -> list[Term]:
    """The content words of a question, each once, in order."""
    return list(_remembered(text) if len(text) <= _FEW else _needles(text))


@lru_cache(maxsize=1 << 12)
def _remembered(text: str) -> tuple[Term, ...]:
    return _needles(text)


def _needles(text: str) -> tuple[Term, ...]:
    analysis = units(text)
    by_options: dict[tuple[tuple[str, ...], ...], Term] = {}
    skip_to = 0
    for i, unit in enumerate(analysis.units):
        if i < skip_to or unit.spaceless or unit.folded in STOPWORDS:
            continue
        word = text[unit.start : unit.end]
        options: list[tuple[str, ...]] = [(unit.stem,)]
        if i in analysis.wholes:
            whole, skip_to = analysis.wholes[i]
            word = text[whole.start : whole.end]
            options = [(whole.stem,), tuple(u.stem for u in analysis.units[i:skip_to])]
        by_options.setdefault(tuple(options), Term(word, tuple(options)))
    for bigram, word in _bigrams(analysis):
        by_options.setdefault(((bigram,),), Term(word, ((bigram,),)))
    return tuple(by_options.values())


def _bigrams(analysis: Units) -> Iterator[tuple[str, str]]:
    """Pairs of neighbouring characters of scripts without spaces, and characters that have no
    neighbour.
    """
    run: list[Unit] = []
    for unit in [*analysis.units, None]:
        joined = unit is not None and unit.spaceless and (not run or run[-1].end == unit.start)
        if joined and unit is not None:
            run.append(unit)
            continue
        yield from _run_bigrams(analysis.text, run)
        run = [unit] if unit is not None and unit.spaceless else []


def _run_bigrams(text: str, run: list[Unit]) -> Iterator[tuple[str, str]]:
    if len(run) == 1:
        yield run[0].folded, text[run[0].start : run[0].end]
    for first, second in pairwise(run):
        yield first.folded + second.folded, text[first.start : second.end]
