"""What a file of the workspace has now of the quotes of claims, where it was saved since the last
analysis of the workspace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from vouch_sidecar.kb.records import Evidence, Kind
from vouch_sidecar.kb.safe_files import mtime_ns
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.file_list import read_file, stat_of
from vouch_sidecar.workspace.quotes_in_files import Fresh, Lines, Quote, QuoteRange, flat
from vouch_sidecar.workspace.snapshot import Workspace
from vouch_sidecar.workspace.ties import Tie

MAX_QUOTES = 100
"""Quotes that are looked for in one file: those nearest to the touched lines."""


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file as it is saved now. `view` knows which quotes it has, and `broken` are the claims that
    have lost one by a change, by id. `is_located`: the lines of the quotes are those of now.
    """

    view: View
    broken: frozenset[str] = frozenset()
    is_located: bool = False


def as_saved(view: View, path: str, ranges: Sequence[tuple[int, int]], removed: str) -> SavedFile:
    """A file of which some lines (`ranges`) were touched, and from which a change took the text
    `removed`. Reads the file if claims quote it, unless it is as the last analysis read it.
    """
    workspace = view.workspace
    there = workspace.path_of(path)
    if there is None:
        return SavedFile(view)
    analysed, stats = workspace.fresh.quotes, workspace.fresh.stats
    is_as_read = stats.get(there, b"") == stat_of(workspace.root, there)
    if is_as_read and not removed:
        return SavedFile(view, is_located=True)
    ties = [t for t in workspace.stored_ties_of(there) if t.arm == "quotes" and not t.other_file]
    ties.sort(key=lambda tie: _distance(tie.line or 0, ranges))
    quotes = [(tie.claim_id, quote) for tie in ties[:MAX_QUOTES] if (quote := _quote(view, tie))]
    quotes_now = (
        analysed if is_as_read else _found(workspace, there, [quote for _, quote in quotes])
    )
    broken = frozenset(
        claim_id
        for claim_id, quote in quotes
        if _is_gone(quote, quotes_now)
        and (not _is_gone(quote, analysed) or _share(flat(quote.text), flat(removed)))
    )
    if quotes_now is analysed:
        return SavedFile(view, broken, is_as_read)
    fresh = replace(workspace.fresh, quotes={**analysed, **quotes_now})
    now = replace(view, workspace=workspace.with_fresh(fresh))
    return SavedFile(now, broken, is_located=True)


def _found(workspace: Workspace, path: str, quotes: Sequence[Quote]) -> Mapping[QuoteRange, Fresh]:
    """Where a file has these quotes; what is known already, if it can't be read."""
    content = read_file(workspace.root, path) if quotes else None
    if content is None:
        return workspace.fresh.quotes
    lines, changed = Lines(content[0]), mtime_ns(content[1]) / 1e9
    places = ((quote.range, lines.find(quote)) for quote in quotes)
    return {quoted: Fresh(state, path, line, changed) for quoted, (state, line) in places}


def _is_gone(quote: Quote, quotes: Mapping[QuoteRange, Fresh]) -> bool:
    fresh = quotes.get(quote.range)
    return fresh is not None and fresh.state == "gone"


def _quote(view: View, tie: Tie) -> Quote | None:
    """The words that a claim quotes of a file."""
    claim = view.visible.claim(tie.claim_id)
    for reference in () if claim is None else claim.evidence:
        evidence = view.visible.artifact((Kind.EVIDENCE, reference))
        if isinstance(evidence, Evidence) and evidence.quote is not None:
            place = evidence.source_id, evidence.byte_start, evidence.byte_end
            if place == (tie.via, tie.start, tie.end):
                return Quote(
                    (evidence.source_id, tie.start, tie.end), evidence.quote, tie.line or 0
                )
    return None


def _distance(line: int, ranges: Iterable[tuple[int, int]]) -> int:
    return min((max(first - line, line - last, 0) for first, last in ranges), default=line)


def _share(quote: str, taken: str) -> bool:
    """Whether one of two texts is a part of the other."""
    return bool(taken) and (quote in taken or taken in quote)
