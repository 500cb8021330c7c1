"""Which documents hold a word: for every kind, gate and stem, a bitmap of ordinals.

Answers "all that hold it" from memory, exact at every moment; two bytes a posting, or less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from pyroaring import BitMap
from vouch_sidecar.index.content import Needle

__all__ = ["Document", "Postings", "merged"]


class Document(NamedTuple):
    """What can be found: an ordinal, what kind it is, who may see it, and its stems."""

    ordinal: int
    kind: str
    gate: str
    stems: tuple[str, ...]


class Postings:
    """The bitmaps of one index. Documents come and go one by one. What is answered may be one of
    its bitmaps, and is not to be changed.
    """

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], dict[str, BitMap]] = defaultdict(
            lambda: defaultdict(BitMap)
        )
        """By kind and gate, the ordinals that hold a stem; what `frozen` keeps and brings back."""

    def add(self, document: Document) -> None:
        held = self.held[document.kind, document.gate]
        for stem in frozenset(document.stems):
            held[stem].add(document.ordinal)

    def remove(self, document: Document) -> None:
        """Take out a document that was added."""
        held = self.held[document.kind, document.gate]
        for stem in frozenset(document.stems):
            found = held[stem]
            found.remove(document.ordinal)
            if not found:
                del held[stem]

    def revise(self, before: Document, after: Document) -> None:
        """Have a document say something else, under the same ordinal, kind and gate."""
        held, now = frozenset(before.stems), frozenset(after.stems)
        self.remove(before._replace(stems=tuple(held - now)))
        self.add(after._replace(stems=tuple(now - held)))

    def frequency(self, needle: Needle, kind: str, gates: AbstractSet[str]) -> int:
        """How many documents of a kind hold the needle."""
        return len(self.holding(needle, kind, gates))

    def holding(self, needle: Needle, kind: str, gates: AbstractSet[str]) -> BitMap:
        """Ordinals of the documents of a kind that hold the needle."""
        tables, alternatives = self._tables(kind, gates), needle.alternatives
        if len(tables) == len(alternatives) == len(alternatives[0]) == 1:  # so it is mostly
            return tables[0].get(alternatives[0][0], _NONE)
        return merged(
            [
                held.get(option[0], _NONE) if len(option) == 1 else _holding_all_of(held, option)
                for held in tables
                for option in alternatives
            ]
        )

    def _tables(self, kind: str, gates: AbstractSet[str]) -> Sequence[Mapping[str, BitMap]]:
        """The bitmaps by stem behind the gates."""
        return [held for gate in gates if (held := self.held.get((kind, gate))) is not None]

    def holding_all(self, needles: Sequence[Needle], kind: str, gates: AbstractSet[str]) -> BitMap:
        """Ordinals of the documents of a kind that hold every needle; of none, none."""
        bitmaps = [self.holding(needle, kind, gates) for needle in needles]
        if len(bitmaps) < 2:
            return bitmaps[0] if bitmaps else _NONE
        return BitMap.intersection(*sorted(bitmaps, key=len))

    def holds_all(self, needles: Sequence[Needle], kind: str, gates: AbstractSet[str]) -> bool:
        """Whether any document of a kind holds every needle."""
        if len(needles) != 2:
            return bool(self.holding_all(needles, kind, gates))
        one, two = (self.holding(needle, kind, gates) for needle in needles)
        return one.intersect(two)

    def holding_some(
        self, needles: Sequence[Needle], kind: str, gates: AbstractSet[str], at_least: int
    ) -> BitMap:
        """Ordinals of the documents of a kind that hold this many of the needles."""
        bitmaps = sorted(filter(None, (self.holding(n, kind, gates) for n in needles)), key=len)
        seeds = len(bitmaps) - at_least + 1  # who holds none of these holds too few
        if at_least < 1 or seeds < 1:
            return _NONE
        possible = merged(bitmaps[:seeds])
        if at_least == 1 or not possible:
            return possible
        times = [possible] + [BitMap() for _ in range(at_least)]
        """Who holds so many of the needles that were looked at, or more."""
        for number, bitmap in enumerate(bitmaps):
            held = bitmap & possible
            fewest = max(0, at_least - (len(bitmaps) - number))  # who holds fewer can't hold enough
            for count in range(min(number, at_least - 1), fewest - 1, -1):
                times[count + 1] |= times[count] & held
        return times[at_least]


_NONE = BitMap()


def merged(bitmaps: Sequence[BitMap]) -> BitMap:
    """All ordinals of some bitmaps; not to be changed."""
    if len(bitmaps) < 2:
        return bitmaps[0] if bitmaps else _NONE
    return BitMap.union(*bitmaps)


def _holding_all_of(held: Mapping[str, BitMap], stems: Sequence[str]) -> BitMap:
    return BitMap.intersection(*(held.get(stem, _NONE) for stem in stems))
