"""Which words of a text claims hold, and the claims that share most with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import nlargest, nsmallest
from math import fsum
from operator import attrgetter

from sidecar.index.content import Needle
from sidecar.index.knowledge import Knowledge
from sidecar.kb.records import Claim, Kind

__all__ = ["Overlap"]

_CLAIMS_PER_WORD = 16
"""Reading a claim costs as much as looking this many up that may hold a word."""
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Overlap:
    """The claims of a knowledge base behind some gates, by their ordinals."""

    knowledge: Knowledge
    gates: frozenset[str]

    def largest(
        self, ordinals: AbstractSet[int], weights: Mapping[Needle, float], limit: int
    ) -> list[Claim]:
        """The claims that hold the most weight of words, at most `limit`; ties by id."""
        if len(ordinals) <= _CLAIMS_PER_WORD * len(weights):
            shares = self._shares(ordinals, weights)
        else:
            shares = self._leading(ordinals, weights, limit)
        groups: defaultdict[float, list[int]] = defaultdict(list)
        for ordinal, share in shares.items():
            groups[round(share, 9)].append(ordinal)
        found: list[Claim] = []
        for share in sorted(groups, reverse=True):
            if len(found) < limit:
                found += self._first(groups[share], limit - len(found))
        return found

    def _shares(
        self, ordinals: AbstractSet[int], weights: Mapping[Needle, float]
    ) -> Mapping[int, float]:
        shares = dict.fromkeys(ordinals, 0.0)
        for words, group in self.held(ordinals, list(weights)).items():
            shares.update(dict.fromkeys(group, fsum(map(weights.__getitem__, words))))
        return shares

    def _leading(
        self, ordinals: AbstractSet[int], weights: Mapping[Needle, float], limit: int
    ) -> Mapping[int, float]:
        """The weights that claims hold, for those that may be among the `limit` that hold the most;
        less the same for all of them.

        Heaviest words first, as in MaxScore (Turtle and Flood 1995): once all words that are left
        weigh less than what so many claims hold, no other claim can be one of them.
        """
        shares: defaultdict[int, float] = defaultdict(float)
        leaders: list[int] = []
        left = fsum(weights.values())
        for word, weight in sorted(weights.items(), key=lambda one: -one[1]):
            held = self._among(ordinals, word)
            left -= weight
            if 2 * len(held) > len(ordinals):
                for ordinal in ordinals - held:  # fewer, and the order is the same
                    shares[ordinal] -= weight
            else:
                for ordinal in held:
                    shares[ordinal] += weight
                leaders = nlargest(limit, held.union(leaders), shares.__getitem__)
            least = min(map(shares.__getitem__, leaders), default=0.0) - _ROUNDING
            if len(leaders) == limit and left < least:
                shares = defaultdict(
                    float, ((o, share) for o, share in shares.items() if share + left >= least)
                )
                ordinals = set(shares)
        return {ordinal: shares[ordinal] for ordinal in ordinals}

    def held(
        self, ordinals: AbstractSet[int], words: Sequence[Needle]
    ) -> dict[tuple[Needle, ...], list[int]]:
        """The claims that hold some of the words, by which ones they hold."""
        if len(ordinals) <= _CLAIMS_PER_WORD * len(words):
            masks, everywhere = self._read(ordinals, words), 0
        else:
            masks, everywhere = self._masks(ordinals, words)
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for ordinal, mask in masks.items():
            groups[mask | everywhere].append(ordinal)
        if everywhere and (others := list(ordinals - masks.keys())):
            groups[everywhere] = others
        return {tuple(words[bit] for bit in _bits(mask)): group for mask, group in groups.items()}

    def _masks(
        self, ordinals: AbstractSet[int], words: Sequence[Needle]
    ) -> tuple[Mapping[int, int], int]:
        """Which of the words claims hold, as bits, and the bits of the words that all of them hold.

        Those are in no mask, and what holds nothing else has none.
        """
        masks: defaultdict[int, int] = defaultdict(int)
        everywhere = 0
        for bit, word in enumerate(words):
            held = self._among(ordinals, word)
            if len(held) == len(ordinals):
                everywhere |= 1 << bit
                continue
            for ordinal in held:
                masks[ordinal] |= 1 << bit
        return masks, everywhere

    def _among(self, ordinals: AbstractSet[int], word: Needle) -> set[int]:
        return self.knowledge.search.postings.among(ordinals, word, Kind.CLAIM, self.gates)

    def _read(self, ordinals: AbstractSet[int], words: Sequence[Needle]) -> Mapping[int, int]:
        bits: defaultdict[str, int] = defaultdict(int)
        longer: defaultdict[str, list[tuple[frozenset[str], int]]] = defaultdict(list)
        for bit, word in enumerate(words):
            for first, *others in word.alternatives:
                if others:  # looked at only where a claim holds the first of its stems
                    longer[first].append((frozenset(others), 1 << bit))
                else:
                    bits[first] |= 1 << bit
        masks: dict[int, int] = {}
        for ordinal in ordinals:
            stems = self.knowledge.document(ordinal)[1].stems
            mask = 0
            for stem in stems:
                if stem in bits:
                    mask |= bits[stem]
            for first in longer.keys() & stems if longer else ():
                mask |= sum({bit for others, bit in longer[first] if others.issubset(stems)})
            if mask:
                masks[ordinal] = mask
        return masks

    def _first(self, ordinals: Iterable[int], limit: int) -> list[Claim]:
        return nsmallest(limit, self.knowledge.claims_at(ordinals), key=attrgetter("id"))


def _bits(mask: int) -> Iterator[int]:
    """The bits that are set, lowest first."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
