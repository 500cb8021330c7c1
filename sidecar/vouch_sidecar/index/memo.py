"""Keeps results computed from texts, until the knowledge changes. Any thread may use it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sized
from threading import Lock
from typing import TypeVar, cast

T = TypeVar("T")

MAX_ENTRIES = 512
MAX_CHARACTERS = 1 << 20
"""Characters of the texts of all entries; a result may take forty bytes for each."""
ITEM_CHARACTERS = 8
"""The characters that an item of a result counts for: a mention takes three hundred bytes."""


class Memo:
    """Keeps the results used last, by text and what was worked out of it. The newest one is always
    kept: a question asks for it many times.
    """

    def __init__(self) -> None:
        self._results: OrderedDict[tuple[str, Hashable], tuple[object, int]] = OrderedDict()
        """Each with the characters that it counts for."""
        self._characters = 0
        self._lock = Lock()

    def once(self, text: str, what: Hashable, make: Callable[[], T]) -> T:
        """The result of `make` for a text, from memory if known."""
        key = text, what
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return cast(T, self._results[key][0])
        result = make()
        items = len(result) if isinstance(result, Sized) else 0
        characters = len(text) + items * ITEM_CHARACTERS
        with self._lock:
            _, former = self._results.pop(key, (None, 0))
            self._results[key] = result, characters
            self._characters += characters - former
            while len(self._results) > MAX_ENTRIES or (
                self._characters > MAX_CHARACTERS and len(self._results) > 1
            ):
                _, (_, former) = self._results.popitem(last=False)
                self._characters -= former
        return result
