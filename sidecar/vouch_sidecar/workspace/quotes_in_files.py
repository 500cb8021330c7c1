"""Compares claims with files: whether a file still has the words that a receipt quotes, and whether
the files and names in a claim still exist. Only a path or a name that once existed can be gone.
Keeps ids, paths, lines and digests, never text of a file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from vouch_sidecar.kb.safe_files import Stat, mtime_ns
from vouch_sidecar.workspace.file_list import read_file

QuoteState = Literal["there", "moved", "gone"]
QuoteRange = tuple[str, int, int]
"""A receipt: the id of its source, and the offsets of its first byte and after its last one."""
MAX_QUOTE_PLACES = 50
"""Places of one quote in one file that are looked at."""


class Quote(NamedTuple):
    """The words that a receipt quotes, and their line in the kept source."""

    range: QuoteRange
    text: str
    line: int


class Fresh(NamedTuple):
    """Whether a file still has a quote. `line` counts from 1; `changed` is the time when the file
    was last written, in seconds since 1970.
    """

    state: QuoteState
    path: str
    line: int | None
    changed: float


class GoneNames(NamedTuple):
    """The places in a claim's text that name something which is gone; `mark` is that of the claim's
    state.
    """

    mark: str
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Freshness:
    """The freshness of the quotes and names of all claims. Immutable."""

    quotes: Mapping[QuoteRange, Fresh] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """By the id of a source whose file is gone, the path of that file."""
    names: Mapping[str, GoneNames] = field(default_factory=dict)
    """By the id of a claim."""
    stats: Mapping[str, Stat | None] = field(default_factory=dict)
    """Of each file in which quotes were looked for, as it was then."""

    @cached_property
    def has_gone(self) -> bool:
        """Whether anything that a claim quotes, cites or names is gone."""
        gone_quote = any(quote.state == "gone" for quote in self.quotes.values())
        return bool(self.files or self.names) or gone_quote

    def is_same_as(self, other: Freshness) -> bool:
        """Whether another one has the same content."""
        return (self.quotes, self.files, self.names) == (other.quotes, other.files, other.names)


class Lines:
    """A text in which quotes are looked for. Runs of white space count as one blank; case does not
    count.
    """

    def __init__(self, data: bytes) -> None:
        parts: list[str] = []
        self._starts: list[int] = []
        self._numbers: list[int] = []
        at = 0
        for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
            words = flat(line)
            if words:
                parts.append(words)
                self._starts.append(at)
                self._numbers.append(number)
                at += len(words) + 1
        self._flat = " ".join(parts)

    def find(self, quote: Quote) -> tuple[QuoteState, int | None]:
        """Whether the text has a quote, and the line: the quote's own if it is there, else the
        nearest. A quote that occurs once, in another line, counts as moved.
        """
        lines = list(self._lines_of(flat(quote.text)))
        if not lines:
            return "gone", None
        if quote.line in lines:
            return "there", quote.line
        nearest = min(lines, key=lambda line: abs(line - quote.line))
        return ("moved" if len(lines) == 1 else "there"), nearest

    def _lines_of(self, words: str) -> Iterator[int]:
        at = self._flat.find(words) if words else -1
        for _ in range(MAX_QUOTE_PLACES):
            if at < 0:
                return
            yield self._numbers[bisect_right(self._starts, at) - 1]
            at = self._flat.find(words, at + 1)


def located(root: Path, path: str, quotes: Iterable[Quote]) -> dict[QuoteRange, Fresh]:
    """Where a file below `root` has some quotes now; empty if it can't be read."""
    there = read_file(root, path)
    if there is None:
        return {}
    lines, changed = Lines(there[0]), mtime_ns(there[1]) / 1e9
    places = ((quote.range, lines.find(quote)) for quote in quotes)
    return {quoted: Fresh(state, path, line, changed) for quoted, (state, line) in places}


def flat(text: str) -> str:
    """A text to compare: in one line, without differences of case and white space."""
    return " ".join(text.casefold().split())
