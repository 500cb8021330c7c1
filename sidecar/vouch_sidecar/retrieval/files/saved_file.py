"""What a change took out of a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.quotes_in_files import flat

MAX_QUOTES = 100
"""Quotes that are looked for in one file: those nearest to the touched lines."""


def broken_by(
    view: View, path: str, ranges: Sequence[tuple[int, int]], removed: str
) -> frozenset[str]:
    """The ids of the claims that have lost a quote in a file by a change, which touched some lines
    (`ranges`) and took out the text `removed`. Reads the file.
    """
    workspace = view.workspace
    there = workspace.path_of(path)
    if there is None:
        return frozenset()
    ties = [t for t in workspace.stored_ties_of(there) if t.arm == "quotes"]
    ties.sort(key=lambda tie: _distance(tie.line or 0, ranges))
    broken = set()
    for tie in ties[:MAX_QUOTES]:
        quoted = tie.via or "", tie.start, tie.end
        _, quote = workspace.fresh.places.get(quoted, ("", None))
        fresh = workspace.fresh.of(quoted)
        if quote is None or fresh is None or fresh.state != "gone":
            continue
        if workspace.fresh.was_lost(quoted) or _share(flat(quote.text), flat(removed)):
            broken.add(tie.claim_id)
    return frozenset(broken)


def _distance(line: int, ranges: Iterable[tuple[int, int]]) -> int:
    return min((max(first - line, line - last, 0) for first, last in ranges), default=line)


def _share(quote: str, taken: str) -> bool:
    """Whether one of two texts is a part of the other."""
    return bool(taken) and (quote in taken or taken in quote)
