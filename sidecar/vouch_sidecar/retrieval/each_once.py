"""Keeps one of several things that are the same to a reader."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T")


def each_once(
    items: Iterable[T], keys: Callable[[T], Iterable[Hashable]], better: Callable[[T, T], T]
) -> list[T]:
    """One item of those that have a key in common, in the order of the first: the `better` one."""
    kept: list[T] = []
    places: dict[Hashable, int] = {}
    for item in items:
        own = tuple(keys(item))
        place = next((places[key] for key in own if key in places), None)
        if place is None:
            place = len(kept)
            kept.append(item)
        else:
            kept[place] = better(kept[place], item)
        places |= dict.fromkeys(own, place)
    return kept
