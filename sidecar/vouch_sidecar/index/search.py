"""Full text over what a knowledge base holds: what holds words, and how well it matches them.

Documents are stems that `text` made, so that one analysis rules everywhere.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pyroaring import BitMap
from vouch_sidecar.index.content import Needle, content_stems
from vouch_sidecar.index.postings import Document, Postings

__all__ = ["BEST_PER_WEIGHT", "Document", "Search", "fewest", "rarity", "score"]

_K1, _B = 1.2, 0.75
BEST_PER_WEIGHT = _K1 + 1
"""What a word adds to a score at most, for each unit of its weight."""
_TITLE = "title"
"""The kind of a document that is a page's title alone."""


def rarity(total: int, frequency: int) -> float:
    """Weight of a word that `frequency` of `total` texts hold; one that none holds is rarest."""
    return math.log(1 + total / max(frequency, 1)) if total else 1.0


class Search:
    """An index in memory. Queries and changes belong to one thread."""

    def __init__(self) -> None:
        self.totals: Counter[tuple[str, str]] = Counter()
        """By kind and gate, how many documents; this and `lengths` are for `frozen` too."""
        self.lengths: Counter[tuple[str, str]] = Counter()
        self.postings = Postings()
        self.titles: dict[int, str] = {}
        """The titles of pages by the ordinal of their first document."""

    def add(self, document: Document) -> None:
        """Make a document findable."""
        self._count(document, 1)
        self.postings.add(document)

    def remove(self, document: Document) -> None:
        """Make a document unfindable."""
        self._count(document, -1)
        self.postings.remove(document)

    def revise(self, before: Document, after: Document) -> None:
        """Make a document findable by what it says now; ordinal, kind and gate stay."""
        self.lengths[after.kind, after.gate] += len(after.stems) - len(before.stems)
        self.postings.revise(before, after)

    def add_title(self, page: Document, title: str) -> None:
        """Make a page findable by its title alone."""
        self.titles[page.ordinal] = title
        self.add(_as_title(page, title))

    def remove_title(self, page: Document) -> None:
        """Make a page unfindable by its title."""
        self.remove(_as_title(page, self.titles.pop(page.ordinal)))

    def _count(self, document: Document, sign: int) -> None:
        where = document.kind, document.gate
        self.totals[where] += sign
        self.lengths[where] += sign * len(document.stems)

    def holding_all(self, needles: Sequence[Needle], kind: str, gates: frozenset[str]) -> BitMap:
        """Ordinals of the documents of a kind that hold every needle."""
        return self.postings.holding_all(needles, kind, gates)

    def holds_all(self, needles: Sequence[Needle], kind: str, gates: frozenset[str]) -> bool:
        """Whether any document of a kind holds every needle."""
        return self.postings.holds_all(needles, kind, gates)

    def frequency(self, needle: Needle, kind: str, gates: frozenset[str]) -> int:
        """How many documents of a kind hold the needle."""
        return self.postings.frequency(needle, kind, gates)

    def total(self, kind: str, gates: frozenset[str]) -> int:
        """How many documents of a kind there are."""
        return sum(self.totals.get((kind, gate), 0) for gate in gates)

    def length(self, kind: str, gates: frozenset[str]) -> int:
        """Stems of all documents of a kind."""
        return sum(self.lengths.get((kind, gate), 0) for gate in gates)

    def holding(
        self, needles: Sequence[Needle], kind: str, gates: frozenset[str], at_least: int = 1
    ) -> BitMap:
        """Ordinals of the documents of a kind that hold this many of the needles."""
        return self.postings.holding_some(needles, kind, gates, at_least)

    def titled(self, needles: Sequence[Needle], gates: frozenset[str], at_least: int) -> list[str]:
        """Titles of pages that hold this many of the needles."""
        return [self.titles[o] for o in self.holding(needles, _TITLE, gates, at_least)]


def _as_title(page: Document, title: str) -> Document:
    return page._replace(kind=_TITLE, stems=tuple(content_stems(title)))


def fewest(weights: Iterable[float], share: float) -> int:
    """How many words a text must hold at least to hold this share of their weight."""
    heaviest = sorted(weights, reverse=True)
    wanted = share * math.fsum(heaviest) - 1e-9
    held = 0.0
    for number, weight in enumerate(heaviest, 1):
        held += weight
        if held >= wanted:
            return number
    return 1


def _times(stems: tuple[str, ...], needle: Needle) -> int:
    """How often a text holds a word."""
    if (stem := needle.only_stem) is not None:
        return stems.count(stem)
    return max(min(stems.count(s) for s in option) for option in needle.alternatives)


def score(document: Document, weights: Mapping[Needle, float], average_length: float) -> float:
    """BM25 of a document (Robertson and Zaragoza 2009, k1 1.2, b 0.75) with given word weights."""
    length = len(document.stems) / average_length if average_length else 1.0
    total = 0.0
    for needle, weight in weights.items():
        if times := _times(document.stems, needle):
            total += weight * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * length))
    return total
