"""Receipts: the range of bytes that evidence quotes, in what vouch kept of its source."""

from __future__ import annotations

from bisect import bisect_right
from hashlib import sha256
from pathlib import Path

from vouch_sidecar.kb.files import UnreadableError, read_bounded
from vouch_sidecar.kb.records import Evidence, Source

MAX_KEPT = 4 << 20
CONTENT = "content"


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
    """The content of a source; None where it is not there, larger than `MAX_KEPT`, or another than
    the source's id says.
    """
    try:
        path = Path(kb_dir, source.path).with_name(CONTENT)
        data, _ = read_bounded(path, MAX_KEPT, kb_dir=kb_dir)
    except (FileNotFoundError, UnreadableError):
        return None
    return Kept(data) if sha256(data).hexdigest() == source.id else None
