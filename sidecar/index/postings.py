"""Which documents hold a word: for every kind, gate and stem, the ordinals in ascending order.

Answers "all that hold it" from memory, exact at every moment; four bytes a posting.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from sidecar.index.text import Needle

__all__ = ["Document", "Postings"]

_PROBES = 12
"""Looking an ordinal up in a list costs as much as walking past this many."""


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
        self._lists: defaultdict[tuple[str, str], defaultdict[str, array[int]]] = defaultdict(
            lambda: defaultdict(_list)
        )

    def add(self, document: Document) -> None:
        lists = self._lists[document.kind, document.gate]
        ordinal = document.ordinal
        for stem in frozenset(document.stems):
            found = lists[stem]
            if found and found[-1] > ordinal:
                insort(found, ordinal)
            else:
                found.append(ordinal)

    def remove(self, document: Document) -> None:
        """Take out a document that was added."""
        lists = self._lists[document.kind, document.gate]
        for stem in frozenset(document.stems):
            found = lists[stem]
            del found[bisect_left(found, document.ordinal)]
            if not found:
                del lists[stem]

    def frequency(self, needle: Needle, kind: str, gates: AbstractSet[str]) -> int:
        """How many documents of a kind hold the needle."""
        if stem := _only_stem(needle):
            return sum(len(lists.get(stem, ())) for lists in self._visible(kind, gates))
        return len(self.holding(needle, kind, gates))

    def holding(self, needle: Needle, kind: str, gates: AbstractSet[str]) -> set[int]:
        """Ordinals of the documents of a kind that hold the needle."""
        found: set[int] = set()
        for lists in self._visible(kind, gates):
            for option in needle.alternatives:
                rarest, *others = sorted((lists.get(s, _NONE) for s in option), key=len)
                held = set(rarest)
                for other in others:
                    held = _among(held, other)
                found |= held
        return found

    def among(
        self, ordinals: AbstractSet[int], needle: Needle, kind: str, gates: AbstractSet[str]
    ) -> set[int]:
        """Those of the ordinals that hold the needle."""
        stem = _only_stem(needle)
        if not stem:
            return self.holding(needle, kind, gates).intersection(ordinals)
        found: set[int] = set()
        for lists in self._visible(kind, gates):
            if (held := lists.get(stem)) is not None:
                found |= _among(ordinals, held)
        return found

    def holding_all(
        self, needles: Sequence[Needle], kind: str, gates: AbstractSet[str]
    ) -> set[int]:
        """Ordinals of the documents of a kind that hold every needle; of none, none."""
        if not needles:
            return set()
        rarest, *others = sorted(needles, key=lambda n: self.frequency(n, kind, gates))
        found = self.holding(rarest, kind, gates)
        for needle in others:
            if found:
                found = self.among(found, needle, kind, gates)
        return found

    def holds_all(self, needles: Sequence[Needle], kind: str, gates: AbstractSet[str]) -> bool:
        """Whether any document of a kind holds every needle."""
        stems = [_only_stem(needle) for needle in needles]
        if not stems or not all(stems):
            return bool(self.holding_all(needles, kind, gates))
        for lists in self._visible(kind, gates):
            rarest, *others = sorted((lists.get(s or "", _NONE) for s in stems), key=len)
            for ordinal in rarest:
                if all(_holds(other, ordinal) for other in others):
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
            times.update(self.among(times.keys(), needle, kind, gates))
        return {ordinal for ordinal, count in times.items() if count >= at_least}

    def _visible(self, kind: str, gates: AbstractSet[str]) -> Iterator[Mapping[str, array[int]]]:
        for gate in gates:
            if (lists := self._lists.get((kind, gate))) is not None:
                yield lists


_NONE = _list()


def _only_stem(needle: Needle) -> str | None:
    """The stem that is all there is to a needle; None where it has more."""
    if len(needle.alternatives) == 1 and len(needle.alternatives[0]) == 1:
        return needle.alternatives[0][0]
    return None


def _among(ordinals: AbstractSet[int], held: array[int]) -> set[int]:
    """What both have."""
    if len(held) < _PROBES * len(ordinals):
        return (
            set(held).intersection(ordinals)
            if len(held) < len(ordinals)
            else (set(ordinals).intersection(held))
        )
    return {ordinal for ordinal in ordinals if _holds(held, ordinal)}


def _holds(held: array[int], ordinal: int) -> bool:
    at = bisect_left(held, ordinal)
    return at < len(held) and held[at] == ordinal
