"""Caches results computed from texts, until the knowledge changes. Any thread may use it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar, cast

MAX_ENTRIES = 512
MAX_CHARACTERS = 1 << 20
"""Characters of the texts of all entries; a result may take forty bytes for each."""
T = TypeVar("T")


class Memo:
    """Keeps the results used last. The newest one is always kept: a question asks for it many
    times.
    """

    def __init__(self, entries: int = MAX_ENTRIES) -> None:
        self._entries = entries
        self._results: OrderedDict[tuple[str, Hashable], object] = OrderedDict()
        self._characters = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._results)

    def cached(self, text: str, what: Hashable, make: Callable[[], T]) -> T:
        """The result of `make` for a text, computed once for each `what`."""
        key = (text, what)
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return cast(T, self._results[key])
        result = make()
        with self._lock:
            if key not in self._results:
                self._characters += len(text)
            self._results[key] = result
            while len(self._results) > self._entries or (
                self._characters > MAX_CHARACTERS and len(self._results) > 1
            ):
                (oldest, _), _ = self._results.popitem(last=False)
                self._characters -= len(oldest)
        return result

    def forget(self, text: str, what: Hashable) -> None:
        """Forget one result."""
        with self._lock:
            if self._results.pop((text, what), None) is not None:
                self._characters -= len(text)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._results.clear()
            self._characters = 0
