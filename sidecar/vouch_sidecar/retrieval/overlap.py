"""Which words of a text claims hold, and the claims that share most with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import fsum

from pyroaring import BitMap
from vouch_sidecar.index.content import Needle
from vouch_sidecar.index.knowledge import Knowledge
from vouch_sidecar.kb.records import Claim, Kind

__all__ = ["Overlap"]

_ROUNDING = 1e-6
_FEW_WORDS = 24
"""Up to so many words, claims are looked at by what they share: they share it with many others."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """The claims of a knowledge base behind some gates, by their ordinals."""

    knowledge: Knowledge
    gates: frozenset[str]

    def largest(self, ordinals: BitMap, weights: Mapping[Needle, float], limit: int) -> list[Claim]:
        """The claims that hold the most weight of words, at most `limit`; ties by id."""
        parted = len(weights) <= _FEW_WORDS
        found = (self._parts if parted else self._sums)(ordinals, weights, limit)
        groups: defaultdict[float, BitMap] = defaultdict(BitMap)
        for share, some in found:
            groups[round(share, 9)] |= some
        first: list[int] = []
        for share in sorted(groups, reverse=True):
            if len(first) < limit:
                first += self.knowledge.first(groups[share], limit - len(first))
        return list(self.knowledge.claims_at(first))

    def _parts(
        self, ordinals: BitMap, weights: Mapping[Needle, float], limit: int
    ) -> Iterable[tuple[float, BitMap]]:
        """The claims that may be among the `limit` that hold the most, by the weight they hold.

        Each word parts those that hold it from the others, the heaviest word first; a part is
        dropped that can't catch up with the words that are left, as in MaxScore (Turtle and Flood
        1995).
        """
        parts = {0.0: ordinals}
        left = fsum(weights.values())
        for word, weight in _heaviest(weights):
            left -= weight
            if held := self._holding(word):
                parts = _within_reach(_parted(parts, held, weight), left, limit)
        return parts.items()

    def _sums(
        self, ordinals: BitMap, weights: Mapping[Needle, float], limit: int
    ) -> Iterable[tuple[float, BitMap]]:
        """The same, claim by claim: of many words, each claim soon is a part of its own.

        The weights are less the same for all claims.
        """
        shares: defaultdict[int, float] = defaultdict(float)
        left = fsum(weights.values())
        look_at = left / 2
        for word, weight in _heaviest(weights):
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
        yield 0.0, ordinals - BitMap(shares)
        for ordinal, share in shares.items():
            yield share, BitMap([ordinal])

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


def _heaviest(weights: Mapping[Needle, float]) -> list[tuple[Needle, float]]:
    return sorted(weights.items(), key=lambda one: -one[1])


def _parted(parts: Mapping[float, BitMap], held: BitMap, weight: float) -> dict[float, BitMap]:
    """The parts, with a weight added for those that are held; none is empty."""
    out: dict[float, BitMap] = {}
    for share, part in parts.items():
        if some := part & held:
            _join(out, share + weight, some)
            if len(some) < len(part):
                _join(out, share, part - some)
        else:
            _join(out, share, part)
    return out


def _join(parts: dict[float, BitMap], share: float, part: BitMap) -> None:
    parts[share] = parts[share] | part if share in parts else part


def _within_reach(parts: dict[float, BitMap], left: float, limit: int) -> dict[float, BitMap]:
    """The parts that may yet hold as much as so many claims do by now."""
    if left > max(parts, default=0.0):
        return parts
    enough = 0
    for share in sorted(parts, reverse=True):
        enough += len(parts[share])
        if enough >= limit:
            least = share - left - _ROUNDING
            return {share: part for share, part in parts.items() if share >= least}
    return parts


def _bits(mask: int) -> Iterator[int]:
    """The bits that are set, lowest first."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
