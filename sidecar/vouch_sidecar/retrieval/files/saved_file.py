"""What a file of the workspace has now of the quotes of claims, where it was saved since the last
analysis of the workspace.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from vouch_sidecar.kb.records import Evidence, Kind
from vouch_sidecar.kb.safe_files import mtime_ns
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.file_list import read_file, stat_of
from vouch_sidecar.workspace.quotes_in_files import Fresh, Lines, Quote, QuoteRange, flat
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
    if there is None or workspace.fresh.stats.get(there, b"") == stat_of(workspace.root, there):
        return SavedFile(view)
    ties = [t for t in workspace.stored_ties_of(there) if t.arm == "quotes" and not t.other_file]
    ties.sort(key=lambda tie: _distance(tie.line or 0, ranges))
    quotes = [(tie.claim_id, quote) for tie in ties[:MAX_QUOTES] if (quote := _quote(view, tie))]
    content = read_file(workspace.root, there) if quotes else None
    if content is None:
        return SavedFile(view)
    lines, changed, taken = Lines(content[0]), mtime_ns(content[1]) / 1e9, flat(removed)
    found: dict[QuoteRange, Fresh] = {}
    broken = set()
    for claim_id, quote in quotes:
        state, line = lines.find(quote)
        before = workspace.fresh.quotes.get(quote.range)
        found[quote.range] = Fresh(state, there, line, changed)
        was_there = before is not None and before.state != "gone"
        if state == "gone" and (was_there or _share(flat(quote.text), taken)):
            broken.add(claim_id)
    fresh = replace(workspace.fresh, quotes={**workspace.fresh.quotes, **found})
    now = replace(view, workspace=workspace.with_fresh(fresh))
    return SavedFile(now, frozenset(broken), is_located=True)


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
