"""Compares claims with files: whether a file still has the words that a receipt quotes, and whether
the file still exists. Only a path that once existed can be gone. Keeps ids, paths and lines, never
text of a file.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Literal, NamedTuple

from vouch_sidecar.kb.safe_files import Stat, UnreadableError, mtime_ns
from vouch_sidecar.workspace.file_list import read_file, stat_of

QuoteState = Literal["there", "moved", "gone"]
QuoteRange = tuple[str, int, int]
"""A receipt: the id of its source, and the offsets of its first byte and after its last one."""
MAX_QUOTE_PLACES = 50
"""Places of one quote in one file that are looked at."""
MAX_LOOKED = 20
"""Files that are looked at for one question."""
MAX_KEPT = 128
"""Files that are kept in memory."""


class Quote(NamedTuple):
    """The words that a receipt quotes, their line in the kept source, and the file that it was made
    from; "" if there is none.
    """

    range: QuoteRange
    path: str
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


class FlatLines:
    """A text in which quotes are looked for. Runs of white space count as one blank; case does not
    count.
    """

    def __init__(self, data: bytes) -> None:
        lines = enumerate(map(flat, data.decode("utf-8", "replace").split("\n")), 1)
        full = [(number, line) for number, line in lines if line]
        self._flat = " ".join(line for _, line in full)
        self._numbers = array("L", (number for number, _ in full))
        self._ends = array("L", accumulate(len(line) + 1 for _, line in full))
        """The number of each line that is not blank, and where the next one begins."""

    def find(self, quote: Quote) -> tuple[QuoteState, int | None]:
        """Whether the text has a quote, and the line: the quote's own if it is there, else the
        nearest. A quote that occurs once, in another line, counts as moved.
        """
        words, lines = flat(quote.text), list[int]()
        at = self._flat.find(words) if words else -1
        while at >= 0 and len(lines) < MAX_QUOTE_PLACES:
            lines.append(self._numbers[bisect_right(self._ends, at)])
            at = self._flat.find(words, at + 1)
        if not lines:
            return "gone", None
        if quote.line in lines:
            return "there", quote.line
        return (
            "moved" if len(lines) == 1 else "there",
            min(lines, key=lambda line: abs(line - quote.line)),
        )


@lru_cache(maxsize=MAX_KEPT)
def _lines_of(tree: Path, path: str, _: Stat) -> FlatLines:
    """A file as it is at this stat. Raises UnreadableError, so that it is tried again."""
    if (data := read_file(tree, path)) is None:
        raise UnreadableError(path)
    return FlatLines(data)


@dataclass(frozen=True)
class Freshness:
    """Whether files still have the quotes of claims, looked up when it is asked.

    `places` has each quote with a file, and `gone` the path of each source's file that is gone, by
    the source's id.
    """

    tree: Path = Path()
    places: Mapping[QuoteRange, Quote] = field(default_factory=dict)
    gone: Mapping[str, str] = field(default_factory=dict)

    def of(self, quoted: QuoteRange, looked: set[str]) -> Fresh | None:
        """Whether its file has a quote; None if that is not known. `looked` are the files that the
        question has looked at, at most `MAX_LOOKED`.
        """
        if (quote := self.places.get(quoted)) is None:
            return None
        path = quote.path
        if len(looked) < MAX_LOOKED:
            looked.add(path)
        if path not in looked or (stat := stat_of(self.tree, path)) is None:
            return None
        with suppress(UnreadableError):
            state, line = _lines_of(self.tree, path, stat).find(quote)
            return Fresh(state, path, line, mtime_ns(stat) / 1e9)
        return None


def flat(text: str) -> str:
    """A text to compare: in one line, without differences of case and white space."""
    return " ".join(text.casefold().split())
