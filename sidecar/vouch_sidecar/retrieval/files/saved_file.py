"""What files of the workspace have now of the quotes of claims, where they were saved since the
last analysis of the workspace.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from vouch_sidecar.kb.records import Claim, Evidence, Kind
from vouch_sidecar.retrieval.view import View
from vouch_sidecar.workspace.file_list import stat_of
from vouch_sidecar.workspace.quotes_in_files import Fresh, Quote, QuoteRange, flat, located
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
    wanted = [] if is_as_read else [quote for _, quote in quotes]
    quotes_now = (located(workspace.root, there, wanted) if wanted else {}) or analysed
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


def as_files_are(view: View, claims: Iterable[Claim]) -> View:
    """A view that knows which of the words that some claims quote their files have now. Reads those
    files that were saved since the last analysis.
    """
    workspace, by_path = view.workspace, defaultdict[str, list[Quote]](list)
    for claim in claims if workspace.fresh.quotes else ():
        for quote in _quotes_of(view, claim):
            if (known := workspace.fresh.quotes.get(quote.range)) is not None:
                by_path[known.path].append(quote)
    found: dict[QuoteRange, Fresh] = {}
    gone: dict[str, str] = {}
    for path, quotes in by_path.items():
        then = workspace.fresh.stats.get(path) or workspace.stats.get(path)
        now = stat_of(workspace.root, path)
        if now is None:
            gone |= {quote.range[0]: path for quote in quotes}
        elif then is not None and then != now:
            found |= located(workspace.root, path, quotes)
    if not found and not gone:
        return view
    before = workspace.fresh
    fresh = replace(before, quotes={**before.quotes, **found}, files={**before.files, **gone})
    return replace(view, workspace=workspace.with_fresh(fresh))


def _is_gone(quote: Quote, quotes: Mapping[QuoteRange, Fresh]) -> bool:
    fresh = quotes.get(quote.range)
    return fresh is not None and fresh.state == "gone"


def _quote(view: View, tie: Tie) -> Quote | None:
    """The words that a claim quotes of a file."""
    claim = view.visible.claim(tie.claim_id)
    quotes = () if claim is None else _quotes_of(view, claim)
    at = tie.via, tie.start, tie.end
    return next((quote._replace(line=tie.line or 0) for quote in quotes if quote.range == at), None)


def _quotes_of(view: View, claim: Claim) -> Iterator[Quote]:
    """The words that a claim quotes, each at the line where its file has it."""
    for reference in claim.evidence:
        evidence = view.visible.artifact((Kind.EVIDENCE, reference))
        if not isinstance(evidence, Evidence) or evidence.quote is None:
            continue
        if evidence.byte_start is not None and evidence.byte_end is not None:
            quoted = evidence.source_id, evidence.byte_start, evidence.byte_end
            fresh = view.workspace.fresh.quotes.get(quoted)
            yield Quote(quoted, evidence.quote, (fresh and fresh.line) or 0)


def _distance(line: int, ranges: Iterable[tuple[int, int]]) -> int:
    return min((max(first - line, line - last, 0) for first, last in ranges), default=line)


def _share(quote: str, taken: str) -> bool:
    """Whether one of two texts is a part of the other."""
    return bool(taken) and (quote in taken or taken in quote)
