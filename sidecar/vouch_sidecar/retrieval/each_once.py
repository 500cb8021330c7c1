"""Keeps one of several things that are the same to a reader."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def first_of_each(items: Iterable[T], key: Callable[[T], Hashable]) -> Iterator[T]:
    """The first of the items that have a key in common."""
    seen = set[Hashable]()
    for item in items:
        if (own := key(item)) not in seen:
            seen.add(own)
            yield item


def each_once(
    items: Iterable[T],
    keys: Callable[[T], Iterable[Hashable]],
    order: Callable[[T], tuple[bool, ...]],
) -> list[T]:
    """One item of those that have a key in common, at the place of the first: the first by
    `order`.
    """
    kept: dict[int, T] = {}
    places: dict[Hashable, int] = {}
    for item in items:
        own = tuple(keys(item))
        place = next((places[key] for key in own if key in places), len(kept))
        kept[place] = min(kept[place], item, key=order) if place in kept else item
        places |= dict.fromkeys(own, place)
    return list(kept.values())
