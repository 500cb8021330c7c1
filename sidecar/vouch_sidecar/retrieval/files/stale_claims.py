"""Tells a viewer what went stale since a claim was written: the words that it quotes, or the file
that it cites; where no file can show that, nobody confirmed the claim for over a year.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from vouch_sidecar.index.claim_weights import confirmed_at
from vouch_sidecar.kb.records import Claim, Evidence, Source
from vouch_sidecar.retrieval.view import View, moment
from vouch_sidecar.workspace.quotes_in_files import Fresh, Freshness

Code = Literal["quote-gone", "file-gone", "unconfirmed"]
YEAR = 365 * 86_400
MONTH = YEAR / 12
"""Seconds."""


class Stale(NamedTuple):
    """Why a claim may no longer be true. `field` is the claim's field that shows this; `reason`
    says it in a few words, `short_reason` in fewer and without a path.
    """

    code: Code
    field: str
    reason: str
    short_reason: str

    @property
    def is_gone(self) -> bool:
        """Whether something is gone, not only unconfirmed for long."""
        return self.code != "unconfirmed"


def is_lost(view: View, claim: Claim) -> bool:
    """Whether all files that a claim cites are gone. Reads none of them."""
    fresh = view.workspace.fresh
    sources = [source for _, source, _ in view.visible.cited(claim)]
    return bool(sources) and all(fresh.gone.get(each.id) for each in sources)


def is_followed(view: View, claim: Claim) -> bool:
    """Whether a file shows if it still has what a claim quotes."""
    quotes = [evidence for _, _, evidence in view.visible.cited(claim) if evidence is not None]
    return any(fresh_of(view.workspace.fresh, quote) is not None for quote in quotes)


def stale(view: View, claim: Claim) -> Stale | None:
    """What went stale in a claim, for a viewer; None where nothing did. The age of a claim counts
    only once the files of the workspace are known.
    """
    cited, workspace = list(view.visible.cited(claim)), view.workspace
    gone, at = _gone(workspace.fresh, cited), confirmed_at(claim)
    if gone is not None or at is None or view.now - at <= YEAR or workspace.tree == Path():
        return gone
    if any(source.id in workspace.sources for _, source, _ in cited):
        return None
    months = int((view.now - at) / MONTH)
    reason = f"last confirmed {f'{months} months' if months < 24 else f'{months // 12} years'} ago"
    field = "updated_at" if claim.last_confirmed_at is None else "last_confirmed_at"
    return Stale("unconfirmed", field, reason, reason)


def _gone(fresh: Freshness, cited: Iterable[tuple[int, Source, Evidence | None]]) -> Stale | None:
    """What is gone of what a claim quotes or cites. A claim is stale only if all of its quotes are,
    or, where it has none that can be looked for, if the files of all its citations are.
    """
    quotes, files, cites_more = list[Stale](), list[Stale](), False
    for number, source, evidence in cited:
        field, path = f"evidence.{number}", fresh.gone.get(source.id)
        quote = fresh_of(fresh, evidence) if path is None and evidence is not None else None
        if path is not None:
            reason = f"{path}, which it cites, is gone"
            files.append(Stale("file-gone", field, reason, "the file that it cites is gone"))
        elif quote is None:
            cites_more = True
        elif quote.state != "gone":
            return None
        else:
            when = f"changed on {moment(quote.changed).date().isoformat()}"
            reason = f"quote gone since, {quote.path} {when}"
            quotes.append(Stale("quote-gone", field, reason, f"quote gone since, file {when}"))
    return next(iter(quotes if quotes or cites_more else files), None)


def fresh_of(fresh: Freshness, evidence: Evidence) -> Fresh | None:
    """Whether the file that evidence cites still has its quote; None if that is not known."""
    if evidence.byte_start is None or evidence.byte_end is None:
        return None
    return fresh.of((evidence.source_id, evidence.byte_start, evidence.byte_end))
