"""What is large is made and let go bit by bit: no other thread runs while one call does it."""

from __future__ import annotations

from collections.abc import MutableMapping
from contextlib import suppress
from functools import cache
from typing import Any

__all__ = ["let_go", "make_room"]

_FEW = 10_000
"""Entries of a table that is made anew in no time."""
_BYTES = 60
"""What a table takes for each entry at most, when it has just grown."""
_TABLES = 2
"""How many grow at the same time."""


def let_go(of: MutableMapping[Any, Any] | list[Any]) -> None:
    """Empty it. A hundred thousand entries at once would stop all threads for 20 ms."""
    take = of.pop if isinstance(of, list) else of.popitem
    with suppress(LookupError):
        while True:
            take()


def make_room(entries: int, tables: int = _TABLES) -> None:
    """Have memory at hand, in this thread, for tables that grow up to so many entries.

    A table grows in one go, and megabytes that were never touched take some systems 20 ms and more
    to hand out. Here they do so while other threads run.
    """
    if entries < _FEW:
        return
    _keep_blocks()
    with suppress(OSError), open("/dev/zero", "rb", buffering=0) as zeros:  # noqa: PTH123
        room = [zeros.read(entries * _BYTES) for _ in range(tables)]
        room.clear()


@cache
def _keep_blocks() -> None:
    """Have glibc keep what is freed: once it freed a block of its own (which is not touched here),
    it takes smaller ones from its heap, and keeps twice as much.
    """
    largest = [bytes(8 << 20)]
    largest.clear()
