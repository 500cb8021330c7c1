"""Compares claims with files: whether a file still has the words that a receipt quotes, and whether
the file still exists. Only a path that once existed can be gone. Keeps ids, paths and lines, never
text of a file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Literal, NamedTuple

from vouch_sidecar.kb.safe_files import Stat, mtime_ns
from vouch_sidecar.workspace.file_list import read_file, stat_of

QuoteState = Literal["there", "moved", "gone"]
QuoteRange = tuple[str, int, int]
"""A receipt: the id of its source, and the offsets of its first byte and after its last one."""
MAX_QUOTE_PLACES = 50
"""Places of one quote in one file that are looked at."""
MAX_READ = 20
"""Files that are read for one question."""
MAX_KEPT = 128
"""Files that are kept in memory."""


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


class FlatLines:
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


class _Looked(NamedTuple):
    """What a file held when it was looked at."""

    lines: FlatLines
    stat: Stat


class QuotedFiles:
    """The files that claims quote, as they were when they were last looked at, the latest few.
    Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, _Looked] = OrderedDict()

    def look(self, root: Path, path: str, may_read: Callable[[], bool]) -> _Looked | None:
        """A file as it is now; None if it can't be read, or must be read and may not."""
        with self._lock:
            kept, stat = self._kept.get(path), stat_of(root, path)
            if kept is None or kept.stat != stat:
                there = read_file(root, path) if stat is not None and may_read() else None
                if there is None:
                    return None
                kept = self._kept[path] = _Looked(FlatLines(there[0]), there[1])
            self._kept.move_to_end(path)
            if len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
            return kept


@dataclass(frozen=True)
class Freshness:
    """Whether files still have the quotes of claims, looked up when it is asked.

    `places` has the file of each quote, and `gone` the path of each source's file that is gone, by
    the source's id.
    """

    root: Path = Path()
    places: Mapping[QuoteRange, tuple[str, Quote]] = field(default_factory=dict)
    gone: Mapping[str, str] = field(default_factory=dict)
    files: QuotedFiles = field(default_factory=QuotedFiles)
    may_read: Callable[[], bool] = lambda: True

    def asked(self) -> Freshness:
        """This, for one question: at most `MAX_READ` files are read."""
        reads = count()
        return replace(self, may_read=lambda: next(reads) < MAX_READ)

    def of(self, quoted: QuoteRange) -> Fresh | None:
        """Whether its file has a quote; None if that is not known."""
        path, quote = self.places.get(quoted, ("", None))
        looked = self.files.look(self.root, path, self.may_read) if quote is not None else None
        if quote is None or looked is None:
            return None
        state, line = looked.lines.find(quote)
        return Fresh(state, path, line, mtime_ns(looked.stat) / 1e9)


def flat(text: str) -> str:
    """A text to compare: in one line, without differences of case and white space."""
    return " ".join(text.casefold().split())
