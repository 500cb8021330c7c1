"""Receipts: the range of bytes that evidence quotes, in what vouch kept of its source."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path

from vouch_sidecar.kb.reader import read_content
from vouch_sidecar.kb.records import Evidence, Source


class Kept:
    """The content of one source, as vouch kept it."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._starts = [0]
        at = data.find(b"\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = data.find(b"\n", at + 1)

    def span(self, evidence: Evidence) -> tuple[int, int] | None:
        """The range that evidence quotes; None without one, or where something else stands."""
        start, end = evidence.byte_start, evidence.byte_end
        if start is None or end is None or not start < end <= len(self.data):
            return None
        if evidence.quote is not None and self.data[start:end] != evidence.quote.encode():
            return None
        return start, end

    def line_at(self, offset: int) -> int:
        """The line, from 1, in which a byte stands."""
        return bisect_right(self._starts, offset)


def kept(kb_dir: Path, source: Source) -> Kept | None:
    """The content of a source; None where `read_content` gives none."""
    data = read_content(kb_dir, source)
    return None if data is None else Kept(data)
