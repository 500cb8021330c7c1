"""Which words of a text claims hold, and the claims that share most with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import fsum

from pyroaring import BitMap

from sidecar.index.content import Needle
from sidecar.index.knowledge import Knowledge
from sidecar.kb.records import Claim, Kind

__all__ = ["Overlap"]

_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Overlap:
    """The claims of a knowledge base behind some gates, by their ordinals."""

    knowledge: Knowledge
    gates: frozenset[str]

    def largest(self, ordinals: BitMap, weights: Mapping[Needle, float], limit: int) -> list[Claim]:
        """The claims that hold the most weight of words, at most `limit`; ties by id."""
        shares, others = self._shares(ordinals, weights, limit)
        groups: defaultdict[float, BitMap] = defaultdict(BitMap, {0.0: others})
        for ordinal, share in shares.items():
            groups[round(share, 9)].add(ordinal)
        found: list[int] = []
        for share in sorted(groups, reverse=True):
            if len(found) < limit:
                found += self.knowledge.first(groups[share], limit - len(found))
        return list(self.knowledge.claims_at(found))

    def _shares(
        self, ordinals: BitMap, weights: Mapping[Needle, float], limit: int
    ) -> tuple[Mapping[int, float], BitMap]:
        """The weights that claims hold, less the same for all of them, and the claims that have
        none of these; only those that may be among the `limit` that hold the most.

        Heaviest words first, as in MaxScore (Turtle and Flood 1995): once all words that are left
        weigh less than what so many claims hold, no other claim can be one of them.
        """
        shares: defaultdict[int, float] = defaultdict(float)
        left = fsum(weights.values())
        look_at = left / 2
        for word, weight in sorted(weights.items(), key=lambda one: -one[1]):
            held = self._holding(word) & ordinals
            if 2 * len(held) > len(ordinals):
                for ordinal in ordinals - held:  # fewer, and the order is the same
                    shares[ordinal] -= weight
            else:
                for ordinal in held:
                    shares[ordinal] += weight
            left -= weight
            if left < look_at:  # not after each word: it takes as long as some of them
                look_at = left / 2
                least = min(nlargest(limit, shares.values()), default=0.0) - left - _ROUNDING
                if len(shares) >= limit and least > 0:
                    kept = {o: share for o, share in shares.items() if share >= least}
                    shares, ordinals = defaultdict(float, kept), BitMap(kept)
        return shares, ordinals - BitMap(shares)

    def held(
        self, ordinals: BitMap, words: Sequence[Needle]
    ) -> dict[tuple[Needle, ...], list[int]]:
        """The claims that hold some of the words, by which ones they hold."""
        masks: defaultdict[int, int] = defaultdict(int)
        for bit, word in enumerate(words):
            for ordinal in self._holding(word) & ordinals:
                masks[ordinal] |= 1 << bit
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for ordinal, mask in masks.items():
            groups[mask].append(ordinal)
        return {tuple(words[bit] for bit in _bits(mask)): group for mask, group in groups.items()}

    def _holding(self, word: Needle) -> BitMap:
        return self.knowledge.search.postings.holding(word, Kind.CLAIM, self.gates)


def _bits(mask: int) -> Iterator[int]:
    """The bits that are set, lowest first."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
