"""Which documents hold a word: for every kind, gate and stem, the ordinals in ascending order.

Answers "all that hold it" from memory, exact at every moment; four bytes a posting.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import compress
from operator import itemgetter
from typing import NamedTuple

from sidecar.index.content import Needle

__all__ = ["Document", "Postings", "only_stem"]

_PROBES = 12
"""Looking an ordinal up in a list costs as much as walking past this many."""
_COMMON = 1 << 10
"""Of a list from this length on a map is kept, once it was walked: a byte an ordinal, 1 where the
list holds it. Looking up there is six times as fast, and most texts hold the same common words.
"""
_MAPS = 64


class Document(NamedTuple):
    """What can be found: an ordinal, what kind it is, who may see it, and its stems."""

    ordinal: int
    kind: str
    gate: str
    stems: tuple[str, ...]


def _list() -> array[int]:
    return array("I")


class Postings:
    """The lists of one index. Documents come and go one by one; ordinals mostly rise."""

    def __init__(self) -> None:
        self.lists: dict[tuple[str, str], dict[str, array[int]]] = defaultdict(
            lambda: defaultdict(_list)
        )
        """By kind and gate, the ordinals that hold a stem; what `frozen` keeps and brings back."""
        self._maps: dict[tuple[str, str, str], bytearray] = {}

    def add(self, document: Document) -> None:
        lists = self.lists[document.kind, document.gate]
        ordinal = document.ordinal
        for stem in frozenset(document.stems):
            found = lists[stem]
            if found and found[-1] > ordinal:
                insort(found, ordinal)
            else:
                found.append(ordinal)
        self._map(document, 1)

    def remove(self, document: Document) -> None:
        """Take out a document that was added."""
        lists = self.lists[document.kind, document.gate]
        for stem in frozenset(document.stems):
            found = lists[stem]
            del found[bisect_left(found, document.ordinal)]
            if not found:
                del lists[stem]
        self._map(document, 0)

    def _map(self, document: Document, held: int) -> None:
        """Keep the maps of common words up to date."""
        if self._maps:
            for stem in document.stems:
                if (known := self._maps.get((document.kind, document.gate, stem))) is not None:
                    _lengthen(known, document.ordinal)
                    known[document.ordinal] = held

    def frequency(self, needle: Needle, kind: str, gates: AbstractSet[str]) -> int:
        """How many documents of a kind hold the needle."""
        if not (stem := only_stem(needle)):
            return len(self.holding(needle, kind, gates))
        count = 0
        for lists in self._visible(kind, gates):
            count += len(lists.get(stem, _NONE))
        return count

    def holding(self, needle: Needle, kind: str, gates: AbstractSet[str]) -> set[int]:
        """Ordinals of the documents of a kind that hold the needle."""
        found: set[int] = set()
        for lists in self._visible(kind, gates):
            for option in needle.alternatives:
                rarest, *others = sorted((lists.get(s, _NONE) for s in option), key=len)
                held = set(rarest)
                for other in others:
                    held = _walked(held, other)
                found |= held
        return found

    def among(
        self, ordinals: AbstractSet[int], needle: Needle, kind: str, gates: AbstractSet[str]
    ) -> set[int]:
        """Those of the ordinals that hold the needle."""
        stem = only_stem(needle)
        if not stem:
            return self.holding(needle, kind, gates).intersection(ordinals)
        found: set[int] = set()
        for gate in gates:
            held = self.lists[kind, gate].get(stem) if (kind, gate) in self.lists else None
            if held is None:
                continue
            if (known := self._known((kind, gate, stem), held, len(ordinals))) is not None:
                found |= _marked(ordinals, known)
            else:
                found |= _walked(ordinals, held)
        return found

    def _known(self, where: tuple[str, str, str], held: array[int], asked: int) -> bytearray | None:
        """The map of a list, where it is faster than the list; made when it saves one walk."""
        if asked < 2 or len(held) < max(_COMMON, asked):
            return None
        known = self._maps.get(where)
        if known is None and len(held) < _PROBES * asked:
            if len(self._maps) >= _MAPS:
                self._maps.clear()
            known = self._maps[where] = bytearray(held[-1] + 1)
            for ordinal in held:
                known[ordinal] = 1
        return known

    def holding_all(
        self, needles: Sequence[Needle], kind: str, gates: AbstractSet[str]
    ) -> set[int]:
        """Ordinals of the documents of a kind that hold every needle; of none, none."""
        ranked = sorted((self.frequency(n, kind, gates), at) for at, n in enumerate(needles))
        if not ranked or not ranked[0][0]:
            return set()
        rarest, *others = (needles[at] for _, at in ranked)
        found = self.holding(rarest, kind, gates)
        for needle in others:
            if found:
                found = self.among(found, needle, kind, gates)
        return found

    def holds_all(self, needles: Sequence[Needle], kind: str, gates: AbstractSet[str]) -> bool:
        """Whether any document of a kind holds every needle."""
        stems = [only_stem(needle) for needle in needles]
        if not stems or not all(stems):
            return bool(self.holding_all(needles, kind, gates))
        for lists in self._visible(kind, gates):
            if _meet(*sorted((lists.get(stem or "", _NONE) for stem in stems), key=len)):
                return True
        return False

    def holding_some(
        self, needles: Sequence[Needle], kind: str, gates: AbstractSet[str], at_least: int
    ) -> set[int]:
        """Ordinals of the documents of a kind that hold this many of the needles."""
        ranked = sorted(needles, key=lambda n: self.frequency(n, kind, gates))
        seeds = len(ranked) - at_least + 1  # who holds none of these holds too few
        if at_least < 1 or seeds < 1:
            return set()
        held = [self.holding(needle, kind, gates) for needle in ranked[:seeds]]
        if at_least == 1:
            return set().union(*held)
        times = Counter[int]()
        for ordinals in held:
            times.update(ordinals)
        for needle in ranked[seeds:]:
            times.update(self.among(set(times), needle, kind, gates))
        return {ordinal for ordinal, count in times.items() if count >= at_least}

    def _visible(self, kind: str, gates: AbstractSet[str]) -> Iterator[Mapping[str, array[int]]]:
        for gate in gates:
            if (lists := self.lists.get((kind, gate))) is not None:
                yield lists


_NONE = _list()


def only_stem(needle: Needle) -> str | None:
    """The stem that is all there is to a needle; None where it has more."""
    if len(needle.alternatives) == 1 and len(needle.alternatives[0]) == 1:
        return needle.alternatives[0][0]
    return None


def _walked(ordinals: AbstractSet[int], held: array[int]) -> set[int]:
    """What both have."""
    if len(held) < _PROBES * len(ordinals):
        return (ordinals if isinstance(ordinals, set) else set(ordinals)).intersection(held)
    return {ordinal for ordinal in ordinals if _holds(held, ordinal)}


def _marked(ordinals: AbstractSet[int], known: bytearray) -> set[int]:
    """Those of two ordinals or more that a map has."""
    pick = itemgetter(*ordinals)  # all in one call: a third of what one by one takes
    try:
        return set(compress(ordinals, pick(known)))
    except IndexError:  # later ones came, of which none holds the word
        _lengthen(known, max(ordinals))
        return set(compress(ordinals, pick(known)))


def _lengthen(known: bytearray, ordinal: int) -> None:
    if ordinal >= len(known):
        known.extend(bytes(ordinal + 1 - len(known)))


def _meet(rarest: array[int], *others: array[int]) -> bool:
    """Whether one ordinal is in all of the lists."""
    for ordinal in rarest:
        for other in others:
            at = bisect_left(other, ordinal)  # not `_holds`: pairs of words are looked at often
            if at == len(other) or other[at] != ordinal:
                break
        else:
            return True
    return False


def _holds(held: array[int], ordinal: int) -> bool:
    at = bisect_left(held, ordinal)
    return at < len(held) and held[at] == ordinal
