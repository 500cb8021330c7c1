"""What went stale: whether the words that a receipt quotes still stand in the file that it cites,
and whether the files and names that a claim gives are still there.

Only what was there once can be gone: a path or a name that never led to anything here says nothing.
What is kept are ids, paths, lines and digests; never a line of a file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

State = Literal["there", "moved", "gone"]
Range = tuple[str, int, int]
"""A receipt: the id of its source, and where its bytes begin and end there."""
MAX_PLACES = 50
"""Places of one quote in one file that are looked at."""


class Quote(NamedTuple):
    """What a receipt quotes, and its line in the kept source."""

    range: Range
    text: str
    line: int


class Fresh(NamedTuple):
    """How a quote stands in a file: `line` is where, from 1; `changed` when the file was last
    written, in seconds since 1970.
    """

    state: State
    path: str
    line: int | None
    changed: float


class GoneNames(NamedTuple):
    """The places of a claim's text that name what was there once. `mark` is that of the claim."""

    mark: str
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Freshness:
    """How the quotes and names of all claims stand. Immutable."""

    quotes: Mapping[Range, Fresh] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """By the id of a source, the path of its file, where that is gone."""
    names: Mapping[str, GoneNames] = field(default_factory=dict)
    """By claim."""

    def is_as(self, other: Freshness) -> bool:
        """Whether another one says the same."""
        return (self.quotes, self.files, self.names) == (other.quotes, other.files, other.names)


class Lines:
    """A text in which quotes are found: any blanks are one, and case does not count."""

    def __init__(self, data: bytes) -> None:
        flat: list[str] = []
        self._starts: list[int] = []
        self._numbers: list[int] = []
        at = 0
        for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
            words = _flat(line)
            if words:
                flat.append(words)
                self._starts.append(at)
                self._numbers.append(number)
                at += len(words) + 1
        self._flat = " ".join(flat)

    def find(self, quote: Quote) -> tuple[State, int | None]:
        """Whether a quote is there, and in which line: one that stands in several places is."""
        lines = list(self._lines_of(_flat(quote.text)))
        if not lines:
            return "gone", None
        if quote.line in lines:
            return "there", quote.line
        nearest = min(lines, key=lambda line: abs(line - quote.line))
        return ("moved" if len(lines) == 1 else "there"), nearest

    def _lines_of(self, words: str) -> Iterator[int]:
        at = self._flat.find(words) if words else -1
        for _ in range(MAX_PLACES):
            if at < 0:
                return
            yield self._numbers[bisect_right(self._starts, at) - 1]
            at = self._flat.find(words, at + 1)


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
