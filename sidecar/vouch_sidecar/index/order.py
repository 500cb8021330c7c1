"""Ordinals in the order of ids. Most are given in that order; the others are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import nsmallest
from itertools import islice

from pyroaring import BitMap

__all__ = ["Order"]


class Order:
    """Of each kind, which ordinals do not rise with the ids of what they stand for.

    `strays` and `last`, the greatest id of each kind, are what `frozen` keeps and brings back.
    """

    def __init__(self, strays: BitMap | None = None, last: dict[str, str] | None = None) -> None:
        self.strays = BitMap() if strays is None else strays
        self.last = {} if last is None else last

    def add(self, kind: str, artifact_id: str, ordinals: Iterable[int]) -> None:
        """Learn the ordinals of an artifact, which are greater than all of its kind before, unless
        its id has been there.
        """
        if artifact_id > self.last.get(kind, ""):
            self.last[kind] = artifact_id
        else:
            self.strays.update(ordinals)

    def remove(self, ordinals: Iterable[int]) -> None:
        """Forget the ordinals of an artifact."""
        self.strays.difference_update(BitMap(ordinals))

    def first(self, ordinals: BitMap, limit: int, id_of: Callable[[int], str]) -> list[int]:
        """Those of one kind whose ids come first, in that order; of equal ids, lower ones first."""
        found = [*islice(ordinals - self.strays, limit), *(ordinals & self.strays)]
        return nsmallest(limit, found, key=lambda ordinal: (id_of(ordinal), ordinal))
