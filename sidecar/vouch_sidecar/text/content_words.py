"""Content words, which full text indexes and asks for: the stems of a text's units without
stopwords, and bigrams of characters of scripts without spaces.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from vouch_sidecar.text.analysis import Units, units
from vouch_sidecar.text.english_words import STOPWORDS

MAX_REMEMBERED = 40
"""Bytes of a piece of text whose stems are remembered: longer ones seldom come again, as do clauses
without spaces, whose pairs would take much memory.
"""


class Term(NamedTuple):
    """A word to look for: any of its alternatives, each of which is all of its stems."""

    word: str
    alternatives: tuple[tuple[str, ...], ...]
    is_pair: bool = False
    """Whether it is in a script without spaces, of which pairs of signs are words."""

    def held_by(self, stems: frozenset[str]) -> bool:
        """Whether a text with these stems contains the word."""
        return any(map(stems.issuperset, self.alternatives))


def content_stems(text: str) -> list[str]:
    """The stems by which full text finds a text: stems without stopwords, with repetitions, in
    order; then the whole words of identifiers; then pairs of characters.
    """
    stems, wholes, pairs = list[str](), list[str](), list[str]()
    for piece in text.split():
        is_short = len(piece.encode("utf-8", "replace")) <= MAX_REMEMBERED
        of_piece = _remembered(piece) if is_short else _stems_of(piece)
        stems += of_piece[0]
        wholes += of_piece[1]
        pairs += of_piece[2]
    return stems + wholes + pairs


def _stems_of(piece: str) -> tuple[tuple[str, ...], ...]:
    """What a piece between two spaces adds, as it has the same units by itself: the stems of words,
    of whole identifiers, and the pairs of characters.
    """
    analysis = units(piece)
    stems = (u.stem for u in analysis.units if not u.spaceless and u.folded not in STOPWORDS)
    wholes = (whole.stem for whole, _ in analysis.wholes.values())
    return tuple(stems), tuple(wholes), tuple(pair for pair, _ in _pairs(analysis))


_remembered = lru_cache(maxsize=1 << 15)(_stems_of)


def terms(text: str) -> list[Term]:
    """The content words of a question, each once, in order."""
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
    for pair, word in _pairs(analysis):
        by_options.setdefault(((pair,),), Term(word, ((pair,),), is_pair=True))
    return list(by_options.values())


def _pairs(analysis: Units) -> Iterator[tuple[str, str]]:
    """Pairs of neighbouring signs of scripts without spaces, and signs that have no neighbour:
    each folded, and as it is written.
    """
    signs = [unit for unit in analysis.units if unit.spaceless]
    for before, sign, after in zip([None, *signs], signs, [*signs[1:], None], strict=False):
        if after is not None and after.start == sign.end:
            yield sign.folded + after.folded, analysis.text[sign.start : after.end]
        elif before is None or before.end != sign.start:
            yield sign.folded, analysis.text[sign.start : sign.end]
